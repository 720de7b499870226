/** A commit as it is shown: one line, and the files that it changed. */
interface Commit {
  readonly hash: string;
  author: string;
  date: string;
  subject: string;
  readonly files: string[];
}

/**
 * `git log`, a line for each commit: short hash, day, author, subject; with `--stat` its files below, without the bars. The rest of a message is left out.
 * @throws Error for what is no such log.
 */
export function shrinkGitLog(output: string): string {
  const commits: Commit[] = [];
  for (const line of output.split('\n')) {
    const begin = /^commit ([0-9a-f]{7,64})(?: |$)/.exec(line);
    if (begin !== null) {
      commits.push({ hash: begin[1]?.slice(0, 10) ?? '', author: '', date: '', subject: '', files: [] });
      continue;
    }
    const commit = commits.at(-1);
    if (commit === undefined) {
      if (line.trim() !== '') throw new Error('The output does not begin with a commit.');
      continue;
    }
    addTo(commit, line);
  }
  return commits
    .map(({ hash, author, date, subject, files }) => [`${hash} ${date} ${author}: ${subject}`, ...files].join('\n'))
    .join('\n');
}

function addTo(commit: Commit, line: string): void {
  const author = /^Author: +(.*?)(?: <.*)?$/.exec(line)?.[1];
  const date = /^Date: +(.*)$/.exec(line)?.[1];
  const file = fileIn(line);
  if (author !== undefined) commit.author = author;
  else if (date !== undefined) commit.date = dayOf(date);
  else if (line.startsWith('    ')) commit.subject ||= line.trim();
  else if (file !== null) commit.files.push(file);
  else if (/^ \d+ files? changed/.test(line)) commit.files.push(`  ${line.trim()}`);
}

/** A line of `--stat` without its bars: ` src/a.ts | 12 +++---`; null for any other. */
function fileIn(line: string): string | null {
  const bar = line.lastIndexOf(' | ');
  const change = /^ *(\d+|Bin\b.*)(?: [+-]+)?$/.exec(line.slice(bar + 3))?.[1];
  return bar < 0 || !line.startsWith(' ') || change === undefined ? null : `  ${line.slice(0, bar).trim()} ${change}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Mon Nov 30 18:11:00 2026 +0000` as a day; any other date as it is. */
function dayOf(date: string): string {
  const [, month = '', day = '', year = ''] = /^\w{3} (\w{3}) (\d{1,2}) [\d:]+ (\d{4})/.exec(date) ?? [];
  const number = months.indexOf(month) + 1;
  return number === 0 ? date : `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

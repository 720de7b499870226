/** How many unchanged lines stay on each side of a change. */
const kept = 1;

/**
 * `git diff` without the lines that say the same twice and with a line of context around each change: the header of a file is its name and what happened to it.
 * @throws Error for what is no such diff.
 */
export function shrinkGitDiff(output: string): string {
  const out: string[] = [];
  let hunk: string[] = [];
  let inHunk = false;
  const close = (): void => {
    out.push(...near(hunk));
    hunk = [];
  };
  for (const line of output.replace(/\n$/, '').split('\n')) {
    if (line.startsWith('diff --git ') || line.startsWith('diff --cc ')) {
      close();
      inHunk = false;
      out.push(line.replace(/^diff --(?:git|cc) /, '').replace(/^a\/(.+) b\/\1$/, '$1'));
    } else if (line.startsWith('@@')) {
      close();
      inHunk = true;
      out.push(line);
    } else if (out.length === 0) {
      throw new Error('The output does not begin with a file.');
    } else if (inHunk) {
      hunk.push(line);
    } else if (!/^(?:index |--- |\+\+\+ )/.test(line)) out.push(line);
  }
  close();
  return out.join('\n');
}

/** The changed lines of a hunk, with the context next to them; the place of what is left out has a mark. */
function near(hunk: readonly string[]): readonly string[] {
  const changed = hunk.map((line) => /^[-+\\]/.test(line));
  const stays = hunk.map((_, at) => changed.slice(Math.max(0, at - kept), at + kept + 1).includes(true));
  return hunk.flatMap((line, at) => {
    if (stays[at] === true) return [line];
    return stays[at - 1] === true && stays.includes(true, at) ? ['~'] : [];
  });
}

/** The headings of `git status`, and what they become. */
const headings: readonly (readonly [RegExp, string])[] = [
  [/^Changes to be committed:/, 'staged'],
  [/^Changes not staged for commit:/, 'not staged'],
  [/^Untracked files:/, 'untracked'],
  [/^Unmerged paths:/, 'unmerged'],
  [/^Ignored files:/, 'ignored'],
];

/**
 * `git status` without its hints: a line for the branch and for each state, and the files of each kind below one word.
 * @throws Error for what is no such status.
 */
export function shrinkGitStatus(output: string): string {
  if (!/^(?:On branch |HEAD detached |Not currently on any branch)/.test(output))
    throw new Error('The output does not begin with a branch.');
  return output
    .split('\n')
    .flatMap((line) => {
      const heading = headings.find(([form]) => form.test(line));
      if (heading !== undefined) return [`${heading[1]}:`];
      if (line.trim() === '' || /^\s*\((?:use|commit|all|fix) /.test(line)) return [];
      return [line.replace(/^\t/, '  ').replace(/^( {2}\S[^:]*:) +/, '$1 ')];
    })
    .join('\n');
}

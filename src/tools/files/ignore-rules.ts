import { matchesPath, type PathPattern, pathPattern } from './wildcard.ts';

/** A line of a `.gitignore`. */
interface IgnoreRule {
  /** Begins with `!`: takes back what a rule before it left out. */
  readonly negated: boolean;
  readonly folderOnly: boolean;
  readonly pattern: PathPattern;
}

/** The rules of one `.gitignore`, in its order. */
export type IgnoreRules = readonly IgnoreRule[];

/** Reads a `.gitignore` as git does: comments, `!`, a `/` at the start, in the middle or at the end, `**`, and white space at the end, which counts only after `\`. */
export function ignoreRules(text: string): IgnoreRules {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return lines.flatMap((line): IgnoreRule[] => {
    if (line.startsWith('#')) return [];
    const negated = line.startsWith('!');
    let rest = withoutBlankEnd(negated ? line.slice(1) : line);
    const folderOnly = rest.endsWith('/');
    if (folderOnly) rest = rest.slice(0, -1);
    // One that has a slash is about the path from its folder on, any other about a name at any depth.
    const fromHere = rest.includes('/');
    const pattern = rest === '' ? null : pathPattern(fromHere ? rest.replace(/^\//, '') : `**/${rest}`);
    return pattern === null ? [] : [{ negated, folderOnly, pattern }];
  });
}

/** What the rules of a folder say of a path below it, in its names: left out, taken back, or nothing (null). The last rule that speaks of it counts. */
export function leftOut(rules: IgnoreRules, names: readonly string[], isFolder: boolean): boolean | null {
  const rule = rules.findLast(({ folderOnly, pattern }) => (isFolder || !folderOnly) && matchesPath(pattern, names));
  return rule === undefined ? null : !rule.negated;
}

function withoutBlankEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}

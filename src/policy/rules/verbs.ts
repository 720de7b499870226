import type { Word } from '../shell/index.ts';

/** The options of git that stand before its verb and take the next word as their value. */
const gitValues: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
]);

/** The words behind a program as they stand and, for git, from its verb on: an option before it does not hide it. */
export function verbVariants(program: string, words: readonly Word[]): readonly (readonly Word[])[] {
  if (program !== 'git' || words[0]?.startsWith('-') !== true) return [words];
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at]) at += gitValues.has(word) ? 2 : 1;
  return [words, words.slice(at)];
}

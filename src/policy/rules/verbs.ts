import { gitVerbAt, programOf, type Word } from '../shell/index.ts';

/** The words behind a program as they stand and, for git, from its verb on: an option before it does not hide it. */
export function verbVariants(program: string, words: readonly Word[]): readonly (readonly Word[])[] {
  if (program !== 'git' || words[0]?.startsWith('-') !== true) return [words];
  return [words, words.slice(gitVerbAt(words))];
}

/** The words of a command as they stand and, for a verb of git that is a program of its own (`git-push`), as git is told it. */
export function spellings(words: readonly Word[]): readonly (readonly Word[])[] {
  const program = programOf(words[0] ?? '');
  return program.startsWith('git-') ? [words, ['git', program.slice(4), ...words.slice(1)]] : [words];
}

/** A word of a command; null: what it is, or how many it is, is known only when the command runs. */
export type Word = string | null;

/** `name=value` before a command, or alone. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** `2>file` and its like. Both ends may be descriptors; then no file is opened. */
export interface Redirect {
  readonly descriptor: number | null;
  readonly operator: string;
  readonly target: Word;
}

/** A simple command of bash: what it sets, its words, where its streams lead. */
export interface SimpleCommand {
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** What a command line does, piece by piece. What nobody need allow is `harmless`: a rule may still be about it. */
export type Part =
  /** A simple command. Its wrappers are parts of their own. */
  | { readonly type: 'command'; readonly text: string; readonly words: readonly Word[]; readonly harmless: boolean }
  /** A file that a redirect opens; the path is null when it is not known. `moved`: nobody knows which folder a relative one begins in. */
  | {
      readonly type: 'file';
      readonly text: string;
      readonly access: 'reads' | 'writes';
      readonly path: Word;
      readonly moved: boolean;
      readonly harmless: boolean;
    }
  | { readonly type: 'variable'; readonly text: string; readonly name: string; readonly harmless: boolean }
  /** What cannot be judged, and why, to be put after "it". Never allowed. */
  | { readonly type: 'unclear'; readonly text: string; readonly why: string };

/** The words as one could type them. */
export function shownWords(words: readonly Word[]): string {
  return words
    .map((word) => (word === null ? '…' : /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** The name of a program without its folder. */
export function programOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

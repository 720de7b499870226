import type { Word } from './command.ts';

/** The options of a program, so far as they are known: single letters, and names of long ones. */
export interface Options {
  /** Letters that stand alone. */
  readonly flags?: string;
  /** Letters that take a value, joined to them or as the next word. */
  readonly values?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
}

/** What was found of the options of a program. */
export interface FoundOptions {
  /** Where the words begin that are none. */
  readonly next: number;
  /** The values, by letter or long name. */
  readonly values: ReadonlyMap<string, string>;
  /** The letters and long names that stand alone. */
  readonly flags: ReadonlySet<string>;
}

/** Reads the options from `from` on, up to `--` or the first word that is none, or is not known; null where an option is not known. */
export function readOptions(words: readonly Word[], from: number, known: Options): FoundOptions | null {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? null;
    if (word === '--') return { next: at + 1, values, flags };
    if (word?.startsWith('-') !== true || word === '-') return { next: at, values, flags };
    const value = word.startsWith('--') ? readLong(word, known, flags) : readLetters(word, known, flags);
    if (value === null) return null;
    if (value === undefined) continue;
    if (value.text === null) at += 1;
    const text = value.text ?? words[at] ?? null;
    if (text === null) return null;
    values.set(value.name, text);
  }
  return { next: words.length, values, flags };
}

/** An option that takes a value; text null: the value is the next word. */
interface Valued {
  readonly name: string;
  readonly text: string | null;
}

/** Null: not known. Undefined: known, and without a value. */
function readLong(word: string, { longFlags = [], longValues = [] }: Options, flags: Set<string>): Valued | null | undefined {
  const equals = word.indexOf('=');
  const name = word.slice(2, equals < 0 ? undefined : equals);
  if (longValues.includes(name)) return { name, text: equals < 0 ? null : word.slice(equals + 1) };
  if (!longFlags.includes(name)) return null;
  flags.add(name);
  return undefined;
}

function readLetters(word: string, { flags: alone = '', values = '' }: Options, flags: Set<string>): Valued | null | undefined {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    if (values.includes(letter)) return { name: letter, text: at + 1 < word.length ? word.slice(at + 1) : null };
    if (!alone.includes(letter)) return null;
    flags.add(letter);
  }
  return undefined;
}

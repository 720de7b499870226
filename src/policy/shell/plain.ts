import type { Assignment, Redirect, SimpleCommand } from './command.ts';

/** What begins something else than a simple command. */
const reserved: ReadonlySet<string> = new Set(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
);

/** Space, and what may stand in a word without quotes: nothing that any shell expands, joins or obeys. */
const blank = /[ \t]*/y;
const lines = /[ \t\n]*/y;
const bare = /[A-Za-z0-9_@%+=:,./-]+/y;
const single = /'((?:[^'\p{Cc}]|[\n\t])*)'/uy;
const double = /"((?:[^"$`\\!\p{Cc}]|[\n\t])*)"/uy;
const redirect = /(\d{0,3})(>>|>&|<&|>|<)/y;
const separator = /(?:&&|\|\||[;|\n])/y;
const assigned = /^([A-Za-z_][A-Za-z0-9_]*)=/;

/**
 * The simple commands of a command line that has nothing but plain words, quotes without expansion, pipes, lists and redirects, in their order; null for
 * anything else. It knows no bash, on purpose: what it takes, every shell takes alike, and it is the second opinion on what the parser of bash has read.
 */
export function readPlain(source: string): readonly SimpleCommand[] | null {
  return new PlainReader(source).commands();
}

class PlainReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  commands(): readonly SimpleCommand[] | null {
    const commands: SimpleCommand[] = [];
    this.#take(lines);
    for (;;) {
      const command = this.#command();
      if (command === null) return null;
      commands.push(command);
      const between = this.#take(separator);
      if (between === null) break;
      const mayEnd = between[0] === ';' || between[0] === '\n';
      this.#take(lines);
      if (mayEnd && this.#at === this.#source.length) break;
    }
    return this.#at === this.#source.length ? commands : null;
  }

  #command(): SimpleCommand | null {
    const assignments: Assignment[] = [];
    const words: string[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#take(blank);
      const led = this.#redirect();
      if (led === null) return null;
      if (led !== undefined) {
        redirects.push(led);
        continue;
      }
      const word = this.#word();
      if (word === null) break;
      const [begin, name] = words.length === 0 ? (assigned.exec(word.bare) ?? []) : [];
      if (words.length === 0 && begin === undefined && isOdd(word)) return null;
      if (begin !== undefined && name !== undefined) assignments.push({ name, value: word.text.slice(begin.length) });
      else words.push(word.text);
    }
    return assignments.length + words.length + redirects.length === 0 ? null : { assignments, words, redirects };
  }

  /** Undefined when none stands here, null when what stands here cannot be read. */
  #redirect(): Redirect | null | undefined {
    const found = this.#take(redirect);
    if (found === null) return undefined;
    const [, digits = '', operator = ''] = found;
    this.#take(blank);
    const target = this.#word();
    const wanted = operator.endsWith('&') ? /^\d{1,3}$/ : /^./s;
    if (target === null || !wanted.test(target.text)) return null;
    return { descriptor: digits === '' ? null : Number(digits), operator, target: target.text };
  }

  /** A word, and what of it stands before its first quote. */
  #word(): { readonly text: string; readonly bare: string } | null {
    const begin = this.#at;
    let text = '';
    let first: string | null = null;
    for (;;) {
      const plain = this.#take(bare);
      if (plain !== null) text += plain[0];
      first ??= text;
      const quoted = this.#take(single) ?? this.#take(double);
      if (quoted !== null) text += quoted[1] ?? '';
      if (plain === null && quoted === null) return this.#at === begin ? null : { text, bare: first };
    }
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}

/** The first word of a command may be no word of the language, no job and no `name+=value`. */
function isOdd({ text, bare }: { readonly text: string; readonly bare: string }): boolean {
  return text === '' || text.startsWith('%') || reserved.has(text) || /^[A-Za-z_][A-Za-z0-9_]*\+=/.test(bare);
}

import { type BashReading, type FoundCommand, readBash } from './bash.ts';
import { type Part, programOf, type Redirect, shownWords, type SimpleCommand, type Word } from './command.ts';
import { holdsSettings } from './git.ts';
import { isHarmlessVariable } from './variables.ts';
import { readPlain } from './plain.ts';
import { unwrap } from './wrappers.ts';

/** Longer command lines are not read, in characters; and no deeper is looked into wrappers and the texts that shells are given. */
const longest = 100_000;
const deepest = 8;

/** The most of the source that a part shows, in characters. */
const shown = 200;

/**
 * What a command line does, piece by piece, with all that its wrappers, substitutions and nested shells do. What of it is not wholly understood is `unclear`
 * (POL-05): so is everything that the parser of bash and the plain reader do not read alike.
 */
export function readShell(source: string): readonly Part[] {
  const parts = new Parts();
  parts.line(source, 0);
  return parts.done();
}

class Parts {
  readonly #parts: Part[] = [];
  #moved = false;

  done(): readonly Part[] {
    if (this.#parts.every((part) => part.type !== 'unclear' && part.harmless)) this.#doubt('', 'has no command in it');
    const moved = this.#moved || this.#parts.some(movesElsewhere);
    return this.#parts.map((part) => (part.type === 'file' ? { ...part, moved } : part));
  }

  line(source: string, depth: number): void {
    if (source.length > longest) return this.#doubt(source, 'is too long to be read');
    const bash = readBash(source);
    for (const command of bash.commands) this.#command(command, depth);
    for (const redirect of bash.around) this.#redirect(redirect);
    const doubt =
      bash.doubts[0] ?? (agree(bash, readPlain(source)) ? null : 'has more in it than plain words, quotes, pipes and lists');
    if (doubt !== null) this.#doubt(source, doubt);
  }

  #command({ text, assignments, words, redirects }: FoundCommand, depth: number): void {
    for (const { name } of assignments) this.#variable(name);
    for (const redirect of redirects) this.#redirect(redirect);
    if (words.length > 0) this.#words(words, text, depth);
  }

  #words(words: readonly Word[], text: string, depth: number): void {
    const [name = null] = words;
    if (name === null) return this.#doubt(text, 'runs something that is known only when it runs');
    const wrapped = unwrap(words);
    const harmless = wrapped !== null && !wrapped.counts;
    this.#parts.push({ type: 'command', text: cut(text), words, harmless });
    if (wrapped === null) return;
    this.#moved ||= wrapped.moves;
    for (const variable of wrapped.variables) this.#variable(variable);
    if (depth >= deepest) return this.#doubt(text, 'is nested too deep to be read');
    for (const inner of wrapped.commands) this.#words(inner, shownWords(inner), depth + 1);
    for (const script of wrapped.scripts) this.line(script, depth + 1);
    if (wrapped.doubt !== null) this.#doubt(text, wrapped.doubt);
  }

  #variable(name: string): void {
    this.#parts.push({ type: 'variable', text: `${name}=`, name, harmless: isHarmlessVariable(name) });
    if (holdsSettings(name)) this.#doubt(`${name}=`, 'gives git settings that may change what it runs');
  }

  #redirect({ operator, target }: Redirect): void {
    // Between descriptors no file is opened.
    if (/^[<>]&$/.test(operator) && target !== null && /^(?:\d+-?|-)$/.test(target)) return;
    const access = operator.startsWith('<') && operator !== '<>' ? 'reads' : 'writes';
    this.#parts.push({
      type: 'file',
      text: cut(`${operator} ${target ?? '…'}`),
      access,
      path: target,
      moved: false,
      harmless: target === '/dev/null',
    });
  }

  #doubt(text: string, why: string): void {
    this.#parts.push({ type: 'unclear', text: cut(text), why });
  }
}

/** Whether both readers found the same simple commands, and the parser of bash nothing else. */
function agree({ flat, commands }: BashReading, plain: readonly SimpleCommand[] | null): boolean {
  return flat && plain !== null && canonical(commands) === canonical(plain);
}

function canonical(commands: readonly SimpleCommand[]): string {
  return JSON.stringify(
    commands.map(({ assignments, words, redirects }) => [
      assignments.map(({ name, value }) => [name, value]),
      words,
      redirects.map(({ descriptor, operator, target }) => [descriptor, operator, target]),
    ]),
  );
}

const movers: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);

/** After one of these nobody knows which folder a path begins in. */
function movesElsewhere(part: Part): boolean {
  return part.type === 'command' && movers.has(programOf(part.words[0] ?? ''));
}

function cut(text: string): string {
  return text.length > shown ? `${text.slice(0, shown - 1).toWellFormed()}…` : text;
}

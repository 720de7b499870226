import * as z from 'zod';
import { type Call, Cancelled, type Clock, errorResult, textResult, type Tool, tool } from '../../core/index.ts';
import { meaningless } from './glob.ts';
import { type GlobMatcher, globMatcher } from './glob-pattern.ts';
import { blockOf, type Hit } from './grep-block.ts';
import { LeftOut } from './left-out.ts';
import { fileLimits } from './limits.ts';
import { type LineFinder, lineFinder } from './line-finder.ts';
import type { FileEntry, Workspace } from './port.ts';
import { decode, isBinary } from './raw.ts';
import { refusal } from './refuse.ts';
import { counted, sizeText } from './size.ts';
import { type Place, placeOf, type Step, walk } from './walk.ts';

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(fileLimits.patternLength)
    .describe('What to search for in each line: a regular expression in the syntax of RE2.'),
  path: z.string().optional().describe('The folder or file to search in. Left out: the whole project.'),
  glob: z
    .string()
    .min(1)
    .max(fileLimits.patternLength)
    .optional()
    .describe('Only files whose path below the folder matches, as in *.ts or src/**/*.{ts,tsx}.'),
  ignore_case: z.boolean().optional().describe('Upper and lower case are the same.'),
  literal: z.boolean().optional().describe('The pattern is a plain text.'),
  context: z.int().min(0).max(fileLimits.contextLines).optional().describe('How many lines before and after each match to show.'),
  limit: z
    .int()
    .min(1)
    .max(fileLimits.matchesCeiling)
    .optional()
    .describe(`How many matching lines to show, ${fileLimits.matches} if left out.`),
  ignored: z.boolean().optional().describe('Also files that a .gitignore leaves out.'),
});

/** The tool `grep {pattern, …}`: the lines that match, by file, each as a window around the match. It searches in linear time and within a budget (FILES-11). */
export function grepTool(files: Workspace, clock: Clock): Tool {
  return tool({
    name: 'grep',
    description:
      'Searches the text files of the project line by line and gives, for each file, the numbers and texts of the lines that match. The pattern is a regular expression without look-around and back-references, ' +
      'which are refused because such searches may never end. Of a long line the part around the match is shown. ' +
      `At most ${fileLimits.matches} matching lines, or limit, and ${sizeText(fileLimits.shownBytes)} are shown; what was left out is said. Not searched: binary files, files above ${sizeText(fileLimits.editBytes)}, .git, ` +
      'and files that a .gitignore leaves out, unless ignored is true or path leads there. A path outside the project is refused.',
    input,
    hints: { readOnly: true, idempotent: true },
    async call(
      {
        pattern,
        path: given,
        glob,
        ignore_case = false,
        literal = false,
        context = 0,
        limit = fileLimits.matches,
        ignored = false,
      },
      call,
    ) {
      const find = lineFinder(pattern, { ignoreCase: ignore_case, literal });
      if (typeof find === 'string') return errorResult(find);
      const wanted = glob === undefined ? () => true : globMatcher(glob);
      if (wanted === null) return errorResult(meaningless(glob ?? ''));
      const place = await placeOf(files, given);
      if (!place.ok) return refusal(place.problem);
      const left = new LeftOut();
      const search = new Search({ files, clock, call, find, context, limit });
      for await (const step of stepsOf(files, place.value, ignored, clock, call)) {
        left.add(step);
        if (!(await search.through(step.entries.filter((entry) => entry.kind === 'file' && fits(entry, place.value, wanted)))))
          break;
      }
      const lines = [...search.blocks.map((block) => block.join('\n')), [...search.notes(), ...left.notes()].join('\n')];
      return textResult(lines.filter((text) => text !== '').join('\n\n'), {
        value: { matches: search.matches, files: search.found },
      });
    },
  });
}

/** One file that was named outright, or everything below a folder. */
async function* stepsOf(
  files: Workspace,
  { path, file }: Place,
  all: boolean,
  clock: Clock,
  call: Call,
): AsyncGenerator<Step, void, undefined> {
  if (file === null) yield* walk(files, path, all, clock, call);
  else yield { entries: [file], leftOut: [] };
}

function fits(entry: FileEntry, { path, file }: Place, wanted: GlobMatcher): boolean {
  return file !== null || wanted(entry.path.slice(path === '' ? 0 : path.length + 1).split('/'));
}

interface SearchInit {
  readonly files: Workspace;
  readonly clock: Clock;
  readonly call: Call;
  readonly find: LineFinder;
  readonly context: number;
  readonly limit: number;
}

/** How much is searched before others have their turn, in characters. */
const stretch = 65_536;

/** A search on its way: what it found, and what it passed over. */
class Search {
  readonly blocks: (readonly string[])[] = [];
  readonly found: string[] = [];
  matches = 0;
  readonly #init: SearchInit;
  readonly #large: string[] = [];
  #searched = 0;
  #bytes = 0;
  #shown = 0;
  #end: string | null = null;

  constructor(init: SearchInit) {
    this.#init = init;
  }

  /** Searches these files; false when the search is over before all were searched. */
  async through(entries: readonly FileEntry[]): Promise<boolean> {
    for (const entry of entries) {
      if (this.#end !== null) return false;
      if (entry.size > fileLimits.editBytes) this.#large.push(entry.path);
      else if (this.#bytes + entry.size > fileLimits.searchBytes)
        this.#end = `${sizeText(fileLimits.searchBytes)} were searched: give a path or a glob to search the rest`;
      else await this.#file(entry);
    }
    return this.#end === null;
  }

  /** What the model must know beside the matches, a line each. */
  notes(): readonly string[] {
    const notes: string[] = [];
    if (this.matches === 0 && this.#end === null) notes.push(`[No line matches, in ${counted(this.#searched, 'file')}.]`);
    if (this.#end !== null) notes.push(`[The search ended early: ${this.#end}.]`);
    const [first] = this.#large;
    if (first !== undefined)
      notes.push(`[Too large to be searched: ${first}${this.#large.length > 1 ? ` and ${this.#large.length - 1} more` : ''}.]`);
    return notes;
  }

  async #file(entry: FileEntry): Promise<void> {
    const { files, context } = this.#init;
    const read = await files.read(entry.path);
    this.#bytes += entry.size;
    // It may have gone since it was listed.
    if (!read.ok || isBinary(read.value.bytes)) return;
    this.#searched += 1;
    const lines = decode(read.value.bytes)
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    const hits = await this.#hits(lines);
    if (hits.length === 0) return;
    const block = blockOf(entry.path, lines, hits, context, fileLimits.lineLength);
    const room = fileLimits.shownBytes - this.#shown;
    const fitting = fittingLines(block, room);
    this.#shown += sizeOf(block);
    this.found.push(entry.path);
    this.matches += hits.length;
    this.blocks.push(fitting);
    if (fitting.length < block.length)
      this.#end = `${sizeText(fileLimits.shownBytes)} are shown: narrow the pattern, the path or the glob`;
    else if (this.matches >= this.#init.limit)
      this.#end = `${counted(this.matches, 'matching line')} are shown: narrow the search, or raise limit (at most ${fileLimits.matchesCeiling})`;
  }

  async #hits(lines: readonly string[]): Promise<readonly Hit[]> {
    const { find, limit, clock, call } = this.#init;
    const hits: Hit[] = [];
    let since = 0;
    for (const [line, text] of lines.entries()) {
      const match = find(text);
      if (match !== null) hits.push({ line, ...match });
      if (this.matches + hits.length >= limit) break;
      since += text.length + 1;
      if (since < stretch) continue;
      since = 0;
      await clock.sleep(0, call.signal);
      if (call.isCancelled()) throw new Cancelled();
    }
    return hits;
  }
}

function fittingLines(lines: readonly string[], room: number): readonly string[] {
  let size = 0;
  const end = lines.findIndex((line) => (size += sizeOf([line])) > room);
  return end < 0 ? lines : lines.slice(0, end);
}

/** Bytes of UTF-8, line ends included. */
function sizeOf(lines: readonly string[]): number {
  return new TextEncoder().encode(lines.join('\n')).length + 1;
}

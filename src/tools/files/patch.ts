/** A line of a hunk: kept, removed or added. */
export interface HunkLine {
  readonly type: 'keep' | 'remove' | 'add';
  readonly text: string;
}

/** One place of a file that a patch changes. */
export interface Hunk {
  /** Lines that stand before the place, one after the other, each below the last: they say which of several like places is meant. */
  readonly headers: readonly string[];
  readonly lines: readonly HunkLine[];
  /** The hunk ends where the file ends. */
  readonly atEnd: boolean;
}

/** What a patch does to one file. Paths are as given. */
export type Section =
  | { readonly type: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly moveTo: string | null; readonly hunks: readonly Hunk[] };

/** The files of a patch, or what is wrong with it: a sentence that names the line. */
export type Parsed =
  | { readonly ok: true; readonly sections: readonly Section[] }
  | { readonly ok: false; readonly message: string };

/** The envelope that models know from Codex (FILES-05). */
const marks = {
  begin: '*** Begin Patch',
  end: '*** End Patch',
  add: '*** Add File: ',
  delete: '*** Delete File: ',
  update: '*** Update File: ',
  move: '*** Move to: ',
  endOfFile: '*** End of File',
} as const;

/** Reads a patch. White space behind marks and around the whole does no harm, and neither does a patch whose own lines end in CRLF. */
export function parsePatch(text: string): Parsed {
  try {
    return { ok: true, sections: new PatchReader(text).sections() };
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, message: error.message };
    throw error;
  }
}

/** The paths that a patch names, those that files move to with them; null where it cannot be read. */
export function patchPaths(text: string): readonly string[] | null {
  const parsed = parsePatch(text);
  if (!parsed.ok) return null;
  return parsed.sections.flatMap((section) =>
    section.type === 'update' && section.moveTo !== null ? [section.path, section.moveTo] : [section.path],
  );
}

class Malformed extends Error {}

class PatchReader {
  readonly #lines: readonly string[];
  /** For each line, the first at or behind it that is not empty. */
  readonly #filled: readonly number[];
  #at: number;

  constructor(text: string) {
    const lines = text.split('\n');
    const begin = lines.findIndex((line) => line.trim() !== '');
    const crlf = lines[begin]?.endsWith('\r') === true;
    this.#lines = crlf ? lines.map((line) => line.replace(/\r$/, '')) : lines;
    this.#filled = filledFrom(this.#lines);
    this.#at = Math.max(0, begin);
  }

  sections(): readonly Section[] {
    if (this.#mark() !== marks.begin) this.#fail(`the patch must begin with the line "${marks.begin}"`);
    this.#at += 1;
    const sections: Section[] = [];
    while (this.#mark() !== marks.end) sections.push(this.#section());
    const rest = this.#lines.findIndex((line, at) => at > this.#at && line.trim() !== '');
    if (rest >= 0) {
      this.#at = rest;
      this.#fail(`nothing may follow "${marks.end}"`);
    }
    if (sections.length === 0) this.#fail('the patch changes no file');
    return sections;
  }

  #section(): Section {
    const line = this.#line();
    if (line === undefined) return this.#fail(`the patch must end with the line "${marks.end}"`);
    const [add, removed, update] = [after(line, marks.add), after(line, marks.delete), after(line, marks.update)];
    if (add === '' || removed === '' || update === '') this.#fail('here a path is missing');
    this.#at += 1;
    if (add !== null) return { type: 'add', path: add, lines: this.#added() };
    if (removed !== null) return { type: 'delete', path: removed };
    if (update !== null) return this.#update(update);
    this.#at -= 1;
    return this.#fail(`here must stand "${marks.add}<path>", "${marks.update}<path>", "${marks.delete}<path>" or "${marks.end}"`);
  }

  #added(): readonly string[] {
    const lines: string[] = [];
    while (!this.#sectionEnds()) {
      const line = this.#line() ?? '';
      if (!line.startsWith('+')) this.#fail('each line of an added file begins with +');
      lines.push(line.slice(1));
      this.#at += 1;
    }
    return lines;
  }

  #update(path: string): Section {
    const moveTo = after(this.#line() ?? '', marks.move);
    if (moveTo === '') this.#fail('here a path is missing');
    if (moveTo !== null) this.#at += 1;
    const hunks: Hunk[] = [];
    while (!this.#sectionEnds()) hunks.push(this.#hunk(hunks.length));
    if (hunks.length === 0 && moveTo === null) this.#fail(`the section of ${path} has no hunk: what is to change in it?`);
    return { type: 'update', path, moveTo, hunks };
  }

  #hunk(before: number): Hunk {
    const headers: string[] = [];
    let opened = before === 0;
    for (let header = headerIn(this.#line()); header !== null; header = headerIn(this.#line())) {
      if (header !== '') headers.push(header);
      opened = true;
      this.#at += 1;
    }
    if (!opened) this.#fail('a further hunk begins with a line @@');
    const lines: HunkLine[] = [];
    while (!this.#sectionEnds() && headerIn(this.#line()) === null) {
      lines.push(this.#hunkLine());
      this.#at += 1;
    }
    const atEnd = this.#mark() === marks.endOfFile;
    if (atEnd) this.#at += 1;
    if (lines.length === 0) this.#fail('this hunk has no lines');
    if (lines.every(({ type }) => type === 'keep'))
      this.#fail('this hunk changes nothing: a line that is removed begins with -, one that is added with +');
    return { headers, lines, atEnd };
  }

  #hunkLine(): HunkLine {
    const line = this.#line() ?? '';
    const text = line.slice(1);
    switch (line[0]) {
      // Models leave the blank out where the line is empty.
      case undefined:
        return { type: 'keep', text: '' };
      case '\r':
        return { type: 'keep', text: line };
      case ' ':
        return { type: 'keep', text };
      case '-':
        return { type: 'remove', text };
      case '+':
        return { type: 'add', text };
      default:
        return this.#fail('each line of a hunk begins with a blank (kept), - (removed) or + (added)');
    }
  }

  #line(): string | undefined {
    return this.#lines[this.#at];
  }

  #mark(): string | undefined {
    return this.#line()?.trim();
  }

  /** Whether a mark comes next: lines of a file begin with a blank, + or -. Empty lines before it belong to nothing and are passed over. */
  #sectionEnds(): boolean {
    const next = this.#filled[this.#at] ?? this.#lines.length;
    const line = this.#lines[next];
    if (line !== undefined && !line.startsWith('*** ')) return false;
    this.#at = next;
    return true;
  }

  #fail(what: string): never {
    const line = this.#line();
    const found = line === undefined ? 'but the patch ends there' : `and not ${JSON.stringify(line.slice(0, 100))}`;
    throw new Malformed(`The patch cannot be read, line ${this.#at + 1}: ${what}, ${found}.`);
  }
}

function filledFrom(lines: readonly string[]): readonly number[] {
  const filled: number[] = Array.from({ length: lines.length });
  let next = lines.length;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    if (lines[at] !== '' && lines[at] !== '\r') next = at;
    filled[at] = next;
  }
  return filled;
}

function after(line: string, mark: string): string | null {
  return line.startsWith(mark.trimEnd()) ? line.slice(mark.length).trim() : null;
}

/** The text of a line `@@ text`; of one as in unified diffs, `@@ -1,2 +1,3 @@ text`, without the numbers, which models invent. Null for any other line. */
function headerIn(line: string | undefined): string | null {
  if (line === undefined || !/^@@(?:\s|$)/.test(line)) return null;
  return line
    .slice(2)
    .replace(/^ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/, '')
    .replace(/^ /, '')
    .trimEnd();
}

import { plainLine } from './alike.ts';
import { type Line, type LineEnd, linesOf } from './lines.ts';
import { occurrences } from './occurrences.ts';
import type { Hunk } from './patch.ts';
import { type Raw, rawBom, rawText, textOfRaw } from './raw.ts';
import { shownLine } from './shown-line.ts';

/** The new content, or why a hunk does not fit: which one, from 1, and a sentence about it. */
export type Applied =
  | { readonly ok: true; readonly raw: Raw }
  | { readonly ok: false; readonly hunk: number; readonly message: string };

/** How many lines of a hunk are compared to say where it differs. */
const compared = 50;

/** How lines of a patch are compared with lines of the file: exactly, else without white space at their end and with plain quotation marks and dashes. */
const comparisons: readonly ((line: string) => string)[] = [(line) => line, plainLine];

/** How a header may name a line: it is the line, but for white space around it, or begins it. */
const namings: readonly ((line: string, header: string) => boolean)[] = [
  (line, header) => line.trimEnd() === header,
  (line, header) => line.trim() === header.trim(),
  (line, header) => line.trim().startsWith(header.trim()),
];

/** The text lines of a file, and what they are for each comparison, made once. */
class Texts {
  readonly lines: readonly string[];
  readonly #made = new Map<(line: string) => string, readonly string[]>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  by(compare: (line: string) => string): readonly string[] {
    const made = this.#made.get(compare) ?? this.lines.map(compare);
    this.#made.set(compare, made);
    return made;
  }
}

/**
 * Applies the hunks to a file, in their order. Lines that a hunk keeps stay as the file has them, so that only what it removes and adds changes; line ends, a byte
 * order mark and a missing last line end are the file's (FILES-12). A hunk that fits in several places and has no header is refused, since nobody could say which
 * is meant; with headers it is the first place after them.
 */
export function applyHunks(raw: Raw, hunks: readonly Hunk[]): Applied {
  const bom = raw.startsWith(rawBom) ? rawBom : '';
  const lines = linesOf(raw.slice(bom.length));
  const texts = new Texts(lines.map(({ text }) => textOfRaw(text)));
  const usual = lines[0]?.end || '\n';
  const out: Line[] = [];
  let done = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(texts, hunk, done);
    if (typeof place === 'string') return { ok: false, hunk: index + 1, message: place };
    for (const line of lines.slice(done, place)) out.push(line);
    done = place + weave(lines, place, hunk, usual, out);
  }
  for (const line of lines.slice(done)) out.push(line);
  const open = lines.at(-1)?.end === '';
  return { ok: true, raw: bom + joined(out, open, usual) };
}

/** Appends what a hunk makes of the lines from `place` on; gives how many of them it used. */
function weave(lines: readonly Line[], place: number, hunk: Hunk, usual: LineEnd, out: Line[]): number {
  let at = place;
  // Line ends of removed lines, which the lines added for them take over one by one.
  let freed: LineEnd[] = [];
  for (const { type, text } of hunk.lines) {
    if (type === 'add') {
      const explicit = text.endsWith('\r');
      const end = explicit ? '\r\n' : freed.shift() || out.at(-1)?.end || usual;
      out.push({ text: rawText(explicit ? text.slice(0, -1) : text), end });
      continue;
    }
    const line = lines[at];
    at += 1;
    if (line === undefined) continue;
    if (type === 'remove') freed.push(line.end);
    else {
      freed = [];
      out.push(line);
    }
  }
  return at - place;
}

/** Only the last line may lack its end, and does so where it did before. */
function joined(lines: readonly Line[], open: boolean, usual: LineEnd): Raw {
  const last = lines.length - 1;
  return lines.map(({ text, end }, at) => text + (at === last && open ? '' : end || usual)).join('');
}

/** Where the lines that a hunk keeps and removes begin in the file; a sentence when that is no place, or not one. */
function placeOf(texts: Texts, hunk: Hunk, from: number): number | string {
  let [start, behind] = [from, from];
  for (const header of hunk.headers) {
    const found = headerAt(texts.lines, header, behind);
    if (typeof found === 'string') return found;
    // The hunk may say the header's line again.
    [start, behind] = [found, found + 1];
  }
  const sought = hunk.lines.filter(({ type }) => type !== 'add').map(({ text }) => text.replace(/\r$/, ''));
  if (sought.length === 0) return hunk.headers.length > 0 && !hunk.atEnd ? behind : texts.lines.length;
  for (const compare of comparisons) {
    const wanted = sought.map(compare);
    const places = occurrences(texts.by(compare), wanted, start).filter(
      (place) => !hunk.atEnd || place + wanted.length === texts.lines.length,
    );
    const [place] = places;
    if (place === undefined) continue;
    if (places.length === 1 || hunk.headers.length > 0) return place;
    const numbers = places.slice(0, 10).map((at) => at + 1);
    return `its lines stand in ${places.length} places (lines ${numbers.join(', ')}): add kept lines around them, or a header line @@ with a line that stands before the place.`;
  }
  return notThere(texts, sought, hunk, start);
}

/** The first line from `from` on that a header names; a sentence when there is none. In what way it names lines the whole file decides. */
function headerAt(lines: readonly string[], header: string, from: number): number | string {
  const named = JSON.stringify(shownLine(header));
  const naming = namings.find((one) => lines.some((line) => one(line, header)));
  if (naming === undefined) return `its header line ${named} is not in the file.`;
  const found = lines.findIndex((line, at) => at >= from && naming(line, header));
  return found < 0
    ? `its header line ${named} stands only before line ${from + 1}: put the hunks in the order of the file.`
    : found;
}

function notThere(texts: Texts, sought: readonly string[], hunk: Hunk, from: number): string {
  const lines = JSON.stringify(shownLine(sought[0] ?? ''));
  if (hunk.atEnd) return `its lines, from ${lines} on, are not the last of the file, as "*** End of File" says.`;
  const elsewhere = comparisons.some((compare) => occurrences(texts.by(compare), sought.map(compare)).length > 0);
  if (elsewhere)
    return `its lines, from ${lines} on, stand only before line ${from + 1}: put the hunks in the order of the file.`;
  return `its kept and removed lines are not in the file like this. ${firstDifference(texts.lines, sought, from)}`;
}

/** Where the hunk fits longest, and the first line that does not. */
function firstDifference(texts: readonly string[], sought: readonly string[], from: number): string {
  let [best, length] = [-1, 0];
  const wanted = sought.slice(0, compared).map((line) => line.trim());
  for (let at = from; at < texts.length; at += 1) {
    let same = 0;
    while (same < wanted.length && texts[at + same]?.trim() === wanted[same]) same += 1;
    if (same > length) [best, length] = [at, same];
  }
  if (best < 0) return `Its first line is ${JSON.stringify(shownLine(sought[0] ?? ''))}: read the file again.`;
  const exact = sought.findIndex((line, index) => texts[best + index]?.trimEnd() !== line.trimEnd());
  const line = best + Math.max(0, exact);
  const there = texts[line] === undefined ? 'the file ends' : `the file has ${JSON.stringify(shownLine(texts[line]))}`;
  return `At line ${line + 1} ${there}, the hunk ${JSON.stringify(shownLine(sought[line - best] ?? ''))}.`;
}

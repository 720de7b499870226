import type { Raw } from './raw.ts';

/** How a line ends; `''` for a last line that nothing ends. */
export type LineEnd = '' | '\n' | '\r\n';

/** A line and what ends it. A CR alone ends no line. */
export interface Line {
  readonly text: Raw;
  readonly end: LineEnd;
}

/** The lines of a text; none of an empty one, and none after the last line end. */
export function linesOf(raw: Raw): readonly Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < raw.length;) {
    const feed = raw.indexOf('\n', at);
    if (feed < 0) {
      lines.push({ text: raw.slice(at), end: '' });
      break;
    }
    const crlf = feed > at && raw[feed - 1] === '\r';
    lines.push({ text: raw.slice(at, crlf ? feed - 1 : feed), end: crlf ? '\r\n' : '\n' });
    at = feed + 1;
  }
  return lines;
}

/** The number of the line that holds this place, from 1. */
export function lineAt(raw: Raw, place: number): number {
  let line = 1;
  for (let feed = raw.indexOf('\n'); feed >= 0 && feed < place; feed = raw.indexOf('\n', feed + 1)) line += 1;
  return line;
}

/** A part of a line, and where it was cut. */
const mark = '…';

/**
 * A line that is no longer than `length` characters, marks included: of a longer one the part around [start, end), cut at code points, so that what was looked for
 * is seen (FILES-11).
 */
export function excerptOf(line: string, start: number, end: number, length: number): string {
  if (line.length <= length) return line;
  const room = length - 2 * mark.length;
  const width = Math.min(end - start, room);
  const lead = Math.min(Math.floor((room - width) / 2), start);
  let from = Math.min(start - lead, line.length - room);
  let to = from + room;
  if (inside(line, from)) from += 1;
  if (inside(line, to)) to -= 1;
  return `${from > 0 ? mark : ''}${line.slice(from, to)}${to < line.length ? mark : ''}`;
}

/** Whether a place is between the halves of a character. */
function inside(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1)) && at > 0;
}

import { decode, wholeCharacters } from './raw.ts';

/** A part of a text file that is shown. */
export interface Page {
  /** As shown: `\n` for each line end. */
  readonly text: string;
  readonly lines: number;
  /** How many bytes of the file it is. */
  readonly bytes: number;
  /** Is it no more than a piece of a line that is too long to show? */
  readonly cut: boolean;
  /** Does the file go on after it? */
  readonly more: boolean;
  /** Which of its lines end in CRLF. */
  readonly crlf: 'all' | 'some' | 'none';
  /** Are there bytes that are no UTF-8, shown as U+FFFD? */
  readonly damaged: boolean;
}

/** How much of a text a page may hold. */
export interface PageSize {
  readonly lines: number;
  readonly bytes: number;
}

/** The longest page, by whole lines, at the start of `bytes`; `more` tells that the file goes on after them. A line that is longer than a page is cut at a code point. */
export function pageOf(bytes: Uint8Array, more: boolean, size: PageSize): Page {
  let [end, lines] = [0, 0];
  while (lines < size.lines && end < bytes.length) {
    const feed = bytes.indexOf(10, end);
    if (feed < 0 && more) break;
    const next = feed < 0 ? bytes.length : feed + 1;
    if (next > size.bytes) break;
    [end, lines] = [next, lines + 1];
  }
  const cut = end === 0 && bytes.length > 0;
  if (cut) [end, lines] = [wholeCharacters(bytes, size.bytes), 1];
  const text = decode(bytes.subarray(0, end));
  const feeds = text.split('\n').length - 1;
  const crlfs = text.split('\r\n').length - 1;
  return {
    text: text.replaceAll('\r\n', '\n'),
    lines,
    bytes: end,
    cut,
    more: more || end < bytes.length,
    crlf: crlfs === 0 ? 'none' : crlfs === feeds ? 'all' : 'some',
    damaged: text.includes('\uFFFD') && new TextEncoder().encode(text).length !== end,
  };
}

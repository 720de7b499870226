import type { LineEnd } from './lines.ts';
import { occurrences } from './occurrences.ts';
import { type Raw, rawText } from './raw.ts';

/** The new content, or where the search text stands when that is not one place: offsets in the text that was searched. */
export type Replaced =
  | { readonly ok: true; readonly raw: Raw }
  | { readonly ok: false; readonly places: readonly number[]; readonly searched: Raw };

/**
 * Replaces the one place where `search` stands (FILES-04, WORK-04). The comparison is exact, indentation included, and the replacement literal (WORK-08). Line
 * ends are the file's: where `search` has no CR its line breaks match CRLF too, and where neither has one the line breaks of `replace` become those of the place.
 */
export function replaceOnce(raw: Raw, search: string, replace: string): Replaced {
  const asShown = !search.includes('\r');
  const searched = asShown ? raw.replaceAll('\r\n', '\n') : raw;
  const needle = rawText(search);
  // Places that overlap count too: each is one that could be meant.
  const places = occurrences(searched, needle);
  const [place] = places;
  if (place === undefined || places.length > 1) return { ok: false, places, searched };
  const start = asShown ? sourceOf(raw, place) : place;
  const end = asShown ? sourceOf(raw, place + needle.length) : place + needle.length;
  const literal = rawText(replace);
  const text = asShown && !replace.includes('\r') ? withEnds(literal, raw, start, end) : literal;
  return { ok: true, raw: raw.slice(0, start) + text + raw.slice(end) };
}

/** Where in the source stands what is at `place` of the source with LF for each CRLF; for a line end its first byte. */
function sourceOf(source: Raw, place: number): number {
  let removed = 0;
  for (let at = source.indexOf('\r\n'); at >= 0 && at - removed < place; at = source.indexOf('\r\n', at + 2)) removed += 1;
  return place + removed;
}

/** The replacement with the line ends of the span it replaces, one by one, and then as the file goes on. */
function withEnds(text: Raw, raw: Raw, start: number, end: number): Raw {
  if (!text.includes('\n')) return text;
  const ends = (raw.slice(start, end).match(/\r?\n/g) ?? []).map((found): LineEnd => (found === '\n' ? '\n' : '\r\n'));
  const last =
    ends.at(-1) ?? endAt(raw, raw.indexOf('\n', end)) ?? endAt(raw, start === 0 ? -1 : raw.lastIndexOf('\n', start - 1)) ?? '\n';
  let line = 0;
  return text.replace(/\n/g, () => ends[line++] ?? last);
}

function endAt(raw: Raw, feed: number): LineEnd | null {
  if (feed < 0) return null;
  return raw[feed - 1] === '\r' ? '\r\n' : '\n';
}

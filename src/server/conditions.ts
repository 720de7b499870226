import type { Conditions, Hashes } from '../session/file-api.ts';
import type { RequestContext } from './route.ts';

/** The entity tag of a content: its hash, and so a strong one (RFC 9110, 8.8.3). */
export function etagOf(hash: string): string {
  return `"${hash}"`;
}

/** What a change wants to find, by its If-Match and If-None-Match. */
export function conditionsOf(c: RequestContext): Conditions {
  return { match: hashesIn(c.req.header('if-match'), false), noneMatch: hashesIn(c.req.header('if-none-match'), true) };
}

/** True when a reader has this content already (If-None-Match). */
export function hasAlready(c: RequestContext, hash: string): boolean {
  const hashes = hashesIn(c.req.header('if-none-match'), true);
  return hashes !== null && (hashes === '*' || hashes.includes(hash));
}

/** The hashes that a header lists. A weak tag never matches where strong ones are compared. */
function hashesIn(header: string | undefined, weak: boolean): Hashes {
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, mark, hash = '']) => (mark === undefined || weak ? [hash] : []));
}

/** A range of bytes that a request asks for; `null` for the whole, `unsatisfiable` for one that the file does not have. */
export type WantedRange = { readonly offset: number; readonly length: number } | 'unsatisfiable' | null;

/**
 * The Range of a request for a file of `size` bytes (RFC 9110, 14.2). Several ranges, and what is no range, are the whole; so is a range of another content
 * (If-Range).
 */
export function rangeOf(c: RequestContext, size: number, hash: string): WantedRange {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(c.req.header('range') ?? '') ?? [];
  const ifRange = c.req.header('if-range');
  if (first === undefined || last === undefined || first + last === '') return null;
  if (ifRange !== undefined && ifRange !== etagOf(hash)) return null;
  const offset = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  return offset < end ? { offset, length: end - offset } : 'unsatisfiable';
}

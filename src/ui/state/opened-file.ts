import { type FileEntry, nameOf } from './file-entry.ts';

/** How much of a file is shown, in bytes. */
export const shownBytes = 262_144;

/** The largest image that is shown, in bytes. */
export const imageLimit = 10_485_760;

/** A file in view. `cut`: only its beginning is shown. `size` in bytes. */
export type FileContent =
  | { readonly kind: 'loading' }
  | { readonly kind: 'text'; readonly text: string; readonly size: number; readonly cut: boolean; readonly etag: string }
  | { readonly kind: 'image'; readonly url: string; readonly size: number; readonly etag: string }
  | { readonly kind: 'binary'; readonly size: number; readonly etag: string }
  | { readonly kind: 'failed'; readonly detail: string };

const images: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

/** The last part of a name behind a dot, in lower case; empty without one. */
export function extensionOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The media type of an image that the page shows; null for everything else. An SVG is text: it may hold scripts. */
export function imageType(entry: Pick<FileEntry, 'path'>): string | null {
  return images.get(extensionOf(entry.path)) ?? null;
}

/** The text that some bytes are, without the character that the end cuts in two; null for what is no UTF-8 or has a NUL. `cut`: they are only a beginning. */
export function textOfBytes(bytes: Uint8Array, cut: boolean): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
}

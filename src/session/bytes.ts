import { Buffer } from 'node:buffer';

/** How many bytes a text has as UTF-8, which is what limits on the wire and in rows count. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/**
 * A file's bytes as a string of the same length, a code unit from 0 to 255 for each byte. Edits work on it, so that nothing outside their span changes, not
 * even where a file is no valid UTF-8 (FILES-12). UTF-8 cannot match in the middle of a character, so what is found here is found as text.
 */
export type Raw = string;

const slice = 8192;

/** The bytes as Raw. */
export function rawOf(bytes: Uint8Array): Raw {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += slice) parts.push(String.fromCharCode(...bytes.subarray(at, at + slice)));
  return parts.join('');
}

/** The bytes that a Raw stands for. */
export function bytesOf(raw: Raw): Uint8Array {
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

/** A text in UTF-8, as Raw. */
export function rawText(text: string): Raw {
  return rawOf(new TextEncoder().encode(text));
}

/** The text of a Raw, U+FFFD where it is no UTF-8. A byte order mark stays. */
export function textOfRaw(raw: Raw): string {
  return /[\u0080-\u00FF]/.test(raw) ? decode(bytesOf(raw)) : raw;
}

/** The text of bytes, U+FFFD where they are no UTF-8. A byte order mark stays. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
}

/** The byte order mark of UTF-8, as Raw. */
export const rawBom: Raw = '\u00EF\u00BB\u00BF';

const sniffed = 8000;

/** Whether these are no bytes of a text: git's rule, a NUL near the start. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, sniffed).includes(0);
}

/** The last place at or before `end` that is not inside a character of UTF-8. */
export function wholeCharacters(bytes: Uint8Array, end: number): number {
  const at = Math.min(end, bytes.length);
  for (let back = 0; back < 4 && back <= at; back += 1) {
    const byte = bytes[at - back];
    if (byte === undefined || (byte & 0xc0) !== 0x80) return at - back;
  }
  return at;
}

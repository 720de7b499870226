/** The bytes without the beginning of a character of UTF-8 at their end, which the next piece will complete. */
export function wholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** How many bytes a character has that begins with this one. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

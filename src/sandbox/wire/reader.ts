/** Reads a stream of bytes by length. What is announced and does not come is null: the stream broke off. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next `length` bytes; null when the stream ends before. */
  async read(length: number): Promise<Uint8Array | null> {
    const pieces: Uint8Array[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#held.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) return null;
        this.#held = next.value;
      }
      const piece = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(piece.length);
      pieces.push(piece);
      missing -= piece.length;
    }
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : joinBytes(pieces);
  }

  /** Ends the reading; the rest is not wanted. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

/** The pieces as one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** A u32 as four bytes, the highest first. */
export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** The u32 in four bytes. */
export function readU32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}

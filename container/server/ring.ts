/** The last bytes of an output, whatever its size, by their places in the whole of it. */
export class Ring {
  readonly #bytes: Uint8Array;
  #total = 0;

  /** `size` is in bytes, and all the memory that it takes. */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
  }

  /** How many bytes there were. */
  get total(): number {
    return this.#total;
  }

  /** The place of the oldest byte that is kept. */
  get first(): number {
    return Math.max(0, this.#total - this.#bytes.length);
  }

  /** Takes the next bytes; they are copied. */
  add(bytes: Uint8Array): void {
    const size = this.#bytes.length;
    const last = bytes.subarray(Math.max(0, bytes.length - size));
    const at = (this.#total + bytes.length - last.length) % size;
    this.#bytes.set(last.subarray(0, size - at), at);
    this.#bytes.set(last.subarray(size - at), 0);
    this.#total += bytes.length;
  }

  /** A copy of at most `most` bytes that begin at the place `from`, or at the oldest that is kept where that is later. */
  read(from: number, most: number): { readonly from: number; readonly bytes: Uint8Array<ArrayBuffer> } {
    const begin = Math.min(Math.max(from, this.first), this.#total);
    const length = Math.min(most, this.#total - begin);
    const at = begin % this.#bytes.length;
    const bytes = new Uint8Array(length);
    const upper = this.#bytes.subarray(at, at + length);
    bytes.set(upper);
    bytes.set(this.#bytes.subarray(0, length - upper.length), upper.length);
    return { from: begin, bytes };
  }
}

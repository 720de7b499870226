const lineFeed = 0x0a;

/** What is kept of an output: its first and its last bytes, and how many between them were cut; `cut` is 0 where `head` is all of it. */
export interface Kept {
  readonly head: Uint8Array;
  readonly cut: number;
  readonly tail: Uint8Array;
}

/**
 * Keeps at most `limit` bytes of an output, whatever its size: half at its beginning, half at its end (SHELL-07). Holds no more than
 * that in memory.
 */
export class MiddleCut {
  readonly #head: Uint8Array;
  /** A ring: the last bytes, the oldest of them at `#at` once it is full. */
  readonly #tail: Uint8Array;
  #at = 0;
  #total = 0;

  /** `limit` is in bytes. */
  constructor(limit: number) {
    this.#head = new Uint8Array(Math.ceil(limit / 2));
    this.#tail = new Uint8Array(Math.floor(limit / 2));
  }

  /** How many bytes there were. */
  get total(): number {
    return this.#total;
  }

  /** Takes the next bytes; they are copied. */
  add(bytes: Uint8Array): void {
    const room = Math.max(0, this.#head.length - this.#total);
    this.#head.set(bytes.subarray(0, room), Math.min(this.#total, this.#head.length));
    this.#total += bytes.length;
    const rest = bytes.subarray(room);
    const last = rest.subarray(Math.max(0, rest.length - this.#tail.length));
    const first = last.subarray(0, this.#tail.length - this.#at);
    this.#tail.set(first, this.#at);
    this.#tail.set(last.subarray(first.length), 0);
    if (this.#tail.length > 0) this.#at = (this.#at + last.length) % this.#tail.length;
  }

  /** What is kept. Each side ends at a line end that it has, so that the hole is between whole lines; a side without one is cut inline (SHELL-08, SHELL-09). */
  kept(): Kept {
    const size = this.#head.length + this.#tail.length;
    const head = this.#head.subarray(0, this.#total);
    const tail = this.#lastBytes();
    if (this.#total <= size) return { head: joined(head, tail), cut: 0, tail: new Uint8Array(0) };
    const keptHead = head.subarray(0, head.lastIndexOf(lineFeed) + 1 || head.length);
    const keptTail = tail.subarray(borderOf(tail));
    return { head: keptHead, cut: this.#total - keptHead.length - keptTail.length, tail: keptTail };
  }

  #lastBytes(): Uint8Array {
    const held = Math.min(this.#total - this.#head.length, this.#tail.length);
    if (held <= 0) return new Uint8Array(0);
    if (held < this.#tail.length) return this.#tail.slice(0, held);
    return joined(this.#tail.subarray(this.#at), this.#tail.subarray(0, this.#at));
  }
}

/** Where the tail begins: at its first line end, which then closes the line of the marker. The end of its last line has no line after it, so it is no border. */
function borderOf(tail: Uint8Array): number {
  const at = tail.indexOf(lineFeed);
  return at === -1 || at === tail.length - 1 ? 0 : at;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The output as the model reads it: with the marker where bytes were cut, and U+FFFD for what is not UTF-8, a character halved by the cut included (SHELL-10). */
export function textOfKept({ head, cut, tail }: Kept): string {
  const text = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
  return cut === 0 ? text(head) : `${text(head)}[${cut} bytes cut]${text(tail)}`;
}

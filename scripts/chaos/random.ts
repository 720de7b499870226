/** Numbers that follow from a seed: the same seed gives the same plan, whatever the machine does meanwhile. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds are to give unlike plans, and a state of 0 would stay one.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  }

  /** A number from 0 up to 1: Marsaglia's xorshift with 32 bits. */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.between(0, items.length - 1)] ?? items[0];
  }

  /** A source of its own for a part of the plan, so that what one part draws does not move the others. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }
}

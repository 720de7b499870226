import { refused } from './protocol/index.ts';

/** The time over which floods are counted, in ms. */
export const minute = 60_000;

/**
 * A sliding window: at most `limit` admissions in any `period` (ms). Kept in memory, so it starts anew with the object that
 * holds it; it guards against floods and counts nothing that is owed.
 */
export class FloodLimit {
  readonly #limit: number;
  readonly #period: number;
  /** When the newest admissions were made, oldest first; never more than `limit`. */
  readonly #admitted: number[] = [];

  constructor(limit: number, period: number) {
    this.#limit = limit;
    this.#period = period;
  }

  /** Admits at `now` (ms) and gives null, or gives the ms to wait until the next one would be admitted. */
  admit(now: number): number | null {
    const oldest = this.#admitted[0];
    if (oldest !== undefined && this.#admitted.length >= this.#limit) {
      const wait = oldest + this.#period - now;
      if (wait > 0) return wait;
      this.#admitted.shift();
    }
    this.#admitted.push(now);
    return null;
  }
}

/** The refusal of what came too often: `what` in the plural, and how long to wait, in ms. */
export function tooMany(what: string, wait: number): ReturnType<typeof refused> {
  const retryAfter = Math.ceil(wait / 1000);
  return refused('rate_limited', `Too many ${what} in the last minute: try again in ${retryAfter} s.`, { retryAfter });
}

import { type Clock, ModelError } from '../core/index.ts';

/**
 * How long a model may be silent, in ms. Only what the model says ends a silence: keepalive comments and empty deltas do
 * not, and time in which nobody asked for more does not count (HTTP-09).
 */
export interface Timers {
  /** From the request to the first thing it says. */
  readonly firstEvent: number;
  /** Between two things it says. */
  readonly idle: number;
  /** All waiting of one reply; Infinity: no limit. */
  readonly total: number;
}

/** Five minutes of silence; a reply may take as long as it likes. */
export const defaultTimers: Timers = { firstEvent: 300_000, idle: 300_000, total: Infinity };

/** The longest time that runtimes measure; they take a longer one for none. */
const longestSleep = 2 ** 31 - 1;

/**
 * Reads a stream under timers; what the stream gives is what counts as said. `open` gets a signal that fires when `cancel`
 * does or a timer has run out, and must end the stream then.
 * @throws ModelError `transport_error` when a timer has run out, and whatever the stream throws.
 */
export async function* timed<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  timers: Timers,
  clock: Clock,
  cancel: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const stop = new AbortController();
  const watch = new Watch(clock, stop);
  const iterator = open(AbortSignal.any([cancel, stop.signal]))[Symbol.asyncIterator]();
  let waited = 0;
  let silence = timers.firstEvent;
  let limit = silence;
  try {
    for (;;) {
      const began = clock.now();
      limit = Math.min(silence, timers.total - waited);
      watch.begin(limit);
      const step = await iterator.next();
      watch.end();
      waited += clock.now() - began;
      silence = timers.idle;
      if (step.done === true) return;
      yield step.value;
    }
  } catch (error) {
    if (!stop.signal.aborted || cancel.aborted) throw error;
    const what = limit < silence ? `took more than ${timers.total / 1000} s` : `was silent for ${silence / 1000} s`;
    throw new ModelError('transport_error', `The model ${what}.`);
  } finally {
    watch.close();
    await iterator.return?.();
  }
}

/** Fires `stop` when a wait is longer than its limit. One sleep serves many waits: it looks at the clock when it is over, and sleeps on. */
class Watch {
  readonly #clock: Clock;
  readonly #stop: AbortController;
  readonly #over = new AbortController();
  #due = Infinity;
  #sleepsUntil = Infinity;

  constructor(clock: Clock, stop: AbortController) {
    this.#clock = clock;
    this.#stop = stop;
  }

  begin(limit: number): void {
    this.#due = this.#clock.now() + limit;
    if (this.#due < this.#sleepsUntil) void this.#sleep(this.#due);
  }

  end(): void {
    this.#due = Infinity;
  }

  close(): void {
    this.#over.abort();
  }

  async #sleep(until: number): Promise<void> {
    this.#sleepsUntil = until;
    await this.#clock.sleep(Math.min(until - this.#clock.now(), longestSleep), this.#over.signal);
    if (this.#over.signal.aborted || this.#sleepsUntil !== until) return;
    this.#sleepsUntil = Infinity;
    if (this.#clock.now() >= this.#due) this.#stop.abort();
    else if (this.#due < Infinity) void this.#sleep(this.#due);
  }
}

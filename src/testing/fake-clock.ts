import type { Clock } from '../core/index.ts';

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock that stands still until the test moves it. It starts at 0 ms. */
export class FakeClock implements Clock {
  /** The lengths of all sleeps asked for so far, in ms. */
  readonly asked: number[] = [];
  readonly #sleepers = new Set<Sleeper>();
  #now = 0;
  #watch = Promise.withResolvers<void>();

  now(): number {
    return this.#now;
  }

  /** How many sleep now; 0 when nothing that was started still waits for time. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** Resolves as soon as somebody sleeps, at once when somebody does. */
  async sleeping(): Promise<void> {
    if (this.#sleepers.size === 0) await this.#watch.promise;
  }

  /** Moves the time on by `ms` and wakes those who are due. */
  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) if (sleeper.due <= this.#now) sleeper.wake();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.asked.push(ms);
    const done = Promise.withResolvers<void>();
    const sleeper: Sleeper = {
      due: this.#now + ms,
      wake: () => {
        signal?.removeEventListener('abort', sleeper.wake);
        this.#sleepers.delete(sleeper);
        done.resolve();
      },
    };
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    signal?.addEventListener('abort', sleeper.wake);
    this.#sleepers.add(sleeper);
    this.#watch.resolve();
    this.#watch = Promise.withResolvers<void>();
    return done.promise;
  }
}

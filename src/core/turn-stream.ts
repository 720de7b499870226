import type { MisuseError } from './error.ts';
import type { Event } from './event.ts';
import type { Stage } from './stage.ts';

/** What plays behind a stream of events. */
export interface Performance {
  /** Runs the turn to its end. Resolves with the misuse that ended it, null otherwise; never rejects. */
  play(): Promise<MisuseError | null>;
  /** The consumer stopped iterating, which cancels the turn (RUN-14). */
  abandon(): void;
}

/**
 * The events of a turn. It progresses only while it is iterated (RUN-05); leaving it cancels the turn and waits for its end; a misuse is
 * thrown after the last event, or out of the leaving (FAIL-02, FAIL-03). Unlike a generator it also ends when left before the first pull.
 */
export class TurnStream implements AsyncGenerator<Event, void, undefined> {
  readonly #stage: Stage<Event>;
  readonly #performance: Performance;
  #playing: Promise<MisuseError | null> | null = null;
  #over = false;

  constructor(stage: Stage<Event>, performance: Performance) {
    this.#stage = stage;
    this.#performance = performance;
  }

  next(): Promise<IteratorResult<Event, void>> {
    if (!this.#over) void this.#play();
    return this.#stage.next();
  }

  async return(): Promise<IteratorResult<Event, void>> {
    if (this.#over) return { done: true, value: undefined };
    this.#over = true;
    this.#performance.abandon();
    this.#stage.leave();
    return this.#end(await this.#play());
  }

  async throw(error: unknown): Promise<IteratorResult<Event, void>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #play(): Promise<MisuseError | null> {
    this.#playing ??= this.#performance.play().then((misuse) => {
      this.#stage.close(this.#over ? null : misuse);
      this.#over = true;
      return misuse;
    });
    return this.#playing;
  }

  #end(misuse: MisuseError | null): IteratorResult<Event, void> {
    if (misuse !== null) throw misuse;
    return { done: true, value: undefined };
  }
}

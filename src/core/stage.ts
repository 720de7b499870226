interface Waiting<T> {
  readonly item: T;
  readonly taken: () => void;
}

/**
 * Hands items from many producers to one consumer, one at a time (EVT-28 to EVT-30): `put` resolves when the consumer asks for
 * the item after, so whatever a producer does next happens after the consumer handled this one.
 */
export class Stage<T> {
  readonly #queue: Waiting<T>[] = [];
  #handed: (() => void) | null = null;
  #asked: ((result: IteratorResult<T, void> | Promise<never>) => void) | null = null;
  #closed = false;
  #error: Error | null = null;
  #left = false;

  /** Queues an item. Resolves when it was handled, or at once when the consumer has left. */
  put(item: T): Promise<void> {
    if (this.#left) return Promise.resolve();
    return new Promise((taken) => {
      if (this.#asked === null) this.#queue.push({ item, taken });
      else this.#hand(this.#asked, item, taken);
    });
  }

  /** The next item, once there is one; when the stage is closed and empty, the error it was closed with, and from then on done. */
  next(): Promise<IteratorResult<T, void>> {
    this.#handed?.();
    this.#handed = null;
    return new Promise((resolve) => {
      const waiting = this.#queue.shift();
      if (waiting !== undefined) this.#hand(resolve, waiting.item, waiting.taken);
      else if (this.#closed) resolve(this.#end());
      else this.#asked = resolve;
    });
  }

  /** No item will follow. The consumer gets `error`, when there is one, in the place of the first end. */
  close(error: Error | null): void {
    this.#closed = true;
    this.#error = error;
    this.#asked?.(this.#end());
    this.#asked = null;
  }

  /** The consumer is gone: what waits and what comes is dropped, and no producer waits any more. */
  leave(): void {
    this.#left = true;
    this.#handed?.();
    for (const waiting of this.#queue.splice(0)) waiting.taken();
  }

  #end(): IteratorResult<T, void> | Promise<never> {
    const error = this.#error;
    this.#error = null;
    return error === null ? { done: true, value: undefined } : Promise.reject(error);
  }

  #hand(resolve: (result: IteratorResult<T, void>) => void, item: T, taken: () => void): void {
    this.#asked = null;
    this.#handed = taken;
    resolve({ done: false, value: item });
  }
}

interface Waiting<T> {
  readonly item: T;
  readonly taken: () => void;
}

/**
 * Hands items from many producers to one consumer, one at a time (EVT-28 to EVT-30): `put` resolves when the consumer asks for
 * the item after, so whatever a producer does next happens after the consumer handled this one.
 */
export class Stage<T> {
  #queue: Waiting<T>[] = [];
  #handed: (() => void) | null = null;
  #wake: (() => void) | null = null;
  #closed = false;
  #left = false;

  /** Queues an item. Resolves when it was handled, or at once when the consumer has left. */
  put(item: T): Promise<void> {
    if (this.#left) return Promise.resolve();
    return new Promise((resolve) => {
      this.#queue.push({ item, taken: resolve });
      this.#wake?.();
    });
  }

  /** The next item, once there is one; undefined when the stage is closed and empty. */
  async next(): Promise<T | undefined> {
    this.#handed?.();
    this.#handed = null;
    while (this.#queue.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    const waiting = this.#queue.shift();
    if (waiting === undefined) return undefined;
    this.#handed = waiting.taken;
    return waiting.item;
  }

  /** No item will follow. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** The consumer is gone: what waits and what comes is dropped, and no producer waits any more. */
  leave(): void {
    this.#left = true;
    this.#handed?.();
    for (const waiting of this.#queue.splice(0)) waiting.taken();
  }
}

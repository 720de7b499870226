import { Cancelled } from '../core/index.ts';

/** A point that a fake or a tool waits at until the test opens it: order without sleeping. Once open it stays open. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves as soon as somebody waits at the gate. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  /** Lets everybody through, now and later. */
  open(): void {
    this.#opened.resolve();
  }

  /**
   * Resolves when the gate is open. Without a signal it waits for that alone, as a tool does that never looks.
   * @throws Cancelled when the signal fires first.
   */
  async wait(signal?: AbortSignal): Promise<void> {
    this.#reached.resolve();
    if (signal === undefined) return this.#opened.promise;
    if (signal.aborted) throw new Cancelled();
    const cancelled = Promise.withResolvers<never>();
    const abort = (): void => cancelled.reject(new Cancelled());
    signal.addEventListener('abort', abort);
    try {
      await Promise.race([this.#opened.promise, cancelled.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}

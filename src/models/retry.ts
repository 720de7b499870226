import { AllowanceError, Cancelled, type Clock, ModelError, type ModelMiddleware, systemClock } from '../core/index.ts';

/** Told before each wait: how long it is (ms), the number of the try that failed, from 1, and what the provider said. */
export type OnWait = (after: number, attempt: number, reason: string) => Promise<void> | void;

/** How often and how long `retryModel` waits. */
export interface RetryOptions {
  /** Calls of the model in all; 3 by default. */
  readonly tries?: number;
  /** The longest wait, in ms; a provider that asks for more fails the turn, so that nobody sits before a silent one. 60 s by default. */
  readonly longestWait?: number;
  readonly onWait?: OnWait;
  readonly clock?: Clock;
  /** What a life before this one told of the first prompt: the calls that it made in vain, and when the next one was to be, in ms. */
  readonly already?: { readonly tries: number; readonly until: number };
  /** A number from 0 to 1, anew at each call: sessions that were refused together shall not come back together. `Math.random` by default. */
  readonly random?: () => number;
}

/**
 * Asks again when the provider says that it is asked too often (MW-14): only for `rate_limited`, only before the first
 * delta (MW-13), after the time the provider names, else after a random part of 2 to the power of the try, in seconds.
 * A rule of the host is asked again only when it names a time. Tries that a life before this one made of the same prompt count
 * (`already`), and the wait that it began is waited to its end.
 * @throws the last error, `retryAfter` in it; Cancelled when the turn is cancelled while it waits.
 */
export function retryModel(options: RetryOptions = {}): ModelMiddleware {
  const { tries = 3, longestWait = 60_000, onWait, clock = systemClock, random = Math.random } = options;
  const wait = async (ms: number, cancel: AbortSignal): Promise<void> => {
    await clock.sleep(ms, cancel);
    if (cancel.aborted) throw new Cancelled();
  };
  let before = options.already;
  return {
    async *stream(prompt, next) {
      const made = before?.tries ?? 0;
      const rest = Math.min((before?.until ?? 0) - clock.now(), longestWait);
      before = undefined;
      if (rest > 0) await wait(rest, prompt.cancel);
      for (let attempt = made + 1; ; attempt += 1) {
        let passed = false;
        try {
          for await (const delta of next(prompt)) {
            passed = true;
            yield delta;
          }
          return;
        } catch (error) {
          if (passed || attempt >= tries || !(error instanceof ModelError) || error.kind !== 'rate_limited') throw error;
          const after =
            error.retryAfter ?? (error instanceof AllowanceError ? Infinity : Math.ceil(random() * 2 ** attempt * 1000));
          if (after > longestWait) throw error;
          await onWait?.(after, attempt, error.message);
          await wait(after, prompt.cancel);
        }
      }
    },
  };
}

/** Time as the core sees it, in ms. Handed in, so that tests own it. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The runtime's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    }),
};

/** Makes ids: unique, with a prefix that says of what (`msg`, `call`), without a slash (PAUSE-31). */
export type MintId = (prefix: string) => string;

/** Random ids of 24 hex digits. In a browser it needs a secure context. */
export const randomId: MintId = (prefix) => {
  const uuid = crypto.randomUUID();
  // Without the digits that hold the version and the variant.
  return `${prefix}_${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(24)}`;
};

/** Where a Run reports what no event shows (RUN-18). */
export interface Logger {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Says nothing. */
export const silentLogger: Logger = { warn: () => {} };

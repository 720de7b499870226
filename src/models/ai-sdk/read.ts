import { Cancelled } from '../../core/index.ts';

/** What a stream gives, until `signal` fires; the stream is told when nobody reads on. @throws Cancelled when it fires. */
export async function* read<T>(stream: ReadableStream<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await unlessAborted(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** What a promise gives, unless the signal fires first: one that does not look at the signal is left behind. @throws Cancelled */
export async function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new Cancelled());
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

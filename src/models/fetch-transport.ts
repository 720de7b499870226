import { Cancelled, ModelError, type Transport, type TransportResponse } from '../core/index.ts';

/** The part of `fetch` that a transport uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A transport over `fetch` (HTTP-01, HTTP-02). A redirect is handed back as it is and never followed, since the key would
 * travel with it (HTTP-10). Its errors name neither the address nor a header.
 */
export class FetchTransport implements Transport {
  readonly #fetch: Fetch;

  /** Takes the function to fetch with; the runtime's own `fetch` when none is given. */
  constructor(fetch: Fetch = (url, init) => globalThis.fetch(url, init)) {
    this.#fetch = fetch;
  }

  /** @throws Cancelled when `cancel` fires, at once; ModelError `transport_error` when the connection fails. The body throws the same. */
  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    cancel: AbortSignal,
  ): Promise<TransportResponse> {
    if (cancel.aborted) throw new Cancelled();
    try {
      const init: RequestInit = { method: 'POST', headers, body, redirect: 'manual', signal: cancel };
      const response = await orCancelled(this.#fetch(url, init), cancel);
      return { status: response.status, headers: response.headers, body: chunks(response.body, cancel) };
    } catch (error) {
      throw connectionError(error, cancel, 'could not be reached');
    }
  }
}

async function* chunks(
  body: ReadableStream<Uint8Array> | null,
  cancel: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => {});
  cancel.addEventListener('abort', leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (cancel.aborted) throw new Cancelled();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw connectionError(error, cancel, 'broke off the connection');
  } finally {
    cancel.removeEventListener('abort', leave);
    await reader.cancel().catch(() => {});
  }
}

/** What a runtime throws may hold the address; of it only a code such as ECONNREFUSED is told. */
function connectionError(error: unknown, cancel: AbortSignal, what: string): Error {
  if (cancel.aborted || error instanceof Cancelled) return new Cancelled();
  const code = codeOf(error) ?? codeOf((error as { cause?: unknown } | null)?.cause);
  return new ModelError('transport_error', `The model's server ${what}${code === undefined ? '' : ` (${code})`}.`);
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined;
}

/** What a promise gives, unless the signal fires first: a fetch or a stream that does not look at its signal is left behind. */
async function orCancelled<T>(promise: Promise<T>, cancel: AbortSignal): Promise<T> {
  const cancelled = Promise.withResolvers<never>();
  const abort = (): void => cancelled.reject(new Cancelled());
  cancel.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, cancelled.promise]);
  } finally {
    cancel.removeEventListener('abort', abort);
  }
}

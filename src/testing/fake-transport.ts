import { Cancelled, MisuseError, type Transport, type TransportResponse } from '../core/index.ts';
import { Gate } from './gate.ts';

/** One thing that a scripted body does: give a chunk (a text as UTF-8), break with an error, stall at a gate. */
export type BodyAct = string | Uint8Array | Error | Gate;

/** A scripted response: status 200, no headers and an empty body unless given. A chunk of the list is a chunk of the body. */
export interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | readonly BodyAct[];
}

/** What a transport was asked to post. */
export interface FakeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cancel: AbortSignal;
}

/** Chooses the answer to a request; `n` counts the requests from 0. An Error makes the post itself fail. */
export type Responder = (request: FakeRequest, n: number) => FakeResponse | Error;

/**
 * A transport that plays scripted responses, one a request, and keeps the requests it got (TEST-02). It sees the cancel
 * signal before each chunk and while it stalls, and then throws Cancelled. A request past the last response throws
 * MisuseError `script_missing`.
 */
export class FakeTransport implements Transport {
  /** The requests so far. */
  readonly requests: FakeRequest[] = [];
  readonly #responses: Responder;

  constructor(responses: readonly (FakeResponse | Error)[] | Responder) {
    this.#responses = typeof responses === 'function' ? responses : (_, n) => responses[n] ?? missing(n);
  }

  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    cancel: AbortSignal,
  ): Promise<TransportResponse> {
    if (cancel.aborted) throw new Cancelled();
    const request: FakeRequest = { url, headers, body, cancel };
    this.requests.push(request);
    const response = this.#responses(request, this.requests.length - 1);
    if (response instanceof Error) throw response;
    return { status: response.status ?? 200, headers: new Headers(response.headers), body: play(response.body ?? [], cancel) };
  }
}

/** The bytes of a body cut at the given places (byte offsets, ascending): one chunk more than there are places. */
export function cutAt(body: string | Uint8Array, ...places: readonly number[]): readonly Uint8Array[] {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return [...places, bytes.length].map((end, n) => bytes.subarray(places[n - 1] ?? 0, end));
}

/** The bytes of a body in chunks of `size` bytes, the last one shorter where it does not divide. */
export function cutEvery(body: string | Uint8Array, size: number): readonly Uint8Array[] {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const count = Math.max(0, Math.ceil(bytes.length / size) - 1);
  return cutAt(bytes, ...Array.from({ length: count }, (_, n) => (n + 1) * size));
}

async function* play(body: string | readonly BodyAct[], cancel: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  for (const act of typeof body === 'string' ? [body] : body) {
    if (cancel.aborted) throw new Cancelled();
    if (act instanceof Error) throw act;
    if (act instanceof Gate) await act.wait(cancel);
    else yield typeof act === 'string' ? new TextEncoder().encode(act) : act;
  }
}

function missing(n: number): never {
  throw new MisuseError(
    'script_missing',
    `The fake transport was called ${n + 1} times and has no response for the last request.`,
  );
}

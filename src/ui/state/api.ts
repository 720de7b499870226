import type { Signal } from '@preact/signals';
import { isObject, type Json, type JsonObject, parseJson } from '../../core/json.ts';
import { upload, type UploadInit } from './upload.ts';

/** A refusal over HTTP (RFC 9457). `status` 0: there was no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
  }
}

/** The HTTP side of the wire, with the reader's token where there is one. */
export class Api {
  readonly #token: Signal<string | null>;
  readonly #client: string;

  /** `token` proves who reads; `client` is what this tab is called. */
  constructor(token: Signal<string | null>, client: string) {
    this.#token = token;
    this.#client = client;
  }

  /** @throws ApiError for every refusal, and with status 0 when nothing answered. */
  async get<T>(path: string): Promise<T> {
    return (await (await this.fetch('GET', path)).json()) as T;
  }

  /** A large value by its `href`: a text as it is, another value parsed. @throws ApiError as `get` does. */
  async blob(href: string): Promise<Json> {
    const response = await this.fetch('GET', href.slice('/api'.length));
    const isText = response.headers.get('content-type')?.startsWith('text/plain') === true;
    return isText ? response.text() : ((await response.json()) as Json);
  }

  /** Sends a request that changes something; it outlives the page. @throws ApiError as `get` does. */
  async change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: JsonObject): Promise<void> {
    await this.fetch(method, path, { keepalive: true, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  /** Sends a file's bytes. `onShare` hears how much of them is on its way, from 0 to 1. @throws ApiError as `get` does. */
  async send(path: string, body: Blob, init: UploadInit): Promise<void> {
    const headers = this.#headers(init.headers);
    headers.set('content-type', 'application/octet-stream');
    const response = await upload(`/api${path}`, body, { ...init, headers });
    if (response === null) throw unreachable();
    if (!response.ok) throw await refusal(response);
  }

  /** The answer, when it is one that was asked for, 304 included. @throws ApiError otherwise. */
  async fetch(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = this.#headers(init.headers);
    if (init.body !== undefined) headers.set('content-type', 'application/json');
    let response: Response;
    try {
      response = await fetch(`/api${path}`, { ...init, method, headers });
    } catch {
      throw unreachable();
    }
    if (!response.ok && response.status !== 304) throw await refusal(response);
    return response;
  }

  #headers(more: HeadersInit | undefined): Headers {
    const headers = new Headers(more);
    headers.set('reins-client', this.#client);
    if (this.#token.value !== null) headers.set('authorization', `Bearer ${this.#token.value}`);
    return headers;
  }
}

function unreachable(): ApiError {
  return new ApiError(0, 'unreachable', 'The server cannot be reached.');
}

async function refusal(response: Response): Promise<ApiError> {
  const body = parseJson(await response.text());
  const { code, detail } = isObject(body) ? body : {};
  return new ApiError(
    response.status,
    typeof code === 'string' ? code : 'unknown',
    typeof detail === 'string' ? detail : `The server answered ${response.status}.`,
  );
}

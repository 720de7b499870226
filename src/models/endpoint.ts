import {
  Cancelled,
  type Clock,
  type Delta,
  isObject,
  type JsonObject,
  type MediaKind,
  MisuseError,
  ModelError,
  parseJson,
  type Prompt,
  systemClock,
  type Transport,
  type TransportResponse,
} from '../core/index.ts';
import type { EditEcho } from './edit-echo.ts';
import { errorText } from './error-body.ts';
import { cannotContinue, refusesEdit, responseError, streamError } from './errors.ts';
import { mediaType, type ServerSentEvent, sse } from './sse.ts';
import { defaultTimers, timed, type Timers } from './timers.ts';

/** What a model behind an HTTP API is made of (CC-01). */
export interface EndpointInit {
  readonly transport: Transport;
  /** The address up to and with the version path, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Local servers need none. */
  readonly key?: string;
  /** Headers beside the module's own; they may replace these. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In ms; those left out are `defaultTimers`. */
  readonly timers?: Partial<Timers>;
  readonly clock?: Clock;
  /** Kinds of media that the model is known not to take; none when left out. */
  readonly lacks?: readonly MediaKind[];
}

/** Turns the events of one reply, JSON objects, into deltas. One decoder reads one reply. */
export interface ReplyDecoder {
  /** True once the server named its reason to stop: the reply is whole, whatever becomes of the connection. */
  readonly finished: boolean;
  /** True once the server said that nothing follows: what does is not read. */
  readonly done: boolean;
  /** The data of the event, no JSON, that says so in some APIs; null where none does. */
  readonly endMark: string | null;
  /**
   * The deltas of one event; none for one that says nothing.
   * @throws ModelError when the event carries an error.
   */
  add(event: JsonObject): readonly Delta[];
  /** The last deltas, the finish among them. */
  end(): readonly Delta[];
}

/** Where requests of one kind go, and how replies come back: under timers, with errors told apart, without the key in them. */
export class Endpoint {
  readonly #url: URL;
  readonly #init: EndpointInit;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timers: Timers;
  readonly #clock: Clock;

  /**
   * `path` is what the API has below the base URL, `headers` what it wants beside the content's type.
   * @throws MisuseError `option_invalid` when the base URL is no http address.
   */
  constructor(init: EndpointInit, path: string, headers: Readonly<Record<string, string>>) {
    this.#init = init;
    this.#url = urlBelow(init.baseUrl, path);
    this.#headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers, ...init.headers };
    this.#timers = { ...defaultTimers, ...init.timers };
    this.#clock = init.clock ?? systemClock;
  }

  /**
   * Posts a request and gives the deltas of its reply. `echo` takes the edit off the front of a continuation.
   * @throws UnsupportedOptionError when the server refuses to continue a reply that `prompt` wants continued (INTR-21);
   *   otherwise as every Model.
   */
  async *ask(
    request: object,
    decoder: ReplyDecoder,
    prompt: Prompt,
    echo: EditEcho | null = null,
  ): AsyncGenerator<Delta, void, undefined> {
    const body = JSON.stringify(request);
    try {
      const open = (signal: AbortSignal) => this.#reply(body, decoder, echo, prompt.cancel, signal);
      for await (const deltas of timed(open, this.#timers, this.#clock, prompt.cancel)) yield* deltas;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      throw prompt.continue && refusesEdit(error) ? cannotContinue() : this.#withoutKey(error);
    }
  }

  /** The deltas of the reply, in batches that hold something. A reply that said why it ended is whole, even if its stream breaks. */
  async *#reply(
    body: string,
    decoder: ReplyDecoder,
    echo: EditEcho | null,
    cancel: AbortSignal,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Delta[], void, undefined> {
    let done = false;
    try {
      for await (const events of sse(await this.#post(body, signal))) {
        const batch = decodeBatch(decoder, events);
        const fresh = echo === null ? batch.deltas : batch.deltas.flatMap((delta) => withoutEcho(delta, echo));
        if (fresh.length > 0) yield fresh;
        if (batch.error !== null) throw batch.error;
        done = batch.done;
        if (done) break;
      }
    } catch (error) {
      if (cancel.aborted || !decoder.finished || !isBroken(error)) throw error;
    }
    if (!done && !decoder.finished) {
      throw new ModelError('transport_error', 'The stream of the model ended before its reply did.');
    }
    const held = echo?.end() ?? '';
    yield [...(held === '' ? [] : [{ type: 'text', text: held } as const]), ...decoder.end()];
  }

  /** @throws ModelError for an answer that is an error, also under status 200. */
  async #post(body: string, signal: AbortSignal): Promise<TransportResponse> {
    const response = await this.#init.transport.post(this.#url.href, this.#headers, body, signal);
    const { status, headers } = response;
    if (status >= 200 && status < 300 && mediaType(headers) !== 'application/json') return response;
    throw responseError({ status, headers, body: await errorText(response.body) }, this.#clock.now());
  }

  /** Some servers repeat the key that they refuse. */
  #withoutKey(error: ModelError): ModelError {
    const { key } = this.#init;
    if (!key || !error.message.includes(key)) return error;
    return new ModelError(error.kind, error.message.replaceAll(key, '[key]'), error.retryAfter, error.status);
  }
}

/** A key as a bearer token; no header for none. */
export function bearer(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` };
}

function urlBelow(baseUrl: string, path: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new MisuseError('option_invalid', 'The base URL of a model must be an http address.');
  }
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

/** What a batch of events says. `error` is to be thrown after the deltas, which came before it. */
interface Batch {
  readonly deltas: readonly Delta[];
  /** True when nothing behind it counts. */
  readonly done: boolean;
  readonly error: unknown;
}

/** Decodes events in their order, so that a reply is the same however its bytes were cut into batches. */
function decodeBatch(decoder: ReplyDecoder, events: readonly ServerSentEvent[]): Batch {
  const deltas: Delta[] = [];
  try {
    for (const event of events) {
      if (event.data === decoder.endMark) return { deltas, done: true, error: null };
      deltas.push(...decoder.add(objectOf(event)));
      if (decoder.done) return { deltas, done: true, error: null };
    }
    return { deltas, done: false, error: null };
  } catch (error) {
    return { deltas, done: false, error };
  }
}

/** @throws ModelError for an event that carries an error, or that is no JSON object, as the one that a broken connection cuts. */
function objectOf({ event, data }: ServerSentEvent): JsonObject {
  const value = data === '' ? {} : parseJson(data);
  if (event === 'error') throw streamError(isObject(value) ? (value.error ?? value) : data);
  if (!isObject(value)) throw new ModelError('transport_error', 'The stream of the model holds an event that is no JSON object.');
  return value;
}

/** Only visible text may repeat the edit. */
function withoutEcho(delta: Delta, echo: EditEcho): Delta[] {
  if (delta.type !== 'text') return [delta];
  const text = echo.add(delta.text);
  return text === '' && delta.provider === undefined ? [] : [{ ...delta, text }];
}

function isBroken(error: unknown): boolean {
  return error instanceof Cancelled || (error instanceof ModelError && error.kind === 'transport_error');
}

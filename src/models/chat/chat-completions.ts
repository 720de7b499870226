import {
  appendAndAsk,
  Cancelled,
  type Clock,
  type Delta,
  MisuseError,
  type Model,
  ModelError,
  type Prompt,
  systemClock,
  textOf,
  type Transport,
  type TransportResponse,
  UnsupportedOptionError,
} from '../../core/index.ts';
import { errorText } from '../error-body.ts';
import { mediaType, sse } from '../sse.ts';
import { defaultTimers, timed, type Timers } from '../timers.ts';
import { decodeBatch } from './batch.ts';
import { ChatDecoder } from './decode.ts';
import { EditEcho } from './edit-echo.ts';
import { encodeRequest } from './encode.ts';
import { refusesEdit, responseError } from './errors.ts';
import { type Host, hostFor, type HostName, hosts } from './hosts.ts';

/** What a Chat Completions model is made of (CC-01). */
export interface ChatCompletionsInit {
  readonly transport: Transport;
  /** The address up to and with the version path, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent as a bearer token; local servers need none. */
  readonly key?: string;
  /** The preset of the server; else it follows from the address (`hostFor`). */
  readonly host?: HostName;
  /** Headers beside the module's own; they may replace these. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In ms; those left out are `defaultTimers`. */
  readonly timers?: Partial<Timers>;
  readonly clock?: Clock;
}

/**
 * A model behind the Chat Completions API: OpenAI, llama.cpp, vLLM, exl3, Ollama and the rest of `hosts`. Its options stand
 * under the provider key `openai` and are merged into the request last and shallowly (MODEL-04).
 */
export class ChatCompletions implements Model {
  /** False for a host that is known not to continue a reply; else absent, since the model behind it decides (INTR-21). */
  readonly continues?: boolean;
  readonly #init: ChatCompletionsInit;
  readonly #host: Host;
  readonly #url: URL;
  readonly #timers: Timers;
  readonly #clock: Clock;

  /** @throws MisuseError `option_invalid` when `baseUrl` is no http address. */
  constructor(init: ChatCompletionsInit) {
    this.#init = init;
    this.#url = endpoint(init.baseUrl);
    this.#host = hosts[init.host ?? hostFor(this.#url)];
    this.#timers = { ...defaultTimers, ...init.timers };
    this.#clock = init.clock ?? systemClock;
    if (!canContinue(this.#host, init.baseUrl)) this.continues = false;
  }

  /**
   * @throws UnsupportedOptionError with the fallback `append_and_ask` when the reply cannot be continued: before any request
   * where that is known, else when the server refuses it. Otherwise as every Model.
   */
  async *stream(prompt: Prompt): AsyncGenerator<Delta, void, undefined> {
    if (prompt.continue && this.continues === false) throw cannotContinue();
    const body = JSON.stringify(encodeRequest(prompt, this.#init.model, this.#host));
    const edit = prompt.messages.at(-1);
    const echo = prompt.continue && edit !== undefined && this.#host.repeatsEdit ? new EditEcho(textOf(edit)) : null;
    try {
      const open = (signal: AbortSignal) => this.#reply(body, echo, prompt.cancel, signal);
      for await (const deltas of timed(open, this.#timers, this.#clock, prompt.cancel)) yield* deltas;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      throw prompt.continue && refusesEdit(error) ? cannotContinue() : this.#withoutKey(error);
    }
  }

  /** The deltas of the reply, in batches that hold something. A reply that said why it ended is whole, even if its stream breaks. */
  async *#reply(
    body: string,
    echo: EditEcho | null,
    cancel: AbortSignal,
    signal: AbortSignal,
  ): AsyncGenerator<readonly Delta[], void, undefined> {
    const decoder = new ChatDecoder();
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
    const response = await this.#init.transport.post(this.#url.href, this.#headers(), body, signal);
    const { status, headers } = response;
    if (status >= 200 && status < 300 && mediaType(headers) !== 'application/json') return response;
    throw responseError({ status, headers, body: await errorText(response.body) }, this.#clock.now());
  }

  #headers(): Record<string, string> {
    const { key, headers } = this.#init;
    return {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    };
  }

  /** Some servers repeat the key that they refuse. */
  #withoutKey(error: ModelError): ModelError {
    const { key } = this.#init;
    if (!key || !error.message.includes(key)) return error;
    return new ModelError(error.kind, error.message.replaceAll(key, '[key]'), error.retryAfter);
  }
}

function endpoint(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new MisuseError('option_invalid', 'The base URL of a Chat Completions model must be an http address.');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

function canContinue({ continuation }: Host, baseUrl: string): boolean {
  if (continuation.how === 'none') return false;
  const at = continuation.how === 'prefix' ? continuation.at : undefined;
  return at === undefined || new URL(baseUrl).pathname.replace(/\/+$/, '').endsWith(at);
}

function cannotContinue(): UnsupportedOptionError {
  return new UnsupportedOptionError('This model cannot continue a reply. Keep the edit and ask for another one.', appendAndAsk);
}

/** Only visible text may repeat the edit. */
function withoutEcho(delta: Delta, echo: EditEcho): Delta[] {
  if (delta.type !== 'text') return [delta];
  const text = echo.add(delta.text);
  return text === '' ? [] : [{ type: 'text', text }];
}

function isBroken(error: unknown): boolean {
  return error instanceof Cancelled || (error instanceof ModelError && error.kind === 'transport_error');
}

import { type Delta, type MediaPart, type Model, type Prompt, textOf } from '../../core/index.ts';
import { EditEcho } from '../edit-echo.ts';
import { bearer, Endpoint, type EndpointInit } from '../endpoint.ts';
import { cannotContinue } from '../errors.ts';
import { isTaken } from '../media.ts';
import { KnownLacks } from '../media-refusal.ts';
import { ChatDecoder } from './decode.ts';
import { type ChatTarget, encodeRequest } from './encode.ts';
import { type Host, hostFor, type HostName, hosts } from './hosts.ts';

/** What a Chat Completions model is made of. The key is sent as a bearer token. */
export interface ChatCompletionsInit extends EndpointInit {
  /** The provider's name, as in `<provider>/<model>`: `openai` when left out. Provider data are kept under both. */
  readonly provider?: string;
  /** The preset of the server; else it follows from the address (`hostFor`). */
  readonly host?: HostName;
  /** False for a model that is known not to continue a reply, whatever its host can. */
  readonly continues?: false;
}

/**
 * A model behind the Chat Completions API: OpenAI, llama.cpp, vLLM, exl3, Ollama and the rest of `hosts`. Its options stand
 * under the provider key `openai` and are merged into the request last and shallowly (MODEL-04).
 */
export class ChatCompletions implements Model {
  /** False for a host that is known not to continue a reply; else absent, since the model behind it decides (INTR-21). */
  readonly continues?: boolean;
  readonly #endpoint: Endpoint;
  readonly #target: ChatTarget;
  readonly #lacks: KnownLacks;

  /** @throws MisuseError `option_invalid` when `baseUrl` is no http address. */
  constructor(init: ChatCompletionsInit) {
    this.#endpoint = new Endpoint(init, '/chat/completions', bearer(init.key));
    const { model, provider = 'openai' } = init;
    const base = new URL(init.baseUrl);
    const host = hosts[init.host ?? hostFor(base)];
    this.#target = { model, host, owner: `${provider}/${model}` };
    this.#lacks = new KnownLacks(init.lacks);
    if (init.continues === false || !canContinue(host, base)) this.continues = false;
  }

  takes(part: MediaPart): boolean {
    return isTaken(part, this.#target.host.media, { ...this.#target, lacks: this.#lacks.kinds });
  }

  /**
   * @throws UnsupportedOptionError with the fallback `append_and_ask` when the reply cannot be continued: before any request
   * where that is known, else when the server refuses it. Otherwise as every Model.
   */
  async *stream(prompt: Prompt): AsyncGenerator<Delta, void, undefined> {
    if (prompt.continue && this.continues === false) throw cannotContinue();
    const edit = prompt.messages.at(-1);
    const { host, owner } = this.#target;
    yield* this.#lacks.ask(prompt, (lacks) => {
      const echo = prompt.continue && edit !== undefined && host.repeatsEdit ? new EditEcho(textOf(edit)) : null;
      return this.#endpoint.ask(encodeRequest(prompt, { ...this.#target, lacks }), new ChatDecoder(owner), prompt, echo);
    });
  }
}

function canContinue({ continuation }: Host, base: URL): boolean {
  if (continuation.how === 'none') return false;
  const at = continuation.how === 'prefix' ? continuation.at : undefined;
  return at === undefined || base.pathname.replace(/\/+$/, '').endsWith(at);
}

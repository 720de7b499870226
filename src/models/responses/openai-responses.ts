import type { Delta, MediaPart, Model, Prompt } from '../../core/index.ts';
import { bearer, Endpoint, type EndpointInit } from '../endpoint.ts';
import { cannotContinue } from '../errors.ts';
import { isTaken } from '../media.ts';
import { KnownLacks } from '../media-refusal.ts';
import { ResponsesDecoder } from './decode.ts';
import { encodeRequest, mediaRule, type ResponsesTarget } from './encode.ts';

/** What an OpenAI Responses model is made of. The key is sent as a bearer token. */
export interface OpenAIResponsesInit extends EndpointInit {
  /** The provider's name, as in `<provider>/<model>`: `openai` when left out. Provider data are kept under both. */
  readonly provider?: string;
}

/**
 * A model behind the OpenAI Responses API. Each request holds the whole conversation, encrypted reasoning with it, and asks
 * the provider to store nothing (RESP-06). Its options stand under the provider key `openai` and are merged into the request
 * last and shallowly (MODEL-04).
 */
export class OpenAIResponses implements Model {
  /** The API has no continuation (INTR-14). */
  readonly continues = false;
  readonly #endpoint: Endpoint;
  readonly #target: ResponsesTarget;
  readonly #lacks: KnownLacks;

  /** @throws MisuseError `option_invalid` when `baseUrl` is no http address. */
  constructor(init: OpenAIResponsesInit) {
    const { model, key, provider = 'openai' } = init;
    this.#endpoint = new Endpoint(init, '/responses', bearer(key));
    this.#target = { model, owner: `${provider}/${model}` };
    this.#lacks = new KnownLacks(init.lacks);
  }

  takes(part: MediaPart): boolean {
    return isTaken(part, mediaRule, { ...this.#target, lacks: this.#lacks.kinds });
  }

  /** @throws UnsupportedOptionError with the fallback `append_and_ask` for a prompt that continues a reply. Otherwise as every Model. */
  async *stream(prompt: Prompt): AsyncGenerator<Delta, void, undefined> {
    if (prompt.continue) throw cannotContinue();
    yield* this.#lacks.ask(prompt, (lacks) =>
      this.#endpoint.ask(encodeRequest(prompt, { ...this.#target, lacks }), new ResponsesDecoder(this.#target.owner), prompt),
    );
  }
}

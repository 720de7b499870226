import { type Delta, isObject, type MediaPart, type Message, type Model, type Prompt, textOf } from '../../core/index.ts';
import { EditEcho } from '../edit-echo.ts';
import { Endpoint, type EndpointInit } from '../endpoint.ts';
import { cannotContinue } from '../errors.ts';
import { isTaken } from '../media.ts';
import { KnownLacks } from '../media-refusal.ts';
import { traitsOf } from './claude.ts';
import { MessagesDecoder } from './decode.ts';
import { encodeRequest, mediaRule, type MessagesTarget, optionsKey } from './encode.ts';
import { throughPauses } from './pauses.ts';

/** The version of the API that requests name. */
const apiVersion = '2023-06-01';

/** What an Anthropic Messages model is made of. The key is sent as `x-api-key`. */
export interface AnthropicMessagesInit extends EndpointInit {
  /** The provider's name, as in `<provider>/<model>`: `anthropic` when left out. Provider data are kept under both. */
  readonly provider?: string;
  /** The bound of a reply when the prompt names none, in tokens; else it follows from the model's name. */
  readonly maxOutputTokens?: number;
  /** Whether the model goes on from the beginning of a reply; else it follows from its name where that is known (ANT-06). */
  readonly continues?: boolean;
}

/**
 * A model behind the Anthropic Messages API. Its options, thinking among them, stand under the provider key `anthropic` and
 * are merged into the request last and shallowly (MODEL-04, ANT-11). A `cache_control` there takes the place of the cache
 * marks that the request has otherwise.
 */
export class AnthropicMessages implements Model {
  /** What is known before any request; with thinking on, no model continues a reply (INTR-13). */
  readonly continues?: boolean;
  readonly #endpoint: Endpoint;
  readonly #target: MessagesTarget;
  readonly #lacks: KnownLacks;

  /** @throws MisuseError `option_invalid` when `baseUrl` is no http address. */
  constructor(init: AnthropicMessagesInit) {
    const { model, key, provider = 'anthropic' } = init;
    const traits = traitsOf(model);
    const continues = init.continues ?? traits.continues;
    if (continues !== undefined) this.continues = continues;
    this.#endpoint = new Endpoint(init, '/messages', {
      'anthropic-version': apiVersion,
      ...(key === undefined || key === '' ? {} : { 'x-api-key': key }),
    });
    const maxOutputTokens = init.maxOutputTokens ?? traits.maxOutputTokens;
    this.#target = { model, owner: `${provider}/${model}`, maxOutputTokens };
    this.#lacks = new KnownLacks(init.lacks);
  }

  takes(part: MediaPart): boolean {
    return isTaken(part, mediaRule, { ...this.#target, lacks: this.#lacks.kinds });
  }

  /**
   * @throws UnsupportedOptionError with the fallback `append_and_ask` when the reply cannot be continued: before any request
   * where that is known, else when the server refuses it. Otherwise as every Model.
   */
  async *stream(prompt: Prompt): AsyncGenerator<Delta, void, undefined> {
    if (prompt.continue && (this.continues === false || thinks(prompt))) throw cannotContinue();
    yield* this.#lacks.ask(prompt, (lacks) => {
      const target = { ...this.#target, lacks };
      const ask = (said: Message | null) => this.#ask(prompt, target, said);
      return mayPause(prompt) ? throughPauses(ask) : ask(null).deltas;
    });
  }

  #ask(prompt: Prompt, target: MessagesTarget, said: Message | null): { decoder: MessagesDecoder; deltas: AsyncIterable<Delta> } {
    const decoder = new MessagesDecoder(target.owner);
    const edit = prompt.continue ? prompt.messages.at(-1) : undefined;
    return { decoder, deltas: this.#endpoint.ask(encodeRequest(prompt, target, said), decoder, prompt, echoOf(edit)) };
  }
}

/** The white space that an edit loses at its end: the reply may begin with it, and the edit has it already (INTR-12). */
function echoOf(edit: Message | undefined): EditEcho | null {
  const text = edit === undefined ? '' : textOf(edit);
  const cut = text.slice(text.trimEnd().length);
  return cut === '' ? null : new EditEcho(cut);
}

/** A server pauses for tools of its own alone, and those stand in the operator's options. */
function mayPause(prompt: Prompt): boolean {
  const own = prompt.options.provider[optionsKey];
  return !prompt.continue && (own?.tools !== undefined || own?.mcp_servers !== undefined);
}

function thinks(prompt: Prompt): boolean {
  const thinking = prompt.options.provider[optionsKey]?.thinking;
  return isObject(thinking) && thinking.type !== 'disabled';
}

import {
  type ContentPart,
  type JsonObject,
  type Message,
  type Part,
  type Prompt,
  type ToolCallPart,
  toolCalls,
  type ToolResultPart,
  type ToolSpec,
  UnsupportedOptionError,
} from '../../core/index.ts';
import { CallIds } from '../call-ids.ts';
import { contentOf, endsWithReply, interruptedResult, resultsIn } from '../history.ts';
import { imageTypes, type MediaRule, type MediaTarget, pdfName, type SentMedia, shownPart } from '../media.ts';
import { dataOf, type Owner } from '../provider-data.ts';
import { textIn } from '../read.ts';
import { sentName } from '../tool-names.ts';
import type { InputContent, ResponsesItem, ResponsesRequest, ResponsesTool } from './request.ts';

/** The key of this API's options (MODEL-03). */
const optionsKey = 'openai';

/** What a request is made for. */
export interface ResponsesTarget extends MediaTarget {
  readonly model: string;
}

/** What the API takes of media. */
export const mediaRule: MediaRule = { types: [...imageTypes, 'application/pdf'], files: ['image', 'document'] };

const idRule = { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 };

/** Models that do not reason: OpenAI refuses to encrypt thoughts for them. */
const thoughtless = /(^|\/)(gpt-3|gpt-4|chatgpt-|gpt-5(\.\d+)?-chat)/;

/**
 * The request for a prompt: whole in itself, since nothing is stored at the provider (RESP-06). Its bytes up to the last item
 * begin those of the next request, as long as the prompt grows at its end.
 * @throws MisuseError `bad_input` when a reply comes last.
 */
export function encodeRequest(prompt: Prompt, target: ResponsesTarget): ResponsesRequest {
  const { options, tools, system } = prompt;
  const { model } = target;
  return {
    model,
    stream: true,
    store: false,
    ...(thoughtless.test(model) ? {} : { include: ['reasoning.encrypted_content'] }),
    ...(options.maxOutputTokens === undefined ? {} : { max_output_tokens: options.maxOutputTokens }),
    ...(tools.length === 0 ? {} : { tools: tools.map(encodeTool) }),
    ...(system ? { instructions: system } : {}),
    input: encodeInput(prompt.messages, target),
    ...options.provider[optionsKey],
  };
}

function encodeTool({ name, description, input }: ToolSpec): ResponsesTool {
  return { type: 'function', name, description, parameters: input, strict: false };
}

function encodeInput(messages: readonly Message[], target: MediaTarget): readonly ResponsesItem[] {
  const encoder = new Encoder(messages, target);
  for (const message of messages) {
    if (message.role === 'assistant') encoder.addAssistant(message);
    else encoder.addUser(message);
  }
  if (encoder.endsWithReply) throw endsWithReply();
  return encoder.items;
}

/** Puts the messages of one request in the order and the form that the API asks for. */
class Encoder {
  readonly items: ResponsesItem[] = [];
  endsWithReply = false;
  readonly #target: MediaTarget;
  readonly #ids = new CallIds(idRule);
  readonly #results: ReadonlyMap<string, ToolResultPart>;

  constructor(messages: readonly Message[], target: MediaTarget) {
    this.#target = target;
    this.#results = resultsIn(messages);
  }

  /** The items of a reply in their order, and behind them an output for each call, matched by call id (RESP-02, RESP-03). */
  addAssistant(message: Message): void {
    const calls = toolCalls(message).map((call) => ({ call, id: this.#ids.next(call) }));
    const ids = new Map(calls.map(({ call, id }) => [call.id, id]));
    const items = withoutLastThoughts(joinedTexts(message.content, this.#target.owner).flatMap((part) => this.#item(part, ids)));
    if (items.length === 0) return;
    this.items.push(...items);
    for (const { call, id } of calls) {
      this.items.push({ type: 'function_call_output', call_id: id, output: this.#outputOf(call) });
    }
    this.endsWithReply = calls.length === 0;
  }

  /** What a user message says beside the results it carries, which stand with their calls. */
  addUser(message: Message): void {
    const content = contentOf(message).flatMap((part) => this.#input(part));
    if (content.length === 0) return;
    this.items.push({ type: 'message', role: 'user', content });
    this.endsWithReply = false;
  }

  /** One item or none: thoughts and unknown items go back to the model that made them alone. */
  #item(part: Part, ids: ReadonlyMap<string, string>): ResponsesItem[] {
    const data = dataOf(part, this.#target.owner);
    switch (part.type) {
      case 'text': {
        const phase = textIn(data?.phase);
        if (part.text === '') return [];
        return [{ type: 'message', role: 'assistant', content: part.text, ...(phase === '' ? {} : { phase }) }];
      }
      case 'tool_call':
        return [encodeCall(part, ids.get(part.id) ?? part.id, data)];
      case 'reasoning':
      case 'opaque':
        return data === undefined ? [] : [data];
      default:
        throw new UnsupportedOptionError(`This model takes no ${part.type} in a reply.`);
    }
  }

  #input(part: ContentPart): InputContent[] {
    const shown = shownPart(part, mediaRule, this.#target);
    if (shown.type !== 'text') return [inputMedia(shown)];
    return shown.text === '' ? [] : [{ type: 'input_text', text: shown.text }];
  }

  #outputOf(call: ToolCallPart): string | readonly InputContent[] {
    const result = this.#results.get(call.id);
    if (result === undefined) return interruptedResult;
    const content = result.content.flatMap((part) => this.#input(part));
    const [only] = content;
    if (only === undefined) return '';
    return content.length === 1 && only.type === 'input_text' ? only.text : content;
  }
}

/** Texts in a row are one message, but for those that are messages of this model's own. */
function joinedTexts(parts: readonly Part[], owner: Owner): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const alike = part.type === 'text' && last?.type === 'text' && !dataOf(part, owner) && !dataOf(last, owner);
    if (alike) joined.splice(-1, 1, { type: 'text', text: last.text + part.text });
    else joined.push(part);
  }
  return joined;
}

/** Arguments that were no JSON go out as an empty object. */
function encodeCall({ name, input }: ToolCallPart, id: string, data: JsonObject | undefined): ResponsesItem {
  return { type: 'function_call', call_id: id, name: sentName(name), arguments: JSON.stringify(input), ...data };
}

/** Thoughts that nothing follows are refused. */
function withoutLastThoughts(items: readonly ResponsesItem[]): readonly ResponsesItem[] {
  return items.slice(0, 1 + items.findLastIndex(({ type }) => type !== 'reasoning'));
}

function inputMedia(media: SentMedia): InputContent {
  const isImage = media.type === 'image';
  if ('file' in media) {
    const file_id = media.file;
    return isImage ? { type: 'input_image', detail: 'auto', file_id } : { type: 'input_file', file_id };
  }
  const url = `data:${media.mediaType};base64,${media.data}`;
  return isImage
    ? { type: 'input_image', detail: 'auto', image_url: url }
    : { type: 'input_file', filename: pdfName, file_data: url };
}

import {
  type ContentPart,
  isObject,
  type JsonObject,
  type Message,
  MisuseError,
  type Part,
  type Prompt,
  textOf,
  type ToolCallPart,
  toolCalls,
  type ToolResultPart,
  type ToolSpec,
  UnsupportedOptionError,
} from '../../core/index.ts';
import { CallIds } from '../call-ids.ts';
import { editOf, endsWithReply, interruptedResult, resultsIn } from '../history.ts';
import { imageIn } from '../images.ts';
import { dataOf, type Owner } from '../provider-data.ts';
import { numberIn, textIn } from '../read.ts';
import { sentName } from '../tool-names.ts';
import { cacheMark, withMarks } from './cache-marks.ts';
import type {
  AssistantBlock,
  ImageBlock,
  MessagesRequest,
  MessagesTool,
  MessagesTurn,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from './request.ts';

/** The key of this API's options (MODEL-03). */
export const optionsKey = 'anthropic';

/** What a request is made for. */
export interface MessagesTarget {
  readonly model: string;
  /** Whose provider data go back. */
  readonly owner: Owner;
  /** The bound of a reply when the prompt names none, in tokens. */
  readonly maxOutputTokens: number;
}

/** Ids in the API's alphabet (ANT-10). */
const idRule = { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 };

/**
 * The request for a prompt. But for the cache marks, its bytes up to the last message begin those of the next request, as
 * long as the prompt grows at its end.
 * @throws UnsupportedOptionError for media that the API does not take; MisuseError `bad_input` when the last message is not
 *   whose turn it is, or is a reply to be continued that has no text.
 */
export function encodeRequest(prompt: Prompt, target: MessagesTarget): MessagesRequest {
  const { options, tools, system } = prompt;
  const own = options.provider[optionsKey];
  const encoder = encodeMessages(prompt, target.owner);
  const marks = own === undefined || !Object.hasOwn(own, 'cache_control');
  return {
    model: target.model,
    max_tokens: options.maxOutputTokens ?? target.maxOutputTokens + thinkingBudget(own),
    stream: true,
    ...(tools.length === 0 ? {} : { tools: encodeTools(tools, marks && !system) }),
    ...(system ? { system: [{ type: 'text', text: system, ...(marks ? cacheMark : {}) }] } : {}),
    messages: marks ? withMarks(encoder.turns, encoder.ends) : encoder.turns,
    ...own,
  };
}

/** What thoughts may take of a reply's bound, in tokens: a bound of our own leaves that much more room. */
function thinkingBudget(options: JsonObject | undefined): number {
  return isObject(options?.thinking) ? numberIn(options.thinking.budget_tokens) : 0;
}

/** The mark of the last tool holds for all of them. */
function encodeTools(tools: readonly ToolSpec[], mark: boolean): readonly MessagesTool[] {
  return tools.map(({ name, description, input }, at) => {
    const tool = { name, description, input_schema: input };
    return mark && at === tools.length - 1 ? { ...tool, ...cacheMark } : tool;
  });
}

function encodeMessages(prompt: Prompt, owner: Owner): Encoder {
  const edit = editOf(prompt);
  const encoder = new Encoder(prompt.messages, owner);
  for (const message of prompt.messages) {
    if (message === edit) encoder.addEdit(message);
    else if (message.role === 'assistant') encoder.addAssistant(message);
    else encoder.addUser(message);
  }
  if (edit === undefined && encoder.turns.at(-1)?.role === 'assistant') throw endsWithReply();
  return encoder;
}

/** Puts the messages of one request in the order and the form that the API asks for. */
class Encoder {
  /** Messages of one role in a row are one (ANT-07). */
  readonly turns: MessagesTurn[] = [];
  /** The last block of each piece of the user's side, in order: where one prompt may end and the next go on. */
  readonly ends: UserBlock[] = [];
  readonly #owner: Owner;
  readonly #ids = new CallIds(idRule);
  readonly #results: ReadonlyMap<string, ToolResultPart>;

  constructor(messages: readonly Message[], owner: Owner) {
    this.#owner = owner;
    this.#results = resultsIn(messages);
  }

  /** A reply and, right behind it, the results of its calls: they come first in the user message (ANT-07). */
  addAssistant(message: Message): void {
    const ids = new Map(toolCalls(message).map((call) => [call.id, this.#ids.next(call)]));
    const all = message.content.map((part) => assistantBlock(part, ids, this.#owner));
    const blocks = withoutLastThoughts(all.filter((block) => block !== null));
    if (blocks.length === 0) return;
    this.#assistant(blocks);
    this.#user(toolCalls(message).map((call) => this.#result(call, ids.get(call.id) ?? call.id)));
  }

  /**
   * The reply that is to be continued: its visible text alone. Calls that it holds already have no results, which the API
   * refuses, and so it does white space at the end (INTR-12).
   */
  addEdit(message: Message): void {
    const text = textOf(message).trimEnd();
    if (text === '') throw new MisuseError('bad_input', 'A reply that is to be continued must hold text.');
    this.#assistant([{ type: 'text', text }]);
  }

  /** What a user message says beside the results it carries, which stand behind their calls. */
  addUser(message: Message): void {
    this.#user(message.content.flatMap((part) => (part.type === 'tool_result' ? [] : contentBlocks(part))));
  }

  #assistant(blocks: readonly AssistantBlock[]): void {
    const last = this.turns.at(-1);
    if (last?.role === 'assistant') this.turns.splice(-1, 1, { role: 'assistant', content: [...last.content, ...blocks] });
    else this.turns.push({ role: 'assistant', content: blocks });
  }

  #user(blocks: readonly UserBlock[]): void {
    const end = blocks.at(-1);
    if (end === undefined) return;
    this.ends.push(end);
    const last = this.turns.at(-1);
    if (last?.role === 'user') this.turns.splice(-1, 1, { role: 'user', content: [...last.content, ...blocks] });
    else this.turns.push({ role: 'user', content: blocks });
  }

  #result(call: ToolCallPart, id: string): ToolResultBlock {
    const result = this.#results.get(call.id);
    const content = result === undefined ? textBlocks(interruptedResult) : result.content.flatMap(contentBlocks);
    return {
      type: 'tool_result',
      tool_use_id: id,
      ...(content.length === 0 ? {} : { content }),
      ...(result?.error === false ? {} : { is_error: true }),
    };
  }
}

/** Null for what does not go back: thoughts without a signature (ANT-04), blank text (ANT-10), data of another model. */
function assistantBlock(part: Part, ids: ReadonlyMap<string, string>, owner: Owner): AssistantBlock | null {
  switch (part.type) {
    case 'text': {
      const { citations } = dataOf(part, owner) ?? {};
      return part.text.trim() === ''
        ? null
        : { type: 'text', text: part.text, ...(citations === undefined ? {} : { citations }) };
    }
    case 'reasoning': {
      const { signature, redacted } = dataOf(part, owner) ?? {};
      if (textIn(redacted) !== '') return { type: 'redacted_thinking', data: textIn(redacted) };
      return textIn(signature) === '' ? null : { type: 'thinking', thinking: part.text, signature: textIn(signature) };
    }
    case 'tool_call':
      return {
        type: 'tool_use',
        id: ids.get(part.id) ?? part.id,
        name: sentName(part.name),
        input: part.input,
        ...dataOf(part, owner),
      };
    case 'opaque':
      return dataOf(part, owner) ?? null;
    default:
      throw new UnsupportedOptionError(`This model takes no ${part.type} in a reply.`);
  }
}

/** A reply cannot end in thoughts; those that nothing follows are of no use. */
function withoutLastThoughts(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] {
  return blocks.slice(0, 1 + blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'));
}

function contentBlocks(part: Part | ContentPart): (TextBlock | ImageBlock)[] {
  if (part.type === 'text') return textBlocks(part.text);
  const { mediaType, data } = imageIn(part);
  return [{ type: 'image', source: { type: 'base64', media_type: mediaType, data } }];
}

function textBlocks(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

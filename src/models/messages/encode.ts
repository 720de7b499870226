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
import { contentOf, editOf, endsWithReply, interruptedResult, resultsIn } from '../history.ts';
import { imageTypes, type MediaRule, type MediaTarget, type SentMedia, shownPart } from '../media.ts';
import { dataOf, type Owner } from '../provider-data.ts';
import { numberIn, textIn } from '../read.ts';
import { sentName } from '../tool-names.ts';
import { cacheMark, withMarks } from './cache-marks.ts';
import type {
  AssistantBlock,
  ContentBlock,
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
export interface MessagesTarget extends MediaTarget {
  readonly model: string;
  /** The bound of a reply when the prompt names none, in tokens. */
  readonly maxOutputTokens: number;
}

/** What the API takes of media, in a message and in a result alike. */
export const mediaRule: MediaRule = {
  types: [...imageTypes, 'application/pdf'],
  imageLimit: 5 * 1024 * 1024,
  files: ['image', 'document'],
};

/** Ids in the API's alphabet (ANT-10). */
const idRule = { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 };

/**
 * The request for a prompt. But for the cache marks, its bytes up to the last message begin those of the next request, as
 * long as the prompt grows at its end. `paused` is what was said of the reply until its server paused, which goes on from there.
 * @throws MisuseError `bad_input` when the last message is not whose turn it is, or is a reply to be continued that has no
 *   text.
 */
export function encodeRequest(prompt: Prompt, target: MessagesTarget, paused: Message | null = null): MessagesRequest {
  const { options, tools, system } = prompt;
  const own = options.provider[optionsKey];
  const encoder = encodeMessages(prompt, target, paused);
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

function encodeMessages(prompt: Prompt, target: MediaTarget, paused: Message | null): Encoder {
  const edit = editOf(prompt);
  const encoder = new Encoder(prompt.messages, target);
  for (const message of prompt.messages) {
    if (message === edit) encoder.addEdit(message);
    else if (message.role === 'assistant') encoder.addAssistant(message);
    else encoder.addUser(message);
  }
  if (edit === undefined && encoder.turns.at(-1)?.role === 'assistant') throw endsWithReply();
  if (paused !== null) encoder.addPaused(paused);
  return encoder;
}

/** Puts the messages of one request in the order and the form that the API asks for. */
class Encoder {
  /** Messages of one role in a row are one (ANT-07). */
  readonly turns: MessagesTurn[] = [];
  /** The last block of each piece of the user's side, in order: where one prompt may end and the next go on. */
  readonly ends: UserBlock[] = [];
  readonly #target: MediaTarget;
  readonly #ids = new CallIds(idRule);
  readonly #results: ReadonlyMap<string, ToolResultPart>;
  /** The calls of the server's own tools that have their results somewhere: in the same reply, or in a later one of the same turn. */
  readonly #served: ReadonlySet<string>;

  constructor(messages: readonly Message[], target: MediaTarget) {
    this.#target = target;
    this.#results = resultsIn(messages);
    this.#served = servedIn(messages, target.owner);
  }

  /** A reply and, right behind it, the results of its calls: they come first in the user message (ANT-07). */
  addAssistant(message: Message): void {
    const ids = new Map(toolCalls(message).map((call) => [call.id, this.#ids.next(call)]));
    const all = assistantBlocks(message, ids, this.#target.owner);
    const blocks = withoutLastThoughts(ids.size > 0 ? all : all.filter((block) => !this.#isUnanswered(block)));
    if (blocks.length === 0) return;
    this.#assistant(blocks);
    this.#user(toolCalls(message).map((call) => this.#result(call, ids.get(call.id) ?? call.id)));
  }

  /** A reply that its server paused: as it is. */
  addPaused(message: Message): void {
    this.#assistant(assistantBlocks(message, new Map(), this.#target.owner));
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
    this.#user(contentOf(message).flatMap((part) => this.#content(part)));
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

  /** A call of a tool of the server's that has no result is refused once something follows it: the reply was cut there, and nobody asks on. */
  #isUnanswered(block: AssistantBlock): boolean {
    return serverCalls.includes(String(block.type)) && 'id' in block && !this.#served.has(String(block.id));
  }

  #content(part: ContentPart): ContentBlock[] {
    const shown = shownPart(part, mediaRule, this.#target);
    return shown.type === 'text' ? textBlocks(shown.text) : [mediaBlock(shown)];
  }

  #result(call: ToolCallPart, id: string): ToolResultBlock {
    const result = this.#results.get(call.id);
    const content = result === undefined ? textBlocks(interruptedResult) : result.content.flatMap((part) => this.#content(part));
    return {
      type: 'tool_result',
      tool_use_id: id,
      ...(content.length === 0 ? {} : { content }),
      ...(result?.error === false ? {} : { is_error: true }),
    };
  }
}

/** The blocks in which a server calls tools of its own. */
const serverCalls: readonly string[] = ['server_tool_use', 'mcp_tool_use'];

function servedIn(messages: readonly Message[], owner: Owner): ReadonlySet<string> {
  const parts = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'opaque'));
  return new Set(parts.map((part) => textIn(dataOf(part, owner)?.tool_use_id)));
}

function assistantBlocks(message: Message, ids: ReadonlyMap<string, string>, owner: Owner): readonly AssistantBlock[] {
  return message.content.map((part) => assistantBlock(part, ids, owner)).filter((block) => block !== null);
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

/** The rule lets nothing through but images of these types and PDFs. */
function mediaBlock(media: SentMedia): ContentBlock {
  const isImage = media.type === 'image';
  if ('file' in media) {
    const source = { type: 'file', file_id: media.file } as const;
    return isImage ? { type: 'image', source } : { type: 'document', source };
  }
  const { data, mediaType } = media;
  if (!isImage) return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
  const media_type = imageTypes.find((type) => type === mediaType) ?? imageTypes[0];
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function textBlocks(text: string): TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

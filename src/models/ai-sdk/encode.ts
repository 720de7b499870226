import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import {
  type ContentPart,
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
import { type CallIdRule, CallIds } from '../call-ids.ts';
import { contentOf, editOf, endsWithReply, interruptedResult, resultsIn } from '../history.ts';
import { inNextMessage, type MediaRule, type MediaTarget, resultMediaText, type SentMedia, shownPart } from '../media.ts';
import { dataOf, type Owner } from '../provider-data.ts';
import { sentName } from '../tool-names.ts';
import { type AssistantContent, optionsOf } from './interface.ts';
import { restoredPart } from './stored.ts';

/** The key of this module's options (MODEL-03). */
const optionsKey = 'ai-sdk';

/** What a request is made for. */
export interface AiSdkTarget extends MediaTarget {
  readonly callIds: CallIdRule;
  /** False where the package writes the media of a result out as text: they go into a user message behind the results then (CC-14). */
  readonly mediaInResults: boolean;
}

/** Which types a model takes, its provider says; ids of files are not passed on, since version 3 of the interface has none. */
export const mediaRule: MediaRule = { types: ['*'], files: [] };

type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];

/** Between texts of a result that become one. */
const paragraph = '\n\n';

/**
 * The call of a model for a prompt, in version 4 of the interface; without its signal. What the options hold for this module
 * is merged in last and shallowly (MODEL-04).
 * @throws MisuseError `bad_input` when the last message is not whose turn it is, or is a reply to be continued that has no
 *   text.
 */
export function encodeCall(prompt: Prompt, target: AiSdkTarget): LanguageModelV4CallOptions {
  const { options, tools } = prompt;
  return {
    prompt: encodePrompt(prompt, target),
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
    ...(tools.length === 0 ? {} : { tools: tools.map(encodeTool) }),
    ...(options.provider[optionsKey] as Partial<LanguageModelV4CallOptions> | undefined),
  };
}

function encodeTool({ name, description, input }: ToolSpec): LanguageModelV4FunctionTool {
  return { type: 'function', name, description, inputSchema: input };
}

function encodePrompt(prompt: Prompt, target: AiSdkTarget): LanguageModelV4Message[] {
  const edit = editOf(prompt);
  const encoder = new Encoder(prompt.messages, target);
  for (const message of prompt.messages) {
    if (message === edit) encoder.addEdit(message);
    else if (message.role === 'assistant') encoder.addAssistant(message);
    else encoder.addUser(message);
  }
  if (edit === undefined && encoder.messages.at(-1)?.role === 'assistant') throw endsWithReply();
  return [...(prompt.system ? [{ role: 'system', content: prompt.system } as const] : []), ...encoder.messages];
}

/** Puts the messages of one request in the order and the form that the interface asks for. None of them is empty or blank. */
class Encoder {
  /** Messages of one role in a row are one: some APIs behind the interface demand that they alternate. */
  readonly messages: LanguageModelV4Message[] = [];
  readonly #target: AiSdkTarget;
  readonly #ids: CallIds;
  readonly #results: ReadonlyMap<string, ToolResultPart>;

  constructor(messages: readonly Message[], target: AiSdkTarget) {
    this.#target = target;
    this.#ids = new CallIds(target.callIds);
    this.#results = resultsIn(messages);
  }

  /** A reply and, right behind it, the results of its calls. */
  addAssistant(message: Message): void {
    const ids = new Map(toolCalls(message).map((call) => [call.id, this.#ids.next(call)]));
    const content = withoutLastThoughts(message.content.flatMap((part) => assistantContent(part, ids, this.#target.owner)));
    if (content.length === 0) return;
    this.#assistant(content);
    const media: SentMedia[] = [];
    const results = toolCalls(message).map((call) => this.#result(call, ids.get(call.id) ?? call.id, media));
    if (results.length > 0) this.messages.push({ role: 'tool', content: results });
    if (media.length > 0) this.#user([{ type: 'text', text: resultMediaText }, ...media.flatMap(fileContent)]);
  }

  /** The reply that is to be continued: its visible text alone (INTR-17). */
  addEdit(message: Message): void {
    const text = textOf(message);
    if (isBlank(text)) throw new MisuseError('bad_input', 'A reply that is to be continued must hold text.');
    this.#assistant([{ type: 'text', text }]);
  }

  /** What a user message says beside the results it carries, which stand with their calls. */
  addUser(message: Message): void {
    this.#user(contentOf(message).flatMap((part) => this.#content(part)));
  }

  #user(content: readonly UserContent[]): void {
    if (content.length === 0) return;
    const last = this.messages.at(-1);
    if (last?.role === 'user') this.messages.splice(-1, 1, { role: 'user', content: [...last.content, ...content] });
    else this.messages.push({ role: 'user', content: [...content] });
  }

  #assistant(content: AssistantContent[]): void {
    const last = this.messages.at(-1);
    if (last?.role === 'assistant') this.messages.splice(-1, 1, { role: 'assistant', content: [...last.content, ...content] });
    else this.messages.push({ role: 'assistant', content });
  }

  #result(call: ToolCallPart, toolCallId: string, media: SentMedia[]): LanguageModelV4ToolResultPart {
    const output = this.#outputOf(this.#results.get(call.id), media);
    return { type: 'tool-result', toolCallId, toolName: sentName(call.name), output };
  }

  /** What a result shows and cannot hold is added to `media`. */
  #outputOf(result: ToolResultPart | undefined, media: SentMedia[]): LanguageModelV4ToolResultPart['output'] {
    if (result === undefined) return { type: 'error-text', value: interruptedResult };
    const { mediaInResults } = this.#target;
    const content = result.content.flatMap((part) => this.#content(part, mediaInResults ? null : media));
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (texts.length < content.length) return { type: 'content', value: content };
    return { type: result.error ? 'error-text' : 'text', value: texts.join(paragraph) };
  }

  /** With `later`, media are added to it, and a mark is left in their place. */
  #content(part: ContentPart, later: SentMedia[] | null = null): UserContent[] {
    const shown = shownPart(part, mediaRule, this.#target);
    if (shown.type === 'text') return isBlank(shown.text) ? [] : [{ type: 'text', text: shown.text }];
    if (later === null) return fileContent(shown);
    later.push(shown);
    return [{ type: 'text', text: inNextMessage(shown) }];
  }
}

/** None for what does not go back: thoughts and other parts of another model, blank text. */
function assistantContent(part: Part, ids: ReadonlyMap<string, string>, owner: Owner): AssistantContent[] {
  const data = dataOf(part, owner);
  switch (part.type) {
    case 'text':
      return isBlank(part.text) ? [] : [{ type: 'text', text: part.text, ...optionsOf(data) }];
    case 'reasoning':
      return data === undefined ? [] : [{ type: 'reasoning', text: part.text, ...optionsOf(data) }];
    case 'tool_call': {
      const toolCallId = ids.get(part.id) ?? part.id;
      return [{ type: 'tool-call', toolCallId, toolName: sentName(part.name), input: part.input, ...optionsOf(data) }];
    }
    case 'opaque':
      return data === undefined ? [] : [restoredPart(data)];
    default:
      throw new UnsupportedOptionError(`This model takes no ${part.type} in a reply.`);
  }
}

/** Thoughts that nothing follows are of no use, and some APIs refuse them. */
function withoutLastThoughts(content: readonly AssistantContent[]): AssistantContent[] {
  return content.slice(0, 1 + content.findLastIndex(({ type }) => type !== 'reasoning'));
}

/** The rule lets no ids of files through. */
function fileContent(media: SentMedia): UserContent[] {
  return 'data' in media ? [{ type: 'file', mediaType: media.mediaType, data: { type: 'data', data: media.data } }] : [];
}

/** Some APIs refuse a text of white space. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

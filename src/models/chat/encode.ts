import {
  type ContentPart,
  type Message,
  type Prompt,
  type ReasoningPart,
  textOf,
  type ToolCallPart,
  toolCalls,
  type ToolResultPart,
  type ToolSpec,
} from '../../core/index.ts';
import { CallIds } from '../call-ids.ts';
import { contentOf, editOf, endsWithReply, interruptedResult, resultsIn } from '../history.ts';
import { inNextMessage, type MediaTarget, resultMediaText, type SentMedia, shownPart } from '../media.ts';
import { sentName } from '../tool-names.ts';
import type { Host } from './hosts.ts';
import { type EchoedReasoning, echoedReasoning, providerKey } from './reasoning.ts';
import { joined, mediaPart, paragraph } from './user-content.ts';
import type { ChatAssistantMessage, ChatMessage, ChatRequest, ChatTool, ChatUserContent } from './request.ts';

/** What a request is made for. */
export interface ChatTarget extends MediaTarget {
  readonly model: string;
  readonly host: Host;
}

/** Stands between a tool message and a user message where a host demands one. */
export const bridgeText = 'I have the results.';

/**
 * The request for a prompt. Its bytes up to the last message begin those of the next request, as long as the prompt grows at
 * its end: the keys keep their order, and what changes with a request stands behind the messages.
 * @throws MisuseError `bad_input` when the last message is not whose turn it is.
 */
export function encodeRequest(prompt: Prompt, target: ChatTarget): ChatRequest {
  const { options, tools } = prompt;
  const { model, host } = target;
  const flags = prompt.continue && host.continuation.how === 'flags' ? host.continuation.flags : {};
  return {
    model,
    stream: true,
    ...(host.asksForUsage ? { stream_options: { include_usage: true } } : {}),
    ...(options.maxOutputTokens === undefined ? {} : { [host.tokenLimit]: options.maxOutputTokens }),
    ...(tools.length === 0 ? {} : { tools: tools.map(encodeTool) }),
    messages: encodeMessages(prompt, target),
    ...flags,
    ...options.provider[providerKey],
  };
}

function encodeTool({ name, description, input }: ToolSpec): ChatTool {
  return { type: 'function', function: { name, description, parameters: input } };
}

function encodeMessages(prompt: Prompt, target: ChatTarget): readonly ChatMessage[] {
  const edit = editOf(prompt);
  const encoder = new Encoder(prompt.messages, target);
  if (prompt.system) encoder.add({ role: 'system', content: prompt.system });
  for (const message of prompt.messages) {
    if (message === edit) encoder.addEdit(message);
    else if (message.role === 'assistant') encoder.addAssistant(message);
    else encoder.addUser(message);
  }
  if (edit === undefined && encoder.messages.at(-1)?.role === 'assistant') throw endsWithReply();
  return encoder.messages;
}

/** Puts the messages of one request in the order and the form that the API asks for. */
class Encoder {
  readonly messages: ChatMessage[] = [];
  readonly #host: Host;
  readonly #target: MediaTarget;
  readonly #ids: CallIds;
  readonly #results: ReadonlyMap<string, ToolResultPart>;

  constructor(messages: readonly Message[], target: ChatTarget) {
    this.#host = target.host;
    this.#target = target;
    this.#ids = new CallIds(target.host.callIds);
    this.#results = resultsIn(messages);
  }

  add(message: ChatMessage): void {
    this.messages.push(message);
  }

  /**
   * An assistant message and, right behind it, a tool message for each of its calls (CC-03). Those take text alone: media follow in a user message
   * (CC-14). An empty reply is left out.
   */
  addAssistant(message: Message): void {
    const calls = toolCalls(message).map((call) => ({ call, id: this.#ids.next(call) }));
    const text = textOf(message);
    if (calls.length === 0) {
      if (text !== '') this.add({ role: 'assistant', content: text });
      return;
    }
    const reasoning = message.content.filter((part): part is ReasoningPart => part.type === 'reasoning');
    this.add({
      role: 'assistant',
      ...contentAndReasoning(text, echoedReasoning(reasoning, this.#host, this.#target.owner), this.#host),
      tool_calls: calls.map(({ call, id }) => encodeCall(call, id)),
    });
    const media: SentMedia[] = [];
    for (const { call, id } of calls) this.add({ role: 'tool', tool_call_id: id, content: this.#resultOf(call, media) });
    if (media.length > 0) this.#user([{ type: 'text', text: resultMediaText }, ...media.map(mediaPart)]);
  }

  /**
   * The reply that is to be continued: its visible text alone. Calls that it holds already have no results, which no API
   * takes, and reasoning cannot be gone on with (INTR-17).
   */
  addEdit(message: Message): void {
    const mark = this.#host.continuation.how === 'prefix' ? { prefix: true } : {};
    this.add({ role: 'assistant', content: textOf(message), ...mark });
  }

  /** What a user message says beside the results it carries, which stand with their calls. */
  addUser(message: Message): void {
    const parts = contentOf(message);
    if (parts.length === 0 && message.content.length > 0) return;
    this.#user(this.#userContent(parts));
  }

  #user(content: ChatUserContent): void {
    const last = this.messages.at(-1);
    if (last?.role === 'user' && this.#host.joinsUsers) {
      this.messages.splice(-1, 1, { role: 'user', content: joined(last.content, content) });
      return;
    }
    if (last?.role === 'tool' && this.#host.bridgesTools) this.add({ role: 'assistant', content: bridgeText });
    this.add({ role: 'user', content });
  }

  #userContent(parts: readonly ContentPart[]): ChatUserContent {
    const shown = parts.map((part) => shownPart(part, this.#host.media, this.#target));
    const content = shown.map((part) => (part.type === 'text' ? part.text : [mediaPart(part)]));
    return content.reduce<ChatUserContent>((before, part, at) => (at === 0 ? part : joined(before, part)), '');
  }

  /** The text of a result; what it shows beside is added to `media`. */
  #resultOf(call: ToolCallPart, media: SentMedia[]): string {
    const result = this.#results.get(call.id);
    if (result === undefined) return interruptedResult;
    const texts = result.content.map((part) => {
      const shown = shownPart(part, this.#host.media, this.#target);
      if (shown.type === 'text') return shown.text;
      media.push(shown);
      return inNextMessage(shown);
    });
    return texts.join(paragraph);
  }
}

/** Arguments that were no JSON go out as an empty object: servers parse what they get back. */
function encodeCall(call: ToolCallPart, id: string) {
  return { id, type: 'function', function: { name: sentName(call.name), arguments: JSON.stringify(call.input) } } as const;
}

function contentAndReasoning(
  text: string,
  reasoning: EchoedReasoning | null,
  host: Host,
): Pick<ChatAssistantMessage, 'content'> & { readonly [extra: string]: unknown } {
  const content = text === '' ? host.emptyContent : text;
  if (reasoning === null) return { content };
  if (reasoning.field === 'content') {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: reasoning.text }] } as const;
    return { content: text === '' ? [thinking] : [thinking, { type: 'text', text }] };
  }
  const details = reasoning.details === undefined ? {} : { reasoning_details: reasoning.details };
  return { content, [reasoning.field]: reasoning.text, ...details };
}

import { isObject, type Json, type JsonObject } from './json.ts';

/**
 * What a provider needs to get a part back: a signature, a phase, the field it came in. Opaque, never shown, sent back
 * unchanged (MODEL-11). Each key names whose data it is; a model reads its own key alone.
 */
export type ProviderData = JsonObject;

/** Visible text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
  readonly provider?: ProviderData;
}

/** What a model thought. Its text may be empty, where a provider tells no more than its data. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly provider?: ProviderData;
}

/**
 * A call that the model asked for. `id` is ours and unique in the session; `providerId` is what the provider called
 * it, which providers repeat across turns (G-18). `malformed` holds the argument text when it was no JSON object: the
 * call then never ran and `input` is `{}` (TOOL-28).
 */
export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly providerId?: string;
  readonly malformed?: string;
  readonly provider?: ProviderData;
}

/** A piece of a reply that only its provider understands. Its place among the other parts is kept; nobody shows it (RESP-07). */
export interface OpaquePart {
  readonly type: 'opaque';
  readonly provider: ProviderData;
}

/** What the model sees of a call's result. A call and its result are kept as a pair (FAIL-08). */
export interface ToolResultPart {
  readonly type: 'tool_result';
  readonly callId: string;
  readonly content: readonly ContentPart[];
  readonly error: boolean;
}

/**
 * Media holds its bytes (base64 `data`), a hash of a stored blob, a provider's file id, or document `chunks`; never a URL or path. `heldBy` is the
 * provider that knows the file id, as in `<provider>/<model>`.
 */
export interface MediaPart {
  readonly type: 'image' | 'document' | 'audio' | 'video';
  readonly mediaType: string;
  readonly data?: string;
  readonly blob?: string;
  readonly providerFile?: string;
  readonly heldBy?: string;
  readonly chunks?: readonly string[];
}

/** A kind of media. */
export type MediaKind = MediaPart['type'];

/** What a tool result or a user may show a model. */
export type ContentPart = TextPart | MediaPart;

/** Any part of a message. */
export type Part = ContentPart | ReasoningPart | ToolCallPart | ToolResultPart | OpaquePart;

/** Who speaks. The system text is no message: it belongs to the Prompt (THR-18). */
export type Role = 'user' | 'assistant';

/** Why a model stopped (FIN-02). `length`: the token limit; `refusal`: it or its provider declined. */
export type Finish = 'stop' | 'length' | 'tool_calls' | 'refusal' | 'other';

/** One message of the conversation: plain data, so `JSON.stringify` and `messageFromJSON` round-trip it (MODEL-10). */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly content: readonly Part[];
}

/** A user message of one text. */
export function userText(id: string, text: string): Message {
  return { id, role: 'user', content: [{ type: 'text', text }] };
}

/** The tool calls of a message, in the model's order. */
export function toolCalls(message: Message): readonly ToolCallPart[] {
  return message.content.filter((part): part is ToolCallPart => part.type === 'tool_call');
}

/** The visible text of a message: its text parts, joined. */
export function textOf(message: Message): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** True when a user message carries tool results, so that it closes a step and is no person's word. */
export function isResults(message: Message): boolean {
  return message.role === 'user' && message.content.some((part) => part.type === 'tool_result');
}

/**
 * The id of the message that carries the results of an assistant message's calls. It follows from the assistant's id,
 * so that a reader who folds events names the message as the Run does.
 */
export function resultsId(assistantId: string): string {
  return `${assistantId}_results`;
}

const partShapes: { readonly [type: string]: (part: JsonObject) => boolean } = {
  text: isProse,
  reasoning: isProse,
  tool_call: (part) => typeof part.id === 'string' && typeof part.name === 'string' && isObject(part.input) && mayHaveData(part),
  opaque: (part) => isObject(part.provider),
  tool_result: (part) => typeof part.callId === 'string' && Array.isArray(part.content) && part.content.every(isContentPart),
  image: isMedia,
  document: isMedia,
  audio: isMedia,
  video: isMedia,
};

/** Thrown when stored or sent data is no message: nothing is dropped silently (THR-09). */
export class UnmappableContent extends Error {
  readonly code = 'unmappable_content';
}

/**
 * The message that a JSON value stands for, unknown fields kept as they are.
 * @throws UnmappableContent naming what is wrong: an unknown role or part kind, a part without its fields.
 */
export function messageFromJSON(value: Json): Message {
  if (!isObject(value)) throw new UnmappableContent('A message must be an object.');
  const { id, role, content } = value;
  if (typeof id !== 'string') throw new UnmappableContent('A message must have an id.');
  if (role !== 'user' && role !== 'assistant') throw new UnmappableContent('A message must have the role user or assistant.');
  if (!Array.isArray(content)) throw new UnmappableContent('A message must have a list of content parts.');
  for (const part of content) {
    const shape = isObject(part) ? shapeOf(part.type) : undefined;
    if (shape === undefined || !shape(part))
      throw new UnmappableContent(`Message ${id} holds a part of an unknown kind or shape.`);
  }
  return value as unknown as Message;
}

function shapeOf(type: Json | undefined): ((part: JsonObject) => boolean) | undefined {
  return typeof type === 'string' && Object.hasOwn(partShapes, type) ? partShapes[type] : undefined;
}

function isProse(part: JsonObject): boolean {
  return typeof part.text === 'string' && mayHaveData(part);
}

function mayHaveData(part: JsonObject): boolean {
  return part.provider === undefined || isObject(part.provider);
}

function isMedia(part: JsonObject): boolean {
  const locators = [part.data, part.blob, part.providerFile].filter((locator) => typeof locator === 'string' && locator !== '');
  const chunks = Array.isArray(part.chunks) && part.chunks.length > 0 && part.chunks.every((chunk) => typeof chunk === 'string');
  return typeof part.mediaType === 'string' && (locators.length > 0 || chunks);
}

function isContentPart(part: Json): boolean {
  return isObject(part) && (part.type === 'text' || isMedia(part)) && shapeOf(part.type)?.(part) === true;
}

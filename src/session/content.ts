import {
  isObject,
  type Json,
  type JsonObject,
  type Message,
  messageFromJSON,
  type MintId,
  type Part,
  UnmappableContent,
} from '../core/index.ts';
import { accepted, type Outcome, refused } from './protocol/index.ts';

/** What a client sends as a message: a text, or an object whose content is a text or a list of parts. */
export type MessageInput =
  | string
  | { readonly content: string | readonly { readonly type: string; readonly [field: string]: unknown }[] };

const media: readonly string[] = ['image', 'document', 'audio', 'video'];
const locators: readonly string[] = ['url', 'path', 'local_path', 'fileUri', 'uri'];

/** New user input as a message with an id of ours. Refuses what is no new input: other parts than text and media, and empty messages. */
export function userMessage(input: MessageInput, mintId: MintId): Outcome<Message> {
  const parts = partsOf(input);
  const problem = parts.map(userPartProblem).find((found) => found !== null);
  if (problem !== undefined && problem !== null) return problem;
  const content = parts.map((part): Part => ({ type: 'text', text: String(part.text) }));
  if (content.every((part) => part.type === 'text' && part.text.trim() === '')) {
    return refused('bad_request', 'The message is empty: give it a text.', {
      issues: [{ path: 'message.content', message: 'must hold text' }],
    });
  }
  return accepted({ id: mintId('msg'), role: 'user', content });
}

/** True when the input is no message at all, which is told before anything of the session's state (docs/wire.md, refusals). */
export function isBroken(input: Outcome<Message>): input is ReturnType<typeof refused> {
  return !input.ok && input.problem.code === 'bad_request';
}

/**
 * An edit as a message of the assistant under the id that the reply has. Tool calls may be left out of it, never added. What a provider needs
 * back of a part is kept where the part is unchanged, and can come from nowhere else.
 */
export function editedReply(input: MessageInput, id: string, original: Message | null): Outcome<Message> {
  const parts = partsOf(input);
  const left = [...(original?.content ?? [])];
  const content: Part[] = [];
  for (const part of parts) {
    const kept = left.findIndex((before) => isSame(part, before));
    const [before] = kept < 0 ? [] : left.splice(kept, 1);
    const taken = before ?? written(part);
    if (taken === null) return notEditable(part);
    content.push(taken);
  }
  try {
    return accepted(messageFromJSON({ id, role: 'assistant', content: content as unknown as Json }));
  } catch (error) {
    if (error instanceof UnmappableContent) return refused('unmappable_content', error.message);
    throw error;
  }
}

/** True when an edit leaves a part of the reply as it was: a call is known by its id, prose by its text. */
function isSame(part: JsonObject, before: Part): boolean {
  if (part.type !== before.type) return false;
  if (before.type === 'tool_call') return part.id === before.id;
  if (before.type === 'text' || before.type === 'reasoning') return part.text === before.text;
  return before.type === 'opaque' && JSON.stringify(part) === JSON.stringify(before);
}

/** A part that a person wrote; null for what nobody can write. */
function written({ type, text }: JsonObject): Part | null {
  return type === 'text' || type === 'reasoning' ? { type, text: String(text ?? '') } : null;
}

function notEditable({ type }: JsonObject): ReturnType<typeof refused> {
  if (type === 'tool_call')
    return refused('unmappable_content', 'An edit cannot add tool calls: keep those of the reply, or leave them out.');
  return refused('unmappable_content', `An edit of a reply cannot hold a new part of the kind ${shown(type)}.`);
}

function partsOf(input: MessageInput): readonly JsonObject[] {
  const content = typeof input === 'string' ? input : input.content;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly JsonObject[]);
}

function userPartProblem(part: JsonObject): ReturnType<typeof refused> | null {
  if (part.type === 'text' && typeof part.text === 'string') return null;
  if (media.includes(String(part.type))) {
    if (locators.some((name) => Object.hasOwn(part, name))) {
      return refused('attachment_by_reference', 'An attachment must hold its bytes: a URL or a path is not fetched.');
    }
    return refused('unsupported_option', 'This version takes text only: leave attachments out.');
  }
  return refused('bad_request', `A user message cannot hold a part of the kind ${shown(part.type)}.`);
}

function shown(type: Json | undefined): string {
  return isObject(type) ? 'object' : JSON.stringify(type ?? null).slice(0, 40);
}

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
import { type Attachment, type AttachmentStore, checkedAttachment } from './attach.ts';
import { accepted, type Outcome, refused } from './protocol/index.ts';

/** What a client sends as a message: a text, or an object whose content is a text or a list of parts. */
export type MessageInput =
  | string
  | { readonly content: string | readonly (string | { readonly type: string; readonly [field: string]: unknown })[] };

/** The kinds of parts that come from the session alone. */
const sessionKinds: ReadonlySet<unknown> = new Set(['reasoning', 'tool_call', 'tool_result', 'opaque']);

/**
 * New user input as a message with an id of ours. Refuses what is no new input: other parts than text and media, bad attachments, and empty messages.
 * The bytes of attachments go to the store, the parts keep their hashes; a refusal undoes it with the transaction.
 */
export function userMessage(input: MessageInput, mintId: MintId, store: AttachmentStore): Outcome<Message> {
  const parts: (Part | Attachment)[] = [];
  for (const part of partsOf(input)) {
    const checked = userPart(part);
    if (!checked.ok) return checked;
    parts.push(checked.value);
  }
  const attachments = parts.filter((part) => 'store' in part).length;
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
  if (attachments > 0 && text === '') {
    return refused('attachment_without_prompt', 'Attachments need words beside them: say what is to be done with them.');
  }
  if (attachments === 0 && text.trim() === '') {
    return refused('bad_request', 'The message is empty: give it a text.', {
      issues: [{ path: 'message.content', message: 'must hold text' }],
    });
  }
  const content: Part[] = [];
  for (const part of parts) {
    const stored = 'store' in part ? part.store(store) : accepted(part);
    if (!stored.ok) return stored;
    content.push(stored.value);
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
    if (!isObject(part)) return notEditable({});
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

function partsOf(input: MessageInput): readonly (JsonObject | string)[] {
  const content = typeof input === 'string' ? input : input.content;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly (JsonObject | string)[]);
}

function userPart(part: JsonObject | string): Outcome<Part | Attachment> {
  if (isObject(part)) {
    const { type, text } = part;
    if (type === 'text' && typeof text === 'string') return accepted({ type, text });
    if (type === 'text') return refused('bad_request', 'A text part must have a text.');
    if (sessionKinds.has(type)) return refused('bad_request', `A user message cannot hold a part of the kind ${shown(type)}.`);
  }
  return checkedAttachment(part);
}

function shown(type: Json | undefined): string {
  return isObject(type) ? 'object' : JSON.stringify(type ?? null).slice(0, 40);
}

import type { JsonObject } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import type { Answer } from '../../core/need.ts';
import type { InboxItem } from '../../session/protocol/wire.ts';
import type { Answered, SessionStore } from './session.ts';

/** How words go: `auto` begins a turn or steers the one that runs. */
export type SendMode = 'auto' | 'queue' | 'deny_pending';

/** Sends the reader's words. */
export function send(store: SessionStore, text: string, delivery: SendMode): Promise<Answered> {
  return store.command('message', { message: text, delivery }, text);
}

/** The run that a stop means: named, so that one that arrives late cannot stop a later turn. */
function target(store: SessionStore): JsonObject {
  const snapshot = store.snapshot.value;
  if (snapshot?.status === 'idle') {
    const starting = store.outbox.value.find((sent) => sent.text !== null && sent.state === 'sending');
    return starting === undefined ? {} : { target: starting.id };
  }
  return typeof snapshot?.run === 'string' ? { target: snapshot.run } : {};
}

/** Stops the turn, its tools and its open questions. */
export function stop(store: SessionStore): Promise<Answered> {
  store.asked.value = { run: store.snapshot.value?.run ?? null, what: 'stop' };
  return store.command('cancel', target(store));
}

/** Stops the reply and keeps what had come, to be edited. */
export function interrupt(store: SessionStore): Promise<Answered> {
  store.asked.value = { run: store.snapshot.value?.run ?? null, what: 'interrupt' };
  return store.command('interrupt', target(store));
}

/** Goes on after an edited reply. */
export function resume(store: SessionStore, message: Message, ifRev: number): Promise<Answered> {
  return store.command('resume', { message: asJson(message), ifRev });
}

/** Keeps a partial reply as a finished one; with `message` as edited. */
export function keep(store: SessionStore, ifRev: number, message?: Message): Promise<Answered> {
  return store.command('partial', { op: 'keep', ifRev, ...(message === undefined ? {} : { message: asJson(message) }) });
}

/** Drops a partial reply. */
export function discard(store: SessionStore, ifRev: number): Promise<Answered> {
  return store.command('partial', { op: 'drop', ifRev });
}

/** Asks again after a failure. */
export function retry(store: SessionStore): Promise<Answered> {
  return store.command('retry', {});
}

/** Answers calls that wait. */
export function answer(store: SessionStore, answers: readonly Answer[]): Promise<Answered> {
  return store.command('answers', { answers: answers.map(asJson) });
}

/** Changes a waiting message: its words, beside which its attachments stay, or when it is to land. */
export function editItem(
  store: SessionStore,
  item: InboxItem,
  change: { text?: string; delivery?: 'steer' | 'queue' },
): Promise<Answered> {
  const { text, delivery } = change;
  return store.command('inbox', {
    item: item.id,
    op: 'edit',
    ...(text === undefined ? {} : { message: worded(item.message, text) }),
    ...(delivery === undefined ? {} : { delivery }),
  });
}

/** Drops a waiting message. */
export function dropItem(store: SessionStore, item: InboxItem): Promise<Answered> {
  return store.command('inbox', { item: item.id, op: 'drop' });
}

/** Sends a waiting message now. */
export function sendItem(store: SessionStore, item: InboxItem): Promise<Answered> {
  return store.command('inbox', { item: item.id, op: 'send' });
}

/** Takes back the newest change of a file, or all changes of a turn. */
export function undo(store: SessionStore, what: { readonly path: string } | { readonly turn: number }): Promise<Answered> {
  return store.command('undo', what);
}

/** Renames the session, or changes its mode or model. */
export function patch(store: SessionStore, change: { title?: string; mode?: string; model?: string }): Promise<Answered> {
  return store.command('patch', change);
}

function worded({ content }: Message, text: string): JsonObject {
  return { content: [{ type: 'text', text }, ...content.filter((part) => part.type !== 'text')] } as unknown as JsonObject;
}

function asJson(value: Message | Answer): JsonObject {
  return value as unknown as JsonObject;
}

import { noUsage } from '../core/index.ts';
import { byteLength } from './bytes.ts';
import type { SessionRow } from './rows/session.ts';
import { readInbox } from './rows/inbox.ts';
import { newestSeq } from './rows/events.ts';
import { readPage } from './rows/messages.ts';
import { leftPartials, openPartial } from './rows/partials.ts';
import { currentAnswers, readPending } from './rows/pending.ts';
import { newestEnded, openRun } from './rows/runs.ts';
import { type Actor, leftLimit, type Snapshot, type Status, type StoredMessage, type Summary } from './protocol/index.ts';
import type { Answer } from '../core/index.ts';

/** The newest page of a snapshot: at most so many messages and bytes. */
export const pageBounds = { messages: 200, bytes: 512 * 1024 } as const;

/** What a session that was never used looks like. */
export function unusedSnapshot(scope: string, epoch: number, mode: string, window: number | null): Snapshot {
  return {
    scope,
    title: '',
    mode,
    model: null,
    status: 'idle',
    epoch,
    seq: 0,
    thread: 1,
    run: null,
    turn: 0,
    messages: [],
    more: false,
    step: null,
    pending: [],
    staged: [],
    inbox: [],
    partial: null,
    left: [],
    plan: null,
    tasks: [],
    usage: { session: noUsage, context: { used: 0, window } },
    lastEnded: null,
    presence: [],
  };
}

/** The snapshot as the rows have it, for an object that wakes up. A step in progress is in no row: it belongs to a run in memory. */
export function loadSnapshot(sql: SqlStorage, scope: string, row: SessionRow, window: number | null): Snapshot {
  const pending = readPending(sql);
  const run = openRun(sql);
  const ended = newestEnded(sql, row.thread);
  const page = readPage(sql, row.thread, null, pageBounds);
  return {
    ...unusedSnapshot(scope, row.epoch, row.mode, window),
    title: row.title,
    model: row.model,
    status: run === undefined ? restStatus(pending.length) : 'running',
    seq: newestSeq(sql),
    thread: row.thread,
    run: run?.id ?? ended?.row.id ?? null,
    turn: row.turn,
    messages: page.messages,
    more: page.more,
    pending,
    staged: stagedAnswers(sql),
    inbox: readInbox(sql),
    partial: openPartial(sql) ?? null,
    left: leftPartials(sql, row.thread, leftLimit),
    usage: { session: row.usage, context: { used: row.contextUsed, window } },
    lastEnded: ended?.ended ?? null,
  };
}

/** What a session without a run does: nothing, or it waits for answers. */
export function restStatus(pending: number): Status {
  return pending > 0 ? 'awaiting_input' : 'idle';
}

/** The answers that wait for the others, as a snapshot shows them. */
export function stagedAnswers(sql: SqlStorage): (Answer & { by: Actor })[] {
  return currentAnswers(sql)
    .filter((row) => row.state === 'staged')
    .map((row) => ({ ...row.answer, by: row.by }));
}

/** How many bytes messages have as JSON, remembered by identity. Owned by whoever trims. */
export type MessageSizes = WeakMap<StoredMessage, number>;

/** The snapshot with its messages cut to the newest page. */
export function trimmed(snapshot: Snapshot, sizes: MessageSizes): Snapshot {
  let bytes = 0;
  let from = snapshot.messages.length;
  while (from > 0 && snapshot.messages.length - from < pageBounds.messages) {
    const message = snapshot.messages[from - 1];
    if (message === undefined) break;
    const size = sizes.get(message) ?? byteLength(JSON.stringify(message));
    sizes.set(message, size);
    bytes += size;
    if (bytes > pageBounds.bytes && from < snapshot.messages.length) break;
    from -= 1;
  }
  return from === 0 ? snapshot : { ...snapshot, messages: snapshot.messages.slice(from), more: true };
}

/** The session's line in the list. */
export function summaryOf(snapshot: Snapshot, row: SessionRow): Summary {
  const { scope, title, status, mode, model, pending, messages } = snapshot;
  const texts = messages.flatMap((message) => message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])));
  const last = cutText(texts.at(-1) ?? '', 120);
  return { scope, title, status, mode, model, updated: row.updated, created: row.created, needs: pending.length, last };
}

/** The first line of a text, cut at a word to so many characters. */
export function cutText(text: string, limit: number): string {
  const line = text.trim().split(/\s+/).join(' ');
  const characters = [...line];
  if (characters.length <= limit) return line;
  const head = characters.slice(0, limit - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${space > limit / 2 ? head.slice(0, space) : head}…`;
}

import { byteLength } from './bytes.ts';
import type { SessionRow } from './rows/session.ts';
import { readInbox } from './rows/inbox.ts';
import { newestSeq } from './rows/events.ts';
import { readPage } from './rows/messages.ts';
import { leftPartials, openPartial } from './rows/partials.ts';
import { currentAnswers, readPending } from './rows/pending.ts';
import { newestEnded, openRun } from './rows/runs.ts';
import { workspaceRevision } from '../workspace/index.ts';
import { nothingSpent } from './rows/usage.ts';
import {
  type Actor,
  leftLimit,
  type PartialReply,
  type Snapshot,
  type Status,
  type StoredMessage,
  type Summary,
} from './protocol/index.ts';
import type { Answer } from '../core/index.ts';

/** The newest page of a snapshot: at most so many messages and bytes. */
export const pageBounds = { messages: 200, bytes: 512 * 1024 } as const;

/** The newest replies left behind of a snapshot: at most so many, and so many characters of JSON. */
const leftBounds = { partials: leftLimit, characters: 512 * 1024 } as const;

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
    files: { rev: 0 },
    usage: { session: nothingSpent, context: { used: 0, window } },
    lastEnded: null,
    presence: [],
  };
}

/** The snapshot as the rows have it, for an object that wakes up. A step in progress is in no row: it belongs to a run in memory. */
export function loadSnapshot(sql: SqlStorage, scope: string, row: SessionRow, window: number | null): Snapshot {
  const pending = readPending(sql);
  const run = openRun(sql);
  const ended = newestEnded(sql, row.thread);
  const page = readPage(sql, null, pageBounds);
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
    left: leftPartials(sql, row.thread, leftBounds),
    usage: { session: { ...row.usage, cost: row.cost }, context: { used: row.contextUsed, window } },
    files: { rev: workspaceRevision(sql) },
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

/** How long messages and partial replies are as JSON, remembered by identity. Owned by whoever trims. */
export type MessageSizes = WeakMap<StoredMessage | PartialReply, number>;

/** The snapshot with its messages, and the replies left behind, cut to what one that is loaded from rows has of them. */
export function trimmed(snapshot: Snapshot, sizes: MessageSizes): Snapshot {
  const messages = newestWithin(snapshot.messages, pageBounds.messages, pageBounds.bytes, (message) =>
    sizeOf(sizes, message, byteLength),
  );
  const left = newestWithin(snapshot.left, leftBounds.partials, leftBounds.characters, (partial) =>
    sizeOf(sizes, partial, (text) => text.length),
  );
  if (messages === snapshot.messages && left === snapshot.left) return snapshot;
  return { ...snapshot, messages, left, more: snapshot.more || messages !== snapshot.messages };
}

/** The newest items within both bounds, but one where there is any; the same list when that is all of it. */
function newestWithin<T>(items: readonly T[], count: number, size: number, measure: (item: T) => number): readonly T[] {
  let sum = 0;
  let from = items.length;
  for (const item of items.slice(-count).toReversed()) {
    sum += measure(item);
    if (sum > size && from < items.length) break;
    from -= 1;
  }
  return from === 0 ? items : items.slice(from);
}

function sizeOf(sizes: MessageSizes, item: StoredMessage | PartialReply, measure: (text: string) => number): number {
  const size = sizes.get(item) ?? measure(JSON.stringify(item));
  sizes.set(item, size);
  return size;
}

/** The session's line in the list. */
export function summaryOf(snapshot: Snapshot, row: SessionRow): Summary {
  const { scope, title, status, mode, model, pending, messages } = snapshot;
  const said = messages.findLast((message) => message.content.some((part) => part.type === 'text'));
  const part = said?.content.findLast(({ type }) => type === 'text');
  const last = part?.type === 'text' ? cutText(part.text, 120) : '';
  return { scope, title, status, mode, model, updated: row.updated, created: row.created, needs: pending.length, last };
}

/** How much of a text is read to cut it: far more than any line that is shown. */
const cutWindow = 4096;

/** The first line of a text, cut at a word to so many characters. */
export function cutText(text: string, limit: number): string {
  const line = text.trimStart().slice(0, cutWindow).trimEnd().split(/\s+/).join(' ');
  const characters = [...line];
  if (characters.length <= limit) return line;
  const head = characters.slice(0, limit - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${space > limit / 2 ? head.slice(0, space) : head}…`;
}

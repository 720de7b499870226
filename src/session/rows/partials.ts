import type { Message } from '../../core/index.ts';
import { type CallsSoFar, parseCalls } from './calls.ts';
import type { PartialReply } from '../protocol/index.ts';
import { cellLength, spilled, unspilled } from './spill.ts';

/** The reply that a resume may go on from; undefined when there is none. */
export function openPartial(sql: SqlStorage): PartialReply | undefined {
  const row = sql.exec("SELECT body FROM partials WHERE state = 'open'").toArray()[0];
  return row === undefined ? undefined : (JSON.parse(unspilled(sql, row.body as string)) as PartialReply);
}

/** How far the calls of a partial reply came, by the id of its message; none when there is no such partial. */
export function lastPartialCalls(sql: SqlStorage, messageId: string): CallsSoFar {
  const row = sql.exec('SELECT calls FROM partials WHERE message = ? ORDER BY position DESC LIMIT 1', messageId).toArray()[0];
  return row === undefined ? {} : parseCalls(unspilled(sql, row.calls as string));
}

/** The partial replies that came of a message, newest first, with how far their calls came. */
export function partialsAfter(sql: SqlStorage, messageId: string): { readonly message: Message; readonly calls: CallsSoFar }[] {
  const found: { readonly message: Message; readonly calls: CallsSoFar }[] = [];
  for (const row of sql.exec('SELECT body, calls FROM partials ORDER BY position DESC')) {
    const partial = JSON.parse(unspilled(sql, row.body as string)) as PartialReply;
    if (partial.after !== messageId) break;
    found.push({ message: partial.message, calls: parseCalls(unspilled(sql, row.calls as string)) });
  }
  return found;
}

/** Stores the partial reply of a run as the one to resume, in the place of an earlier one of the same message. */
export function putPartial(sql: SqlStorage, thread: number, partial: PartialReply, calls: CallsSoFar): void {
  closePartial(sql, 'left');
  insertPartial(sql, thread, partial, calls, 'open');
}

/** Stores a partial reply that is only to be read: its run went on without it. */
export function putLeft(sql: SqlStorage, thread: number, partial: PartialReply, calls: CallsSoFar): void {
  insertPartial(sql, thread, partial, calls, 'left');
}

function insertPartial(sql: SqlStorage, thread: number, partial: PartialReply, calls: CallsSoFar, state: 'open' | 'left'): void {
  sql.exec(
    'INSERT OR REPLACE INTO partials (run, thread, message, state, calls, body) VALUES (?, ?, ?, ?, ?, ?)',
    partial.run,
    thread,
    partial.message.id,
    state,
    spilled(sql, JSON.stringify(calls)),
    spilled(sql, JSON.stringify(partial)),
  );
}

/** The partial is no longer one to resume: it stays for people to read, or a resume went on from it. */
export function closePartial(sql: SqlStorage, state: 'left' | 'resumed'): void {
  sql.exec("UPDATE partials SET state = ? WHERE state = 'open'", state);
}

/** Forgets the partial that is open: it became a message, or a person dropped it. */
export function dropPartial(sql: SqlStorage): void {
  sql.exec("DELETE FROM partials WHERE state = 'open'");
}

/** The newest replies that were left behind in a thread, in order: within both bounds, but one where there is any. */
export function leftPartials(
  sql: SqlStorage,
  thread: number,
  bounds: { readonly partials: number; readonly characters: number },
): PartialReply[] {
  const rows = sql.exec<{ body: string }>(
    "SELECT body FROM partials WHERE state = 'left' AND thread = ? ORDER BY position DESC LIMIT ?",
    thread,
    bounds.partials,
  );
  const partials: PartialReply[] = [];
  let characters = 0;
  for (const { body } of rows) {
    characters += cellLength(body);
    if (partials.length > 0 && characters > bounds.characters) break;
    partials.push(JSON.parse(unspilled(sql, body)) as PartialReply);
  }
  return partials.toReversed();
}

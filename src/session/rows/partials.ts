import { type CallsSoFar, parseCalls } from './calls.ts';
import type { PartialReply } from '../protocol/index.ts';

/** The reply that a resume may go on from; undefined when there is none. */
export function openPartial(sql: SqlStorage): PartialReply | undefined {
  const row = sql.exec("SELECT body FROM partials WHERE state = 'open'").toArray()[0];
  return row === undefined ? undefined : (JSON.parse(row.body as string) as PartialReply);
}

/** How far the calls of a partial reply came, by the id of its message; none when there is no such partial. */
export function lastPartialCalls(sql: SqlStorage, messageId: string): CallsSoFar {
  const row = sql.exec('SELECT calls FROM partials WHERE message = ? ORDER BY position DESC LIMIT 1', messageId).toArray()[0];
  return row === undefined ? {} : parseCalls(row.calls as string);
}

/** Stores the partial reply of a run as the one to resume. */
export function putPartial(sql: SqlStorage, thread: number, partial: PartialReply, calls: CallsSoFar): void {
  closePartial(sql, 'left');
  sql.exec(
    "INSERT OR REPLACE INTO partials (run, thread, message, state, calls, body) VALUES (?, ?, ?, 'open', ?, ?)",
    partial.run,
    thread,
    partial.message.id,
    JSON.stringify(calls),
    JSON.stringify(partial),
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

/** The replies that were left behind in a thread, in order: the newest `limit`. */
export function leftPartials(sql: SqlStorage, thread: number, limit: number): PartialReply[] {
  return sql
    .exec<{ body: string }>(
      "SELECT body FROM partials WHERE state = 'left' AND thread = ? ORDER BY position DESC LIMIT ?",
      thread,
      limit,
    )
    .toArray()
    .map((row) => JSON.parse(row.body) as PartialReply)
    .toReversed();
}

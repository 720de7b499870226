import { type Message, messageFromJSON } from '../../core/index.ts';
import { byteLength } from '../bytes.ts';
import type { StoredMessage } from '../protocol/index.ts';
import { spilled, unspilled } from './spill.ts';

/** The version of the stored form; a row of a newer one is refused, never guessed at (THR-07, THR-09). */
const version = 1;

/** Where the current thread begins: it is the messages from that position on. */
const threadStart = '(SELECT thread_start FROM session)';

/** Stores a message, or changes the one of that id: the results of a paused step are completed in place. */
export function putMessage(sql: SqlStorage, thread: number, message: StoredMessage): void {
  const body = JSON.stringify(message);
  sql.exec(
    `INSERT INTO messages (id, thread, run, v, bytes, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET run = excluded.run, v = excluded.v, bytes = excluded.bytes, body = excluded.body`,
    message.id,
    thread,
    message.run,
    version,
    byteLength(body),
    spilled(sql, body),
  );
}

/** The whole conversation of the current thread, in order. Only the run itself needs all of it. */
export function readThread(sql: SqlStorage): StoredMessage[] {
  return messagesFrom(sql, sql.exec(`SELECT v, body FROM messages WHERE position >= ${threadStart} ORDER BY position`));
}

/** The messages that a run added to its thread, or completed, in order. */
export function messagesOf(sql: SqlStorage, run: string): StoredMessage[] {
  // The results that a run completes are the newest message before its own.
  const rows = sql.exec<Row>(
    `SELECT v, body FROM messages WHERE position >= (SELECT position FROM runs WHERE id = ?1) AND run = ?1 ORDER BY position`,
    run,
  );
  return messagesFrom(sql, rows);
}

/** The newest messages of the current thread, in order: at most `limit`. */
export function newestMessages(sql: SqlStorage, limit: number): StoredMessage[] {
  const rows = sql.exec<Row>(
    `SELECT v, body FROM messages WHERE position >= ${threadStart} ORDER BY position DESC LIMIT ?`,
    limit,
  );
  return messagesFrom(sql, rows).toReversed();
}

/** The newest message of the current thread. */
export function newestMessage(sql: SqlStorage): StoredMessage | undefined {
  return newestMessages(sql, 1)[0];
}

/** The position of the newest message of any thread; 0 when there is none. */
export function newestPosition(sql: SqlStorage): number {
  return sql.exec<{ position: number }>('SELECT coalesce(max(position), 0) AS position FROM messages').one().position;
}

/** One message; undefined when there is none of that id. */
export function readMessage(sql: SqlStorage, id: string): StoredMessage | undefined {
  return messagesFrom(sql, sql.exec('SELECT v, body FROM messages WHERE id = ?', id))[0];
}

/** A page of the current thread that ends before a position (null: at the end), within both bounds, but never empty while there are messages. */
export function readPage(
  sql: SqlStorage,
  before: number | null,
  bounds: { readonly messages: number; readonly bytes: number },
): { messages: StoredMessage[]; more: boolean } {
  const rows = sql.exec<Row & { bytes: number }>(
    `SELECT v, bytes, body FROM messages WHERE position >= ${threadStart} AND position < ? ORDER BY position DESC LIMIT ?`,
    before ?? Number.MAX_SAFE_INTEGER,
    bounds.messages + 1,
  );
  const messages: StoredMessage[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    if (messages.length === bounds.messages || (messages.length > 0 && bytes > bounds.bytes))
      return { messages: messages.toReversed(), more: true };
    messages.push(fromRow(sql, row));
  }
  return { messages: messages.toReversed(), more: false };
}

/** Where a message stands; null when it is not in the current thread. */
export function positionOf(sql: SqlStorage, id: string): number | null {
  const row = sql
    .exec<{ position: number }>(`SELECT position FROM messages WHERE id = ? AND position >= ${threadStart}`, id)
    .toArray()[0];
  return row?.position ?? null;
}

/** A message as the core takes it: without what the session stores beside it. */
export function coreMessage({ id, role, content }: Message): Message {
  return { id, role, content };
}

type Row = { v: number; body: string };

function messagesFrom(sql: SqlStorage, rows: SqlStorageCursor<Row>): StoredMessage[] {
  return rows.toArray().map((row) => fromRow(sql, row));
}

function fromRow(sql: SqlStorage, { v, body }: Row): StoredMessage {
  if (v !== version) throw new Error(`A stored message has version ${v}; this release reads ${version}.`);
  return messageFromJSON(JSON.parse(unspilled(sql, body))) as StoredMessage;
}

import { type Message, messageFromJSON } from '../../core/index.ts';
import { byteLength } from '../bytes.ts';
import type { StoredMessage } from '../protocol/index.ts';

/** The version of the stored form; a row of a newer one is refused, never guessed at (THR-07, THR-09). */
const version = 1;

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
    body,
  );
}

/** The whole conversation of a thread, in order. */
export function readThread(sql: SqlStorage, thread: number): StoredMessage[] {
  return sql.exec<Row>('SELECT v, body FROM messages WHERE thread = ? ORDER BY position', thread).toArray().map(fromRow);
}

/** The messages that a run added to its thread, in order. */
export function messagesOf(sql: SqlStorage, run: string): StoredMessage[] {
  return sql.exec<Row>('SELECT v, body FROM messages WHERE run = ? ORDER BY position', run).toArray().map(fromRow);
}

/** The newest message of a thread. */
export function newestMessage(sql: SqlStorage, thread: number): StoredMessage | undefined {
  return sql
    .exec<Row>('SELECT v, body FROM messages WHERE thread = ? ORDER BY position DESC LIMIT 1', thread)
    .toArray()
    .map(fromRow)[0];
}

/** One message; undefined when there is none of that id. */
export function readMessage(sql: SqlStorage, id: string): StoredMessage | undefined {
  return sql.exec<Row>('SELECT v, body FROM messages WHERE id = ?', id).toArray().map(fromRow)[0];
}

/** A page that ends before a position (null: at the end), within both bounds, but never empty while there are messages. */
export function readPage(
  sql: SqlStorage,
  thread: number,
  before: number | null,
  bounds: { readonly messages: number; readonly bytes: number },
): { messages: StoredMessage[]; more: boolean } {
  const rows = sql.exec<Row & { bytes: number }>(
    'SELECT v, bytes, body FROM messages WHERE thread = ? AND position < ? ORDER BY position DESC',
    thread,
    before ?? Number.MAX_SAFE_INTEGER,
  );
  const messages: StoredMessage[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    if (messages.length === bounds.messages || (messages.length > 0 && bytes > bounds.bytes))
      return { messages: messages.toReversed(), more: true };
    messages.push(fromRow(row));
  }
  return { messages: messages.toReversed(), more: false };
}

/** Where a message stands in its thread; null when it is not there. */
export function positionOf(sql: SqlStorage, thread: number, id: string): number | null {
  const row = sql
    .exec<{ position: number }>('SELECT position FROM messages WHERE id = ? AND thread = ?', id, thread)
    .toArray()[0];
  return row?.position ?? null;
}

/** A message as the core takes it: without what the session stores beside it. */
export function coreMessage({ id, role, content }: Message): Message {
  return { id, role, content };
}

type Row = { v: number; body: string };

function fromRow(row: Row): StoredMessage {
  if (row.v !== version) throw new Error(`A stored message has version ${row.v}; this release reads ${version}.`);
  return messageFromJSON(JSON.parse(row.body)) as StoredMessage;
}

import type { SessionEvent } from '../protocol/index.ts';
import { cellLength, cellLimit, spilled, unspilled } from './spill.ts';

/** Stores events that follow one another, in as few rows as hold them. */
export function insertEvents(sql: SqlStorage, events: readonly SessionEvent[]): void {
  let first = 0;
  let lines: string[] = [];
  let length = 0;
  for (const [index, event] of events.entries()) {
    const line = JSON.stringify(event);
    if (lines.length > 0 && length + line.length > cellLimit) {
      insertRow(sql, events.slice(first, index), lines);
      first = index;
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length + 1;
  }
  insertRow(sql, events.slice(first), lines);
}

function insertRow(sql: SqlStorage, events: readonly SessionEvent[], lines: readonly string[]): void {
  const [head, tail] = [events[0], events.at(-1)];
  if (head === undefined || tail === undefined) return;
  const body = spilled(sql, lines.join('\n'));
  sql.exec('INSERT INTO events (first, last, body) VALUES (?, ?, ?)', head.seq, tail.seq, body);
}

/** The stored events after a seq, in order; read row by row as they are asked for. */
export function* eventsAfter(sql: SqlStorage, seq: number): Iterable<SessionEvent> {
  const rows = sql.exec<{ body: string }>('SELECT body FROM events WHERE last > ? ORDER BY last', seq);
  for (const row of rows) {
    for (const line of unspilled(sql, row.body).split('\n')) {
      const event = JSON.parse(line) as SessionEvent;
      if (event.seq > seq) yield event;
    }
  }
}

/** True when more than so many bytes of stored events lie after a seq; looks at no more rows than it takes to know. */
export function isFurtherBehind(sql: SqlStorage, seq: number, bytes: number): boolean {
  // The length of a cell is known without its content; that of a reference is in it.
  const rows = sql.exec<{ bytes: number; reference: string | null }>(
    'SELECT octet_length(body) AS bytes, iif(octet_length(body) < 100, body, NULL) AS reference FROM events WHERE last > ? ORDER BY last',
    seq,
  );
  let sum = 0;
  for (const row of rows) {
    sum += row.reference === null ? row.bytes : cellLength(row.reference);
    if (sum > bytes) return true;
  }
  return false;
}

/** The seq of the newest stored event; 0 when there is none. */
export function newestSeq(sql: SqlStorage): number {
  return sql.exec<{ seq: number }>('SELECT coalesce(max(last), 0) AS seq FROM events').one().seq;
}

import type { SessionEvent } from '../protocol/index.ts';

/** A row takes no more events once it has so many characters: the platform's limit is 2 MB of UTF-8. */
const rowLimit = 524_288;

/** Stores events that follow one another, in as few rows as hold them. */
export function insertEvents(sql: SqlStorage, events: readonly SessionEvent[]): void {
  let first = 0;
  let lines: string[] = [];
  let length = 0;
  for (const [index, event] of events.entries()) {
    const line = JSON.stringify(event);
    if (lines.length > 0 && length + line.length > rowLimit) {
      insertRow(sql, events.slice(first, index), lines);
      first = index;
      lines = [];
      length = 0;
    }
    lines.push(line);
    length += line.length;
  }
  insertRow(sql, events.slice(first), lines);
}

function insertRow(sql: SqlStorage, events: readonly SessionEvent[], lines: readonly string[]): void {
  const [head, tail] = [events[0], events.at(-1)];
  if (head === undefined || tail === undefined) return;
  sql.exec('INSERT INTO events (first, last, body) VALUES (?, ?, ?)', head.seq, tail.seq, lines.join('\n'));
}

/** The stored events after a seq, in order; read row by row as they are asked for. */
export function* eventsAfter(sql: SqlStorage, seq: number): Iterable<SessionEvent> {
  const rows = sql.exec<{ body: string }>('SELECT body FROM events WHERE last > ? ORDER BY last', seq);
  for (const row of rows) {
    for (const line of row.body.split('\n')) {
      const event = JSON.parse(line) as SessionEvent;
      if (event.seq > seq) yield event;
    }
  }
}

/** How many bytes of stored events lie after a seq. */
export function bytesAfter(sql: SqlStorage, seq: number): number {
  return sql.exec<{ bytes: number }>('SELECT coalesce(sum(length(body)), 0) AS bytes FROM events WHERE last > ?', seq).one()
    .bytes;
}

/** The seq of the newest stored event; 0 when there is none. */
export function newestSeq(sql: SqlStorage): number {
  return sql.exec<{ seq: number }>('SELECT coalesce(max(last), 0) AS seq FROM events').one().seq;
}

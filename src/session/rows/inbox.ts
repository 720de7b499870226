import type { InboxItem } from '../protocol/index.ts';
import { spilled, unspilled } from './spill.ts';

/** Everything that waits to land, in order of arrival. */
export function readInbox(sql: SqlStorage): InboxItem[] {
  return sql
    .exec<{ body: string }>('SELECT body FROM inbox ORDER BY seq')
    .toArray()
    .map((row) => JSON.parse(unspilled(sql, row.body)) as InboxItem);
}

/** Stores an item at the end, or changes it in its place. */
export function putItem(sql: SqlStorage, item: InboxItem): void {
  sql.exec(
    'INSERT INTO inbox (item, body) VALUES (?, ?) ON CONFLICT (item) DO UPDATE SET body = excluded.body',
    item.id,
    spilled(sql, JSON.stringify(item)),
  );
}

/** Takes an item out. */
export function dropItem(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM inbox WHERE item = ?', id);
}

/** Holds every item until a person sends it. */
export function holdAll(sql: SqlStorage): void {
  for (const item of readInbox(sql)) putItem(sql, { ...item, held: true });
}

import type { FileCause } from '../tools/index.ts';
import type { Node } from './node.ts';
import type { State, States } from './tree.ts';

/** A change as the journal has it. */
export interface JournalledChange {
  readonly id: number;
  readonly states: States;
}

/** Notes what a change did, so that it can be undone (FILES-08). `path` is what it was about, `other` where a move went. */
export function note(
  sql: SqlStorage,
  rev: number,
  cause: FileCause,
  change: { readonly path: string; readonly other: string | null; readonly states: States },
): void {
  const { call, turn } = cause;
  const { id } = sql
    .exec<{ id: number }>(
      'INSERT INTO file_changes (rev, call, turn, path, other) VALUES (?, ?, ?, ?, ?) RETURNING id',
      rev,
      call,
      turn,
      change.path,
      change.other,
    )
    .one();
  for (const [path, { before, after }] of change.states) {
    const isFolder = (before ?? after)?.kind === 'folder';
    sql.exec(
      'INSERT INTO file_states (change, path, folder, before, after, before_hash) VALUES (?, ?, ?, ?, ?, ?)',
      id,
      path,
      isFolder ? 1 : 0,
      json(before),
      json(after),
      before === null || isFolder ? null : before.hash,
    );
  }
}

/** The newest change of a path: one that was about it, or that changed a file there. Null when the journal has none. */
export function newestOf(sql: SqlStorage, path: string): number | null {
  return sql
    .exec<{ id: number | null }>(
      `SELECT max(id) AS id FROM file_changes WHERE path = ?1 OR other = ?1
         OR id IN (SELECT change FROM file_states WHERE path = ?1 AND folder = 0)`,
      path,
    )
    .one().id;
}

/** The changes of a turn, newest first. */
export function changesOf(sql: SqlStorage, turn: number): readonly number[] {
  return ids(sql.exec('SELECT id FROM file_changes WHERE turn = ? ORDER BY id DESC', turn));
}

/** A change, and the revision and the turn that it is of. */
export interface OldChange {
  readonly id: number;
  readonly rev: number;
  readonly turn: number | null;
}

/** The oldest change; null when there is none. */
export function oldest(sql: SqlStorage): OldChange | null {
  const row = sql.exec('SELECT id, rev, turn FROM file_changes ORDER BY id LIMIT 1').toArray()[0];
  return row === undefined ? null : { id: row.id as number, rev: row.rev as number, turn: row.turn as number | null };
}

/** The revision of the oldest of the newest `keep` changes, 0 when there is none; counted by number, so those that were undone count too. */
export function oldestKept(sql: SqlStorage, keep: number): number {
  const row = sql
    .exec<{ rev: number }>(
      'SELECT rev FROM file_changes WHERE id > (SELECT max(id) FROM file_changes) - ? ORDER BY id LIMIT 1',
      keep,
    )
    .toArray()[0];
  return row?.rev ?? 0;
}

/** What a change did. */
export function readChange(sql: SqlStorage, id: number): JournalledChange {
  const rows = sql.exec('SELECT path, before, after FROM file_states WHERE change = ? ORDER BY path', id).toArray();
  return { id, states: new Map(rows.map(({ path, before, after }) => [path as string, state(before ?? null, after ?? null)])) };
}

/** A change as people are shown it: what it was about, and each file and link that it changed; null is nothing. */
export interface ListedChange {
  readonly id: number;
  readonly rev: number;
  readonly call: string | null;
  readonly turn: number | null;
  readonly path: string;
  readonly other: string | null;
  readonly files: readonly ListedState[];
}

/** What a change found and left at a path. Sizes in bytes. */
export interface ListedState {
  readonly path: string;
  readonly before: { readonly hash: string; readonly size: number } | null;
  readonly after: { readonly hash: string; readonly size: number } | null;
}

/** The changes before one (null: all), newest first, `limit` at most. */
export function listChanges(sql: SqlStorage, before: number | null, limit: number): readonly ListedChange[] {
  const rows = sql
    .exec('SELECT * FROM file_changes WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2', before, limit)
    .toArray();
  return rows.map(({ id, rev, call, turn, path, other }) => ({
    id: id as number,
    rev: rev as number,
    call: call as string | null,
    turn: turn as number | null,
    path: path as string,
    other: other as string | null,
    files: listStates(sql, id as number),
  }));
}

/** The most files of a change that are listed: a folder that was moved has them all in the journal. */
const listedFiles = 200;

function listStates(sql: SqlStorage, change: number): readonly ListedState[] {
  return sql
    .exec(
      'SELECT path, before, after FROM file_states WHERE change = ? AND folder = 0 ORDER BY path LIMIT ?',
      change,
      listedFiles,
    )
    .toArray()
    .map(({ path, before, after }) => ({ path: path as string, before: content(before ?? null), after: content(after ?? null) }));
}

function content(text: SqlStorageValue): ListedState['before'] {
  const found = node(text);
  return found === null ? null : { hash: found.hash, size: found.size };
}

/** Forgets a change; gives the bodies that it kept. */
export function forget(sql: SqlStorage, id: number): readonly string[] {
  sql.exec('DELETE FROM file_changes WHERE id = ?', id);
  return sql
    .exec<{ before_hash: string | null }>('DELETE FROM file_states WHERE change = ? RETURNING before_hash', id)
    .toArray()
    .flatMap(({ before_hash }) => (before_hash === null ? [] : [before_hash]));
}

function ids(cursor: SqlStorageCursor<Record<string, SqlStorageValue>>): readonly number[] {
  return cursor.toArray().map(({ id }) => id as number);
}

function json(node: Node | null): string | null {
  return node === null ? null : JSON.stringify(node);
}

function state(before: SqlStorageValue, after: SqlStorageValue): State {
  return { before: node(before), after: node(after) };
}

function node(text: SqlStorageValue): Node | null {
  return typeof text === 'string' ? (JSON.parse(text) as Node) : null;
}

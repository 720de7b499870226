import type { FileEntry } from '../tools/index.ts';

type Row = Record<string, SqlStorageValue>;

/** The workspace's own numbers (migrations 4 and 6). */
export interface Totals {
  readonly rev: number;
  readonly files: number;
  readonly bytes: number;
  readonly stored: number;
  readonly forgotten: number;
  readonly forgottenTurn: number;
}

/** The workspace's own numbers. */
export function readTotals(sql: SqlStorage): Totals {
  const { rev, files, bytes, stored, forgotten, forgotten_turn } = sql.exec('SELECT * FROM workspace').one();
  return {
    rev: rev as number,
    files: files as number,
    bytes: bytes as number,
    stored: stored as number,
    forgotten: forgotten as number,
    forgottenTurn: forgotten_turn as number,
  };
}

/** The revision that the files are at; 0 before the first. */
export function workspaceRevision(sql: SqlStorage): number {
  return readTotals(sql).rev;
}

/** Writes the workspace's own numbers. */
export function writeTotals(sql: SqlStorage, { rev, files, bytes, stored, forgotten, forgottenTurn }: Totals): void {
  sql.exec(
    'UPDATE workspace SET rev = ?, files = ?, bytes = ?, stored = ?, forgotten = ?, forgotten_turn = ?',
    rev,
    files,
    bytes,
    stored,
    forgotten,
    forgottenTurn,
  );
}

/** The row at a path; null for nothing, and for a folder with something in it. */
export function readFile(sql: SqlStorage, path: string): FileEntry | null {
  const row = sql.exec('SELECT * FROM files WHERE path = ?', path).toArray()[0];
  return row === undefined ? null : entryOf(row);
}

/** Writes the row at a path. */
export function putFile(sql: SqlStorage, { path, kind, rev, hash, size, executable, modified }: FileEntry): void {
  sql.exec(
    'INSERT OR REPLACE INTO files (path, kind, rev, hash, size, executable, modified) VALUES (?, ?, ?, ?, ?, ?, ?)',
    path,
    kind,
    rev,
    hash,
    size,
    executable ? 1 : 0,
    modified,
  );
}

/** Takes the row at a path away. */
export function dropFile(sql: SqlStorage, path: string): void {
  sql.exec('DELETE FROM files WHERE path = ?', path);
}

/** True when something stands below a path. */
export function hasBelow(sql: SqlStorage, path: string): boolean {
  return sql.exec('SELECT 1 FROM files WHERE path >= ? AND path < ? LIMIT 1', ...below(path)).toArray().length > 0;
}

/** The rows below a path ('': all) whose paths come at or after `from`, in order, `limit` at most. */
export function filesBelow(sql: SqlStorage, path: string, from = '', limit = -1): readonly FileEntry[] {
  return sql
    .exec('SELECT * FROM files WHERE path >= ? AND path < ? AND path >= ? ORDER BY path LIMIT ?', ...below(path), from, limit)
    .toArray()
    .map(entryOf);
}

/** The rows written after a revision, in the order of their paths. */
export function filesSince(sql: SqlStorage, rev: number): readonly FileEntry[] {
  return sql.exec('SELECT * FROM files WHERE rev > ? ORDER BY path', rev).toArray().map(entryOf);
}

/** What is left of a folder at and below `path`: nothing, since this revision. */
export function putGone(sql: SqlStorage, path: string, rev: number): void {
  sql.exec('DELETE FROM gone_files WHERE path >= ? AND path < ?', ...below(path));
  sql.exec('INSERT OR REPLACE INTO gone_files (path, rev) VALUES (?, ?)', path, rev);
}

/** A file or a link stands at the path again. */
export function dropGone(sql: SqlStorage, path: string): void {
  sql.exec('DELETE FROM gone_files WHERE path = ?', path);
}

/** The paths at or below which nothing was left after a revision, in order. */
export function goneSince(sql: SqlStorage, rev: number): readonly string[] {
  return sql
    .exec<{ path: string }>('SELECT path FROM gone_files WHERE rev > ? ORDER BY path', rev)
    .toArray()
    .map(({ path }) => path);
}

/** Forgets the oldest deletions above a number of them; gives the newest revision of which one is forgotten, or null. */
export function forgetGone(sql: SqlStorage, keep: number): number | null {
  const row = sql.exec<{ rev: number }>('SELECT rev FROM gone_files ORDER BY rev DESC LIMIT 1 OFFSET ?', keep).toArray()[0];
  if (row === undefined) return null;
  sql.exec('DELETE FROM gone_files WHERE rev <= ?', row.rev);
  return row.rev;
}

/** The revision of a file that was seen last in a conversation; null when none was. */
export function readSeen(sql: SqlStorage, path: string, thread: number): number | null {
  const row = sql.exec<{ rev: number }>('SELECT rev FROM seen_files WHERE path = ? AND thread = ?', path, thread).toArray()[0];
  return row?.rev ?? null;
}

/** Notes the revision of a file that was seen. */
export function putSeen(sql: SqlStorage, path: string, thread: number, rev: number): void {
  sql.exec('INSERT OR REPLACE INTO seen_files (path, thread, rev) VALUES (?, ?, ?)', path, thread, rev);
}

/** Where the paths below one begin and end: `/` is followed by `0`. */
function below(path: string): [string, string] {
  return path === '' ? ['', '\u{10ffff}\u{10ffff}'] : [`${path}/`, `${path}0`];
}

function entryOf({ path, kind, rev, hash, size, executable, modified }: Row): FileEntry {
  return {
    path: path as string,
    kind: kind as FileEntry['kind'],
    rev: rev as number,
    hash: hash as string,
    size: size as number,
    executable: executable === 1,
    modified: modified as number,
  };
}

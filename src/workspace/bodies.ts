import { looseObject } from './loose.ts';

/** Where the bytes of a body stand: in its row, or in an object of R2. */
export type Body = { readonly size: number; readonly bytes: Uint8Array } | { readonly size: number; readonly object: string };

/** A body that is to be stored. */
export type NewBody = Body & { readonly hash: string };

/** True when a body is stored. */
export function hasBody(sql: SqlStorage, hash: string): boolean {
  return sql.exec('SELECT 1 FROM file_bodies WHERE hash = ?', hash).toArray().length > 0;
}

/** The body of a hash. Throws when it is not there: a row that names it is never without it. */
export function readBody(sql: SqlStorage, hash: string): Body {
  const row = sql.exec('SELECT size, bytes, object FROM file_bodies WHERE hash = ?', hash).toArray()[0];
  if (row === undefined) throw new Error('The body of a file is missing.');
  const size = row.size as number;
  return typeof row.object === 'string'
    ? { size, object: row.object }
    : { size, bytes: new Uint8Array(row.bytes as ArrayBuffer) };
}

/** Stores a body that is not stored yet; gives how many bytes that added. Its object, if it has one, is loose no more. */
export function putBody(sql: SqlStorage, body: NewBody): number {
  if (hasBody(sql, body.hash)) return 0;
  if ('object' in body && !takeObject(sql, body.object)) throw new Error('The object of an upload was given up.');
  sql.exec(
    'INSERT INTO file_bodies (hash, size, bytes, object) VALUES (?, ?, ?, ?)',
    body.hash,
    body.size,
    'bytes' in body ? body.bytes.slice().buffer : null,
    'object' in body ? body.object : null,
  );
  return body.size;
}

/** Drops those of the bodies that no file and no change needs any more; gives how many bytes that freed. */
export function collect(sql: SqlStorage, hashes: Iterable<string>): number {
  let freed = 0;
  for (const hash of new Set(hashes)) {
    const dropped = sql
      .exec(
        `DELETE FROM file_bodies WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM files WHERE hash = ?1)
           AND NOT EXISTS (SELECT 1 FROM file_states WHERE before_hash = ?1) RETURNING size, object`,
        hash,
      )
      .toArray()[0];
    if (dropped === undefined) continue;
    freed += dropped.size as number;
    if (typeof dropped.object === 'string') looseObject(sql, dropped.object);
  }
  return freed;
}

function takeObject(sql: SqlStorage, key: string): boolean {
  return sql.exec('DELETE FROM loose_objects WHERE key = ? RETURNING key', key).toArray().length > 0;
}

/** The most characters of one row: the platform's limit is 2 MB of UTF-8. */
const rowLimit = 524_288;

/** A large value as it is given out. */
export interface Blob {
  readonly mediaType: string;
  readonly text: string;
}

/** Stores a value under its hash, in as many rows as it takes; one that is there stays. */
export function putBlob(sql: SqlStorage, hash: string, { mediaType, text }: Blob): void {
  if (sql.exec('SELECT 1 FROM blobs WHERE hash = ? LIMIT 1', hash).toArray().length > 0) return;
  for (let n = 0; n * rowLimit < text.length; n += 1) {
    const piece = text.slice(n * rowLimit, (n + 1) * rowLimit);
    sql.exec('INSERT INTO blobs (hash, n, media_type, piece) VALUES (?, ?, ?, ?)', hash, n, mediaType, JSON.stringify(piece));
  }
}

/** The value of a hash; undefined when there is none. */
export function readBlob(sql: SqlStorage, hash: string): Blob | undefined {
  const rows = sql.exec('SELECT media_type, piece FROM blobs WHERE hash = ? ORDER BY n', hash).toArray();
  const mediaType = rows[0]?.media_type;
  if (typeof mediaType !== 'string') return undefined;
  return { mediaType, text: rows.map((row) => JSON.parse(String(row.piece)) as string).join('') };
}

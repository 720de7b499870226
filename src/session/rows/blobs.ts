/** The most characters of a piece: as JSON each may take six bytes, and the platform's limit of a row is 2 MB. */
const pieceLimit = 262_144;

/** What values that are given out are stored under. Other keys hold what stands for a cell (spill.ts). */
const givenOut = /^[0-9a-f]{64}$/;

/** A large value as it is given out. */
export interface Blob {
  readonly mediaType: string;
  readonly text: string;
}

/**
 * Stores a value under its hash, in as many rows as it takes; one that is there stays. The first piece is written last: a value whose writing
 * broke off counts as not there, and can be stored again.
 */
export function putBlob(sql: SqlStorage, hash: string, { mediaType, text }: Blob): void {
  if (sql.exec('SELECT 1 FROM blobs WHERE hash = ? AND n = 0', hash).toArray().length > 0) return;
  for (let n = Math.ceil(text.length / pieceLimit) - 1; n >= 0; n -= 1) {
    const piece = JSON.stringify(text.slice(n * pieceLimit, (n + 1) * pieceLimit));
    sql.exec('INSERT OR REPLACE INTO blobs (hash, n, media_type, piece) VALUES (?, ?, ?, ?)', hash, n, mediaType, piece);
  }
}

/** The value that was given out under a hash; undefined when there is none. */
export function readBlob(sql: SqlStorage, hash: string): Blob | undefined {
  return givenOut.test(hash) ? readPieces(sql, hash) : undefined;
}

/** The value under any key; undefined when there is none. */
export function readPieces(sql: SqlStorage, key: string): Blob | undefined {
  const rows = sql.exec('SELECT n, media_type, piece FROM blobs WHERE hash = ? ORDER BY n', key).toArray();
  if (rows[0]?.n !== 0) return undefined;
  return { mediaType: String(rows[0].media_type), text: rows.map((row) => JSON.parse(String(row.piece)) as string).join('') };
}

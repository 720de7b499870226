import { createHash } from 'node:crypto';

/** The most bytes of a piece: the platform's limit of a row is 2 MB. */
const pieceLimit = 1_048_576;

/** What is known of an attachment without its bytes. */
export interface AttachmentInfo {
  readonly mediaType: string;
  /** How many bytes it has. */
  readonly bytes: number;
}

/** An attachment whole. */
export interface Attachment {
  readonly mediaType: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Stores bytes under their hash, which it gives. Bytes that are there stay, under the media type and the time that they came with last. */
export function putAttachment(sql: SqlStorage, { mediaType, content }: Attachment, used: boolean, now: number): string {
  const hash = createHash('sha256').update(content).digest('hex');
  const known = findAttachment(sql, hash) !== undefined;
  sql.exec(
    `INSERT INTO attachments (hash, media_type, bytes, created, used) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT (hash) DO UPDATE SET media_type = excluded.media_type, created = excluded.created`,
    hash,
    mediaType,
    content.length,
    now,
  );
  if (!known) putPieces(sql, hash, content);
  if (used) useAttachment(sql, hash);
  return hash;
}

function putPieces(sql: SqlStorage, hash: string, content: Uint8Array<ArrayBuffer>): void {
  for (let n = 0; n * pieceLimit < content.length; n += 1) {
    const piece = content.slice(n * pieceLimit, (n + 1) * pieceLimit);
    sql.exec('INSERT INTO attachment_pieces (hash, n, piece) VALUES (?, ?, ?)', hash, n, piece.buffer);
  }
}

/** What is known of the attachment of a hash; undefined when there is none. */
export function findAttachment(sql: SqlStorage, hash: string): AttachmentInfo | undefined {
  const row = sql.exec<{ type: string; bytes: number }>('SELECT media_type AS type, bytes FROM attachments WHERE hash = ?', hash);
  const [found] = row.toArray();
  return found === undefined ? undefined : { mediaType: found.type, bytes: found.bytes };
}

/** The attachment of a hash; undefined when there is none. */
export function readAttachment(sql: SqlStorage, hash: string): Attachment | undefined {
  const info = findAttachment(sql, hash);
  if (info === undefined) return undefined;
  const content = new Uint8Array(info.bytes);
  let at = 0;
  for (const { piece } of sql.exec<{ piece: ArrayBuffer }>(
    'SELECT piece FROM attachment_pieces WHERE hash = ? ORDER BY n',
    hash,
  )) {
    content.set(new Uint8Array(piece), at);
    at += piece.byteLength;
  }
  return { mediaType: info.mediaType, content };
}

/** Something refers to the attachment now: it stays as long as the session. */
export function useAttachment(sql: SqlStorage, hash: string): void {
  sql.exec('UPDATE attachments SET used = 1 WHERE hash = ? AND used = 0', hash);
}

/** Drops what came at this time (ms) or before and nothing refers to. */
export function dropUnused(sql: SqlStorage, until: number): void {
  const unused = sql.exec<{ hash: string }>('SELECT hash FROM attachments WHERE used = 0 AND created <= ?', until).toArray();
  for (const { hash } of unused) {
    sql.exec('DELETE FROM attachment_pieces WHERE hash = ?', hash);
    sql.exec('DELETE FROM attachments WHERE hash = ?', hash);
  }
}

/** When the oldest attachment came that nothing refers to, in ms; null when there is none. */
export function oldestUnused(sql: SqlStorage): number | null {
  return sql.exec<{ created: number | null }>('SELECT min(created) AS created FROM attachments WHERE used = 0').one().created;
}

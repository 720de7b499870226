import { createHash } from 'node:crypto';
import { putBlob, readPieces } from './blobs.ts';

/** The most characters of a cell: three bytes each, and two such cells in a row, stay below the platform's 2 MB of a row. */
export const cellLimit = 262_144;

/** A reference begins with what no JSON text begins with. It holds the length of the text in characters, then its SHA-256. */
const reference = /^@(\d+):[0-9a-f]{64}$/;

/**
 * What a text cell holds in the place of a text: the text itself, or, above the limit, a reference to pieces that it stores beside (G-19).
 * Call it in the transaction that writes the cell. Pieces are shared by equal texts and go with the session.
 */
export function spilled(sql: SqlStorage, text: string): string {
  if (text.length <= cellLimit && !text.startsWith('@')) return text;
  const cell = `@${text.length}:${createHash('sha256').update(text).digest('hex')}`;
  putBlob(sql, cell, { mediaType: '', text });
  return cell;
}

/** The text that a cell stands for. Throws when its pieces are not there. */
export function unspilled(sql: SqlStorage, cell: string): string {
  if (!reference.test(cell)) return cell;
  const text = readPieces(sql, cell)?.text;
  if (text === undefined) throw new Error('The pieces of a stored text are missing.');
  return text;
}

/** How many characters the text of a cell has, without reading it. */
export function cellLength(cell: string): number {
  return Number(reference.exec(cell)?.[1] ?? cell.length);
}

import type { OutputStore } from '../../tools/index.ts';
import { putBlob, readPieces } from './blobs.ts';

/** How many outputs a session keeps. */
const keptOutputs = 20;

/** What their keys begin with; then comes the time, so that they are in order. */
const prefix = 'output:';

/** The newest outputs of commands on the session's rows, as blobs that are not given out. */
export function rowOutputs(sql: SqlStorage, now: () => number): OutputStore {
  const key = (back: number): string | undefined => {
    const query = 'SELECT hash FROM blobs WHERE n = 0 AND hash >= ? AND hash < ? ORDER BY hash DESC LIMIT 1 OFFSET ?';
    return sql.exec<{ hash: string }>(query, prefix, `${prefix}~`, back).toArray()[0]?.hash;
  };
  return {
    keep: (call, text) => {
      putBlob(sql, `${prefix}${String(now()).padStart(15, '0')}:${call}`, { mediaType: 'text/plain; charset=utf-8', text });
      const oldest = key(keptOutputs - 1);
      if (oldest !== undefined) sql.exec('DELETE FROM blobs WHERE hash >= ? AND hash < ?', prefix, oldest);
    },
    read: (back) => {
      const found = key(back);
      return found === undefined ? null : (readPieces(sql, found)?.text ?? null);
    },
  };
}

import type { BoxMemory } from '../../sandbox/index.ts';

/** The most bytes of a piece: the platform's limit of a row is 2 MB. */
const pieceLimit = 1_048_576;

interface Stored {
  readonly boot: string;
  readonly rev: number;
  readonly saved: readonly (readonly [string, number])[];
}

/** The state of the session's box on its rows. */
export function rowBox(storage: DurableObjectStorage): BoxMemory {
  const { sql } = storage;
  return {
    read() {
      const decoder = new TextDecoder();
      const pieces = sql.exec<{ piece: ArrayBuffer }>('SELECT piece FROM box ORDER BY n').toArray();
      if (pieces.length === 0) return null;
      const text = pieces.map(({ piece }) => decoder.decode(piece, { stream: true })).join('');
      const { boot, rev, saved }: Stored = JSON.parse(text);
      return { boot, rev, saved: new Map(saved) };
    },
    write({ boot, rev, saved }) {
      const stored: Stored = { boot, rev, saved: [...saved] };
      const bytes = new TextEncoder().encode(JSON.stringify(stored));
      storage.transactionSync(() => {
        sql.exec('DELETE FROM box');
        for (let n = 0; n * pieceLimit < bytes.length; n += 1) {
          sql.exec('INSERT INTO box (n, piece) VALUES (?, ?)', n, bytes.slice(n * pieceLimit, (n + 1) * pieceLimit).buffer);
        }
      });
    },
  };
}

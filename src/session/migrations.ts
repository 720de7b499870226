/**
 * Brings an object's tables up to date: runs the numbered SQL texts that it has not run yet, in order, each in a transaction
 * of its own that also records its number. Text n of the list is migration n + 1. Writes nothing when all have run, so it may
 * be called in every constructor, and again after `deleteAll`.
 * @throws when a text fails (it is then not recorded), or when the rows were written by a newer release than this one.
 */
export function migrate(storage: DurableObjectStorage, texts: readonly string[]): void {
  const applied = appliedNumber(storage.sql);
  if (applied > texts.length) throw new Error(`The storage is at migration ${applied}; this release knows ${texts.length}.`);
  for (const [index, text] of texts.entries()) {
    if (index < applied) continue;
    storage.transactionSync(() => {
      storage.sql.exec('CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, applied INTEGER NOT NULL) STRICT');
      storage.sql.exec(text);
      storage.sql.exec('INSERT INTO migrations (number, applied) VALUES (?, ?)', index + 1, Date.now());
    });
  }
}

function appliedNumber(sql: SqlStorage): number {
  const known = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations' LIMIT 1").toArray();
  if (known.length === 0) return 0;
  return sql.exec<{ number: number }>('SELECT coalesce(max(number), 0) AS number FROM migrations').one().number;
}

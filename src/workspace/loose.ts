/** Notes an object that no body names: one that is about to be written, or that was let go. */
export function looseObject(sql: SqlStorage, key: string): void {
  sql.exec('INSERT INTO loose_objects (key) VALUES (?)', key);
}

/** Lets go of the objects of all bodies, which are then gone with every file and the journal: the session is being erased. */
export function loosenAll(sql: SqlStorage): void {
  sql.exec('INSERT INTO loose_objects (key) SELECT object FROM file_bodies WHERE object IS NOT NULL');
  for (const table of ['files', 'gone_files', 'file_bodies', 'file_changes', 'file_states', 'seen_files']) {
    sql.exec(`DELETE FROM ${table}`);
  }
  sql.exec('UPDATE workspace SET files = 0, bytes = 0, stored = 0, forgotten = rev, forgotten_turn = 0');
}

/** The objects that no body names. */
export function looseObjects(sql: SqlStorage): readonly string[] {
  return sql
    .exec<{ key: string }>('SELECT key FROM loose_objects')
    .toArray()
    .map(({ key }) => key);
}

/** Forgets objects that are deleted. */
export function forgetObjects(sql: SqlStorage, keys: readonly string[]): void {
  for (const key of keys) sql.exec('DELETE FROM loose_objects WHERE key = ?', key);
}

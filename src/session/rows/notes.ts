import type { NoteStore } from '../../tools/index.ts';

/** The agent's notes on the session's rows. */
export function rowNotes(sql: SqlStorage, now: () => number): NoteStore {
  return {
    add: (text) => void sql.exec('INSERT INTO notes (text, created) VALUES (?, ?)', text, now()),
    list: (limit) =>
      sql
        .exec<{ text: string; created: number }>('SELECT text, created FROM notes ORDER BY id DESC LIMIT ?', limit)
        .toArray()
        .toReversed(),
  };
}

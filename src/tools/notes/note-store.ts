/** A note of the session. `created` is in ms since 1970. */
export interface Note {
  readonly text: string;
  readonly created: number;
}

/** Where notes are kept: a port, which the session implements on its rows. Notes outlive the turn and the process. */
export interface NoteStore {
  add(text: string): void | Promise<void>;
  /** The newest notes, at most `limit`, oldest of them first. */
  list(limit: number): readonly Note[] | Promise<readonly Note[]>;
}

/** What a workspace holds at most, and what is kept where. Sizes in bytes. */
export const workspaceLimits = {
  /** One file. It is read as a whole by tools, in an isolate of 128 MB that sessions share. */
  file: 25 * 1024 * 1024,
  /** Files, links and empty folders of a session. */
  files: 20_000,
  /** All files of a session together. */
  bytes: 200 * 1024 * 1024,
  /** A body above it stands in R2: a row of SQLite holds 2 MB, and what is read with it costs memory. */
  inline: 256 * 1024,
  /** The newest changes that undo can take back, and how much all bodies, the journal's included, may have before older changes are forgotten. Those of a revision are kept, or forgotten, together. */
  changes: 1000,
  stored: 400 * 1024 * 1024,
  /** The deletions that are remembered for copies kept elsewhere. */
  gone: 10_000,
  /** Links on the way to a file. */
  hops: 32,
  /** An archive that is brought in, and what is in it: it is unpacked in memory. */
  archive: 16 * 1024 * 1024,
  unpacked: 48 * 1024 * 1024,
  /** How many times its size in the archive a file may have. Text comes to 20, deflate itself to 1,032. */
  ratio: 200,
} as const;

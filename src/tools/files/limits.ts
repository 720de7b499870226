/** Bounds of the file tools (FILES-10, FILES-11). Bytes are those of the file, characters are UTF-16 code units. */
export const fileLimits = {
  /** The most lines and bytes of a text that one call reads. */
  readLines: 2000,
  readBytes: 51_200,
  /** The largest image that is shown to a model: one that is too large would make every later request fail. */
  imageBytes: 1_048_576,
  /** A file above it is read in pieces of this size. */
  pieceBytes: 1_048_576,
  /** The largest file that is edited, patched, written by a tool or searched. */
  editBytes: 4 * 1_048_576,
  /** The longest patch, in characters. */
  patchLength: 1_000_000,
  /** What one search reads at most. */
  searchBytes: 64 * 1_048_576,
  /** How many entries of the workspace are asked for at a time. */
  walkPage: 500,
  /** What list_dir and glob show, in entries. */
  listed: 500,
  globbed: 200,
  /** What grep shows: matches unless told otherwise, matches at most, characters of a line, lines of context, bytes in all. */
  matches: 100,
  matchesCeiling: 500,
  lineLength: 300,
  contextLines: 10,
  shownBytes: 51_200,
  /** The longest pattern of glob and grep, and of how many alternatives its braces may consist. */
  patternLength: 1000,
  alternatives: 100,
  /** The diffs that a result carries for the application, in bytes of JSON: below that at which a value is told by a preview. And the most changed lines that it is looked for in. */
  diffBytes: 49_152,
  diffEdits: 2000,
} as const;

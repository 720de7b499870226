/** What the name of a model tells of it. */
export interface Traits {
  /** Whether it goes on from the beginning of a reply; absent: not known. */
  readonly continues?: boolean;
  /** The bound of a reply when the prompt names none, in tokens: the API wants one. */
  readonly maxOutputTokens: number;
}

/**
 * Claude's generations by version (100 × major + minor), the oldest first. A bound above 16 Ki would cost prompt: up to 4.1
 * the API refuses a prompt that leaves no room for the bound. From 4.6 on no reply is continued (ANT-06).
 */
const generations: readonly (Traits & { readonly upTo: number })[] = [
  { upTo: 304, continues: true, maxOutputTokens: 4096 },
  { upTo: 306, continues: true, maxOutputTokens: 8192 },
  { upTo: 405, continues: true, maxOutputTokens: 16_384 },
  { upTo: Infinity, continues: false, maxOutputTokens: 16_384 },
];

/** A model that is no Claude, or has no version in its name. */
const unknown: Traits = { maxOutputTokens: 8192 };

/** The version in a name such as `claude-3-5-haiku-20241022`, `claude-sonnet-4-20250514`, `anthropic/claude-opus-4.6`. */
const version = /claude-(?:[a-z]+-)*(\d+)(?:[-.](\d{1,2}))?(?!\d)/;

/** What the name of a model tells of it. */
export function traitsOf(model: string): Traits {
  const [, major, minor = '0'] = version.exec(model) ?? [];
  if (major === undefined) return unknown;
  const number = Number(major) * 100 + Number(minor);
  return generations.find(({ upTo }) => number <= upTo) ?? unknown;
}

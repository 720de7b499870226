import type { MintId } from '../core/index.ts';

/** Ids that count, for tests that name them: `msg_1`, `msg_2`, `call_1`, a count for each prefix. */
export function countingIds(): MintId {
  const counts = new Map<string, number>();
  return (prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return `${prefix}_${count}`;
  };
}

/** The shortest and the longest wait before a new attempt, in ms. */
export const backoffLimits = { least: 500, most: 10_000 } as const;

/** How long to wait before attempt `attempt` (from 0), in ms: doubling, spread by `random` (0 to 1) so that tabs do not come back at once. */
export function backoff(attempt: number, random: number): number {
  const { least, most } = backoffLimits;
  const ceiling = Math.min(most, 2 * least * 2 ** Math.min(attempt, 10));
  return least + random * (ceiling - least);
}

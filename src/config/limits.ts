/** What a participant may do in a minute where the operator set nothing (docs/limits.md). */
export const defaultLimits = { commands: 300, sockets: 120 } as const;

/** A limit as a variable gives it: a positive whole number; null when it is absent or none. */
export function readLimit(value: unknown): number | null {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : null;
}

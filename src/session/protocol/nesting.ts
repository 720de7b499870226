import type { Json } from '../../core/index.ts';

/** How deep the JSON of a client may be nested: deeper text could exhaust the stack of whoever walks it. */
export const nestingLimit = 128;

/** True when a value is nested deeper than `limit`. Walks level by level, so it needs no stack itself. */
export function isDeeper(value: Json, limit: number): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

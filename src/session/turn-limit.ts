import type { Ask } from '../policy/index.ts';
import { isChildScope } from './scope.ts';

/** How long a turn that may not run yet waits before it asks again, in ms: one of those before it may be about to end. */
const turnWait = 2000;

/**
 * The limit of a session; null where there is none. How many turns run at once is counted in the list; a nested session is not in it: its turns are part of one
 * that is counted.
 */
export function turnLimitOf(scope: string, turns: number | null, ahead: () => Promise<number | null>): Ask | null {
  return turns === null || isChildScope(scope) ? null : turnLimit(turns, ahead);
}

/**
 * Lets at most `limit` turns of a participant run at once. For one run: asked before its first model call, it goes on when fewer others began before
 * it, and its later calls are not asked about. `ahead` gives how many those are; null, when that is not known, lets it go on.
 */
function turnLimit(limit: number, ahead: () => Promise<number | null>): Ask {
  let granted = false;
  return async () => {
    granted ||= ((await ahead()) ?? 0) < limit;
    if (granted) return null;
    const running = limit === 1 ? 'A turn of yours is' : `${limit} turns of yours are`;
    return {
      code: 'too_many_turns',
      detail: `${running} running already: wait for an end or stop one, then retry.`,
      retryAfter: turnWait,
    };
  };
}

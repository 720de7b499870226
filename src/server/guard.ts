import { tooMany } from '../session/flood.ts';
import { isChildScope, isScope, isWithin } from '../session/scope.ts';
import { type Outcome, type Problem, accepted, refused } from '../session/protocol/index.ts';
import type { Identity } from './identity/index.ts';
import { directoryOf } from './objects.ts';
import { isAllowedOrigin } from './origin.ts';
import { param, type RequestContext, type Route } from './route.ts';

/** The refusal of a token that is for one session, where it names another. */
export const otherSession: Problem = { code: 'forbidden', detail: 'This token is for another session.' };

/**
 * Whether an identified request may reach a route's handler: its origin, the session it names, its role, and at last, since it
 * counts, the flood limit.
 */
export async function admit(c: RequestContext, route: Route): Promise<Outcome<null>> {
  const { identity, settings } = c.var;
  const origin = c.req.header('origin');
  const changes = route.method !== 'get' || route.socket === true;
  if (changes && origin !== undefined && !isAllowedOrigin(origin, c.req.raw, settings)) {
    return refused('origin_refused', 'Pages of this origin may not use the server. The operator names them in ALLOWED_ORIGINS.');
  }
  const permitted = route.path.includes('/:scope') ? maySession(identity, route, param(c, 'scope')) : accepted(null);
  if (!permitted.ok) return permitted;
  if (route.access === 'operate' && identity.role !== 'operator') return refused('forbidden', 'Only an operator may do this.');
  if (route.access === 'write' && identity.role === 'viewer') return refused('forbidden', 'A viewer may only read.');
  return changes ? withinLimit(c, route.socket === true ? 'socket' : 'command') : accepted(null);
}

function maySession(identity: Identity, route: Route, scope: string): Outcome<null> {
  if (!isScope(scope))
    return refused('bad_request', 'A scope begins with a letter or digit and has at most 128 of letters, digits and . _ ~ -');
  if (identity.scope !== null && !isWithin(scope, identity.scope)) return { ok: false, problem: otherSession };
  if (isChildScope(scope) && route.children !== true) {
    return refused('forbidden', 'A nested session is only read, answered and cancelled; its parent leads it.');
  }
  return accepted(null);
}

async function withinLimit(c: RequestContext, kind: 'command' | 'socket'): Promise<Outcome<null>> {
  const wait = await directoryOf(c.env, c.var.identity).admit(kind, c.var.identity.role);
  return wait === null ? accepted(null) : tooMany(`${kind}s`, wait);
}

import type { JsonObject, ToolSpec } from '../core/index.ts';
import type { CallDecision } from '../policy/index.ts';
import type { Checked } from './problem.ts';

/** Who would use which tool (PERM-02). */
export interface Offer {
  readonly participant: string;
  /** The scope of the session. */
  readonly session: string;
  readonly tool: ToolSpec;
}

/** A call that somebody's agent would make, with its arguments. */
export interface Use extends Offer {
  readonly input: JsonObject;
}

/**
 * Who may use which tools: two questions (PERM-01), answered by code. Both have their say only where `authorize` is true; one that is defined without it is a
 * configuration error, since it would only seem to protect (PERM-05, PERM-06).
 */
export interface Permissions {
  readonly authorize: boolean;
  /** Whether a tool is offered to a run at all. Null: every tool of the mode is. */
  readonly canOffer: ((offer: Offer) => boolean) | null;
  /** Whether a call may be made with these arguments; asked again when an approved call resumes (PERM-12). Null: every call may. */
  readonly canCall: ((use: Use) => CallDecision | Promise<CallDecision>) | null;
}

/** The permissions, as shipped: off (PERM-04). */
export const permissions: Permissions = { authorize: false, canOffer: null, canCall: null };

/** The permissions, checked. */
export function checkPermissions(given: Permissions): Checked<Permissions> {
  const defined = (['canOffer', 'canCall'] as const).filter((name) => given[name] !== null);
  if (given.authorize || defined.length === 0) return { ok: true, value: given };
  const message = `In the permissions, ${defined.join(' and ')} would never be asked: set authorize to true, or take ${defined.length === 1 ? 'it' : 'them'} away.`;
  return { ok: false, problems: [{ code: 'unsafe_authorization_configuration', where: 'permissions', message }] };
}

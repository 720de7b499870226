import * as z from 'zod';
import { isScope, type Jurisdiction, jurisdictions } from '../../session/scope.ts';
import { accepted, type Outcome, refused, type Role } from '../../session/protocol/index.ts';

/** Every role that a proof may name. */
export const roles = ['viewer', 'member', 'operator'] as const satisfies readonly Role[];

/** Who makes a request, from authentication alone (SESS-20). */
export interface Identity {
  readonly participant: string;
  readonly role: Role;
  /** The only session that may be addressed, its nested ones included; null: all of the participant's. */
  readonly scope: string | null;
  readonly jurisdiction: Jurisdiction | null;
  /** When the proof runs out, in ms since 1970; null: never. */
  readonly expires: number | null;
}

/** The most bytes of a participant's name. */
const participantLimit = 256;

/** A name that may be a participant: some bytes, not too many, and no half of a surrogate pair, which no encoding keeps. */
export const participantName = z
  .string()
  .min(1)
  .refine((name) => name.isWellFormed() && new TextEncoder().encode(name).length <= participantLimit);

/** The claims of our own tokens. Others are ignored. */
export const tokenClaims = z.object({
  sub: participantName,
  exp: z.number(),
  role: z.enum(roles).default('member'),
  scope: z.string().refine(isScope).optional(),
  jurisdiction: z.enum(jurisdictions).optional(),
});

/** The identity that an authenticated request has. */
export function identified(identity: Identity): Outcome<Identity> {
  return accepted(identity);
}

/** The refusal of a request that proves nobody. It never says which part of the proof was wrong. */
export function unauthenticated(how: string): Outcome<never> {
  return refused('unauthenticated', `Sign in: ${how}`);
}

/** The refusal of a server that has no way to know anybody. `detail` is for the operator. */
export function notConfigured(detail: string): Outcome<never> {
  return refused('auth_not_configured', detail);
}

import { type Policy, policyOf, type Rule } from '../policy/index.ts';
import { type Mode, modes } from './modes.ts';
import { checkPermissions, type Permissions, permissions } from './permissions.ts';
import { checkRules, rules, toolReaders } from './policy.ts';
import type { Checked } from './problem.ts';
import { toolNames } from './tools.ts';

/** What the operator says of what agents may do, beside the tools of their modes. */
export interface AuthorityInit {
  readonly rules: readonly Rule[];
  readonly permissions: Permissions;
}

/** The same, checked and ready to be asked. */
export interface Authority {
  readonly policy: Policy;
  readonly permissions: Permissions;
}

/** What is configured. */
export const configuredAuthority: AuthorityInit = { rules, permissions };

/** Checks what agents may do, as it is taken for a turn. `from` holds the modes that there are. */
export function resolveAuthority(given: AuthorityInit = configuredAuthority, from: readonly Mode[] = modes): Checked<Authority> {
  const names = from.map(({ name }) => name);
  const checks = [checkRules(given.rules, toolNames, names), checkPermissions(given.permissions)];
  const problems = checks.flatMap((check) => (check.ok ? [] : check.problems));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { policy: policyOf(given.rules, toolReaders), permissions: given.permissions } };
}

import { type AuthorityInit, configuredAuthority, resolveAuthority } from './authority.ts';
import { readEnv } from './env.ts';
import { defaultMode, type Mode, modes, resolveMode } from './modes.ts';
import type { ConfigProblem } from './problem.ts';
import { toolNames } from './tools.ts';

/** Every problem of the configuration: what a run would be refused for, found before it (DOC-01, DOC-02). Empty: it is consistent. */
export function checkConfiguration(
  env: object,
  from: readonly Mode[] = modes,
  authority: AuthorityInit = configuredAuthority,
): readonly ConfigProblem[] {
  const names = new Set([defaultMode, ...from.map(({ name }) => name)]);
  const modeChecks = [...names].map((name) => resolveMode(name, toolNames, from));
  const checks = [readEnv(env), ...modeChecks, resolveAuthority(authority, from)];
  const twice = from.filter(({ name }, index) => from.findIndex((mode) => mode.name === name) !== index);
  return [
    ...checks.flatMap((check) => (check.ok ? [] : check.problems)),
    ...twice.map(({ name }): ConfigProblem => ({
      code: 'mode_malformed',
      where: name,
      message: `Two modes are named ${name}: rename one.`,
    })),
  ];
}

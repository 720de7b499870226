import { describe, expect, it, test } from 'vitest';
import {
  checkConfiguration,
  configuredAuthority,
  describeConfiguration,
  modes,
  type Permissions,
  resolveAuthority,
  rules as shipped,
} from '../../src/config/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import type { Effect, Rule } from '../../src/policy/index.ts';

const off: Permissions = { authorize: false, canOffer: null, canCall: null };

const problemsOf = (rules: unknown, permissions: Permissions = off) => {
  const resolved = resolveAuthority({ rules: rules as readonly Rule[], permissions });
  return resolved.ok ? [] : resolved.problems;
};

const judge = (rule: Omit<Rule, 'name'>, tool: string, input: JsonObject): Effect => {
  const resolved = resolveAuthority({ rules: [{ name: 'r', ...rule }], permissions: off });
  if (!resolved.ok) throw new Error(resolved.problems[0]?.message);
  return resolved.value.policy.judge({ tool, hints: {}, input, mode: 'chat' }).effect;
};

describe('as shipped', () => {
  test('STATE-11 POL-06 PERM-04 there is no rule, and no permission is asked for', () => {
    expect(shipped).toEqual([]);
    expect(configuredAuthority.permissions).toEqual(off);
    expect(resolveAuthority()).toMatchObject({ ok: true });
  });

  test('PERM-13 DOC-03 the doctor says so', () => {
    const { checks } = describeConfiguration({});
    expect(checks).toContainEqual({
      name: 'permissions',
      status: 'ok',
      detail: 'Off: every tool of a mode is offered to whoever uses it.',
    });
    expect(checks).toContainEqual({
      name: 'policy',
      status: 'ok',
      detail: expect.stringMatching(/^Has 0 rules, version [0-9a-f]{12}\./),
    });
  });
});

describe('rules', () => {
  it.each<[string, unknown]>([
    ['rules.0.effect must be deny, ask or allow', [{ name: 'a', effect: 'never' }]],
    [
      'rules.1.name must be up to 100',
      [
        { name: 'a', effect: 'ask' },
        { name: 'a b', effect: 'ask' },
      ],
    ],
    [
      'rules.1.name must not be a: another rule is named so',
      [
        { name: 'a', effect: 'ask' },
        { name: 'a', effect: 'deny' },
      ],
    ],
    ['rules.0.tools must have one at least', [{ name: 'a', effect: 'ask', tools: [] }]],
    ['rules.0.tools.1 must not be empty', [{ name: 'a', effect: 'ask', tools: ['shell', ''] }]],
    ['rules.0.reason must not be empty', [{ name: 'a', effect: 'ask', reason: '' }]],
    ['rules.0.shell must be an object with one of run', [{ name: 'a', effect: 'ask', shell: {} }]],
    ['rules.0.shell must be an object with one of run', [{ name: 'a', effect: 'ask', shell: { run: 'ls', writes: ['x'] } }]],
    ['rules.0.shell.run must be words with one space between them', [{ name: 'a', effect: 'ask', shell: { run: ' ls' } }]],
    ['rules.0.tools.0 is edit, and there is no such tool', [{ name: 'a', effect: 'ask', tools: ['edit'] }]],
    ['rules.0.modes.0 is palaver, and there is no such mode', [{ name: 'a', effect: 'ask', modes: ['palaver'] }]],
    ['rules.0', [{ name: 'a', effect: 'ask', tool: ['shell'] }]],
    ['rules', 'none'],
  ])('POL-02 DOC-02 a fault is named with its place: %s', (start, rules) => {
    const problems = problemsOf(rules);
    expect(problems).toMatchObject([{ code: 'policy_malformed', where: 'policy' }]);
    expect(problems[0]?.message).toContain(`In the policy, ${start}`);
  });

  it('POL-02 all that a rule may have is taken', () => {
    const rule: Rule = {
      name: 'all',
      effect: 'deny',
      reason: 'why',
      tools: ['*_file'],
      modes: [modes[0]?.name ?? ''],
      hints: { readOnly: false, destructive: true, openWorld: true, idempotent: false },
      input: { path: '*' },
      paths: ['**'],
      shell: { run: 'git push', with: ['-f'], only: [] },
    };
    expect(problemsOf([rule])).toEqual([]);
    for (const shell of [{ writes: ['a'] }, { reads: ['a'] }, { sets: ['A'] }])
      expect(problemsOf([{ ...rule, shell }])).toEqual([]);
  });

  it('DOC-01 DOC-02 the check of the configuration finds them', () => {
    const authority = { rules: [{ name: 'a', effect: 'ask', tools: ['edit'] } as const], permissions: off };
    expect(checkConfiguration({}, modes, authority).map(({ code }) => code)).toEqual(['policy_malformed']);
  });
});

describe('permissions', () => {
  it.each<[string, Partial<Permissions>]>([
    ['canOffer would never be asked: set authorize to true, or take it away', { canOffer: () => true }],
    ['canCall would never be asked', { canCall: () => true }],
    [
      'canOffer and canCall would never be asked: set authorize to true, or take them away',
      { canOffer: () => true, canCall: () => true },
    ],
  ])('PERM-05 PERM-06 a policy that is defined while off is refused: %s', (message, given) => {
    const problems = problemsOf([], { ...off, ...given });
    expect(problems).toMatchObject([{ code: 'unsafe_authorization_configuration', where: 'permissions' }]);
    expect(problems[0]?.message).toContain(message);
    const authority = { rules: [], permissions: { ...off, ...given } };
    expect(checkConfiguration({}, modes, authority).map(({ code }) => code)).toEqual(['unsafe_authorization_configuration']);
  });

  it('PERM-04 both may be left out while on', () => {
    expect(problemsOf([], { ...off, authorize: true })).toEqual([]);
    expect(problemsOf([], { authorize: true, canOffer: () => true, canCall: () => true })).toEqual([]);
  });
});

describe('what rules look into', () => {
  const noSecrets = { effect: 'deny', paths: ['secrets/**'] } as const;
  const patch = (path: string) => `*** Begin Patch\n*** Update File: a\n*** Move to: ${path}\n@@\n-a\n+b\n*** End Patch`;

  it.each<[Effect, string, JsonObject]>([
    ['deny', 'read_file', { path: 'secrets/key' }],
    ['deny', 'write_file', { path: './x/../secrets//key', content: '' }],
    ['deny', 'edit_file', { path: 'secrets/a/b' }],
    ['deny', 'apply_patch', { patch: patch('secrets/b') }],
    ['deny', 'list_dir', { path: 'secrets/old' }],
    ['deny', 'grep', { pattern: 'x', path: 'secrets/old' }],
    ['ask', 'write_file', { path: 'secret/key' }],
    ['ask', 'apply_patch', { patch: patch('b') }],
    ['ask', 'apply_patch', { patch: '*** Begin' }],
  ])('POL-02 FILES-02 %s: the files of %s %j', (effect, tool, input) => {
    expect(judge(noSecrets, tool, input)).toBe(effect);
  });

  it('POL-05 the files of a call that cannot be read are never taken for others', () => {
    const inSrc = { effect: 'allow', paths: ['src/**'] } as const;
    expect(judge(inSrc, 'write_file', { path: 'src/a' })).toBe('allow');
    expect(judge(inSrc, 'apply_patch', { patch: patch('src/b') })).toBe('ask');
    for (const path of ['src/../../a', '/src/a', 'src\\a', 7])
      expect(judge(inSrc, 'write_file', { path }), String(path)).toBe('ask');
  });

  it.each(['shell', 'process_start'])('POL-02 POL-05 SHELL-18 the command of %s', (tool) => {
    const allowLs = { effect: 'allow', shell: { run: 'ls' } } as const;
    expect(judge(allowLs, tool, { command: 'ls -l' })).toBe('allow');
    expect(judge(allowLs, tool, { command: 'ls; make' })).toBe('ask');
    expect(judge(allowLs, tool, { command: 7 })).toBe('ask');
    expect(judge({ effect: 'deny', shell: { writes: ['a'] } }, tool, { command: 'ls > /workspace/a' })).toBe('deny');
    expect(judge({ effect: 'deny', shell: { run: 'nc' } }, tool, { command: "bash -c 'nc -l 80'" })).toBe('deny');
  });
});

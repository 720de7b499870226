import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Hints, JsonObject } from '../../../src/core/index.ts';
import { type Effect, type NamedFiles, policyOf, type Rule, type ToolReaders } from '../../../src/policy/index.ts';
import { shellReader } from '../shell/support.ts';

const files = (read: (input: JsonObject) => NamedFiles | null): ToolReaders => ({ ...shellReader, edit: { files: read } });
const readers = files(({ paths, below }) => (Array.isArray(paths) ? { paths: paths.map(String), below: below === true } : null));

interface Asked {
  readonly tool?: string;
  readonly hints?: Hints;
  readonly input?: JsonObject;
  readonly mode?: string;
}

function judge(rules: readonly Rule[], { tool = 'edit', hints = {}, input = {}, mode = 'chat' }: Asked = {}) {
  return policyOf(rules, readers).judge({ tool, hints, input, mode });
}

const effects = (rule: Omit<Rule, 'name' | 'effect'>, asked: Asked): readonly Effect[] =>
  (['deny', 'ask', 'allow'] as const).map(
    (effect) => judge([{ name: 'r', effect, ...rule }], { hints: { readOnly: effect === 'ask' }, ...asked }).effect,
  );
/** What a rule that fits says: deny, ask, allow. One that does not: what holds without it. */
const fits = ['deny', 'ask', 'allow'];
const fitsNot = ['ask', 'allow', 'ask'];

describe('without a rule', () => {
  it.each<[Hints, Effect, string]>([
    [{}, 'ask', 'edit changes files'],
    [{ readOnly: false }, 'ask', 'edit changes files'],
    [{ readOnly: true }, 'allow', 'edit only reads'],
    [{ destructive: true }, 'ask', 'edit changes files'],
  ])('POL-06 MW-15 a tool of hints %j: %s', (hints, effect, why) => {
    expect(judge([], { hints })).toMatchObject({ effect, why, rule: null, part: null });
  });

  it('POL-05 a command is asked about as a whole', () => {
    expect(judge([], { tool: 'shell', input: { command: 'ls' } })).toMatchObject({ effect: 'ask', why: 'shell changes files' });
  });
});

describe('the conditions of a rule', () => {
  it.each<[Omit<Rule, 'name' | 'effect'>, Asked]>([
    [{}, {}],
    [{ tools: ['edit'] }, {}],
    [{ tools: ['read', 'ed*'] }, {}],
    [{ tools: ['e??t'] }, {}],
    [{ modes: ['plan', 'chat'] }, {}],
    [{ input: { path: 'src/*' } }, { input: { path: 'src/a.ts' } }],
    [{ input: { 'options.force': 'true' } }, { input: { options: { force: true } } }],
    [{ input: { list: '*"b"*' } }, { input: { list: ['a', 'b'] } }],
    [{ paths: ['src/**'] }, { input: { paths: ['src/a/b.ts'] } }],
    [{ paths: ['src/**'] }, { input: { paths: ['./src/x/../a.ts'] } }],
    [{ paths: ['docs/*', 'src/?.ts'] }, { input: { paths: ['docs/a.md', 'src/a.ts'] } }],
    [{ paths: ['src/**'] }, { input: { paths: ['src'], below: true } }],
    [{ tools: ['edit'], modes: ['chat'], paths: ['**'] }, { input: { paths: ['a'] } }],
  ])('POL-02 %j fits %j', (rule, asked) => {
    expect(effects(rule, asked)).toEqual(fits);
  });

  it.each<[Omit<Rule, 'name' | 'effect'>, Asked]>([
    [{ tools: ['edits'] }, {}],
    [{ tools: ['Edit'] }, {}],
    [{ tools: ['edit?'] }, {}],
    [{ modes: ['plan'] }, {}],
    [{ input: { path: 'src/*' } }, { input: { path: 'a/src/a.ts' } }],
    [{ input: { path: '*' } }, {}],
    [{ input: { toString: '*' } }, {}],
    [{ paths: ['src/*'] }, { input: { paths: ['src/a/b.ts'] } }],
    [{ paths: ['src/**'] }, { input: { paths: ['src-old/a.ts'] } }],
    [{ paths: ['**'] }, { input: { paths: ['../a'] } }],
    [{ paths: ['**'] }, { input: { paths: ['/etc/passwd'] } }],
    [{ paths: ['/**'] }, { input: { paths: ['a'] } }],
    [{ paths: ['**'] }, { tool: 'other' }],
    [{ paths: ['**'] }, { input: { paths: [] } }],
    [{ shell: { run: '*' } }, {}],
    [{ tools: ['edit'], modes: ['plan'] }, {}],
  ])('POL-02 %j does not fit %j', (rule, asked) => {
    expect(effects(rule, asked)).toEqual(fitsNot);
  });

  it('POL-02 hints: those that are not said are false', () => {
    const of = (hints: Hints, said: Hints) => judge([{ name: 'r', effect: 'deny', hints }], { hints: said }).effect;
    expect(of({ openWorld: true }, { openWorld: true })).toBe('deny');
    expect(of({ openWorld: false }, {})).toBe('deny');
    expect(of({ openWorld: true }, {})).toBe('ask');
    expect(of({ openWorld: true, destructive: true }, { openWorld: true })).toBe('ask');
  });

  it('PERM-03 of several files one is enough to deny and to ask, and all must fit to allow', () => {
    expect(effects({ paths: ['src/**'] }, { input: { paths: ['docs/a', 'src/a'] } })).toEqual(['deny', 'ask', 'ask']);
  });

  it('POL-05 files that cannot be read are asked about, whatever a rule would have said', () => {
    expect(effects({ paths: ['src/**'] }, { input: {} })).toEqual(['ask', 'ask', 'ask']);
    expect(judge([{ name: 'r', effect: 'deny', paths: ['src/**'] }]).why).toContain('may be what the rule r denies');
  });

  it('PERM-03 a call that reads below a folder is asked about for what it may find there', () => {
    const below = (paths: readonly string[], glob: string) => effects({ paths: [glob] }, { input: { paths, below: true } });
    expect(below([''], 'secrets/**')).toEqual(['ask', 'ask', 'ask']);
    expect(below(['src'], '**/*.env')).toEqual(['ask', 'ask', 'ask']);
    expect(below(['src'], 'secrets/**')).toEqual(fitsNot);
    expect(below(['secrets/old'], 'secrets/**')).toEqual(fits);
    expect(below(['src'], 'src')).toEqual(['deny', 'ask', 'ask']);
  });
});

describe('several rules', () => {
  const rule = (effect: Effect, name: string = effect): Rule => ({ name, effect, tools: ['edit'] });

  it('POL-06 the most restrictive one holds', () => {
    expect(judge([rule('allow'), rule('ask'), rule('deny')])).toMatchObject({ effect: 'deny', rule: 'deny' });
    expect(judge([rule('allow'), rule('ask')])).toMatchObject({ effect: 'ask', rule: 'ask' });
    expect(judge([rule('allow')])).toMatchObject({ effect: 'allow', rule: 'allow' });
  });

  it('POL-06 every finding is told, the most restrictive first', () => {
    const { findings } = judge([rule('allow'), rule('deny'), rule('ask')]);
    expect(findings.map(({ effect }) => effect)).toEqual(['deny', 'ask', 'allow']);
  });

  it('POL-06 their order counts neither for the verdict nor for the version', () => {
    const pattern = fc.constantFrom('edit', 'e*', 'shell', '*');
    const shell = fc.constantFrom({ run: 'ls' }, { run: 'git push', with: ['-f'] }, { writes: ['**'] }, { sets: ['A'] });
    const rules = fc.uniqueArray(
      fc.record(
        { name: fc.string(), effect: fc.constantFrom<Effect>('deny', 'ask', 'allow'), tools: fc.array(pattern), shell },
        { requiredKeys: ['name', 'effect'] },
      ),
      { selector: ({ name }) => name, maxLength: 5 },
    );
    const command = fc.constantFrom('ls', 'ls; A=1 git push', 'git push -f > x', 'echo $(ls)');
    fc.assert(
      fc.property(rules, fc.nat(), command, (given, seed, text) => {
        const shuffled = given.toSorted((a, b) => ((a.name.length * seed) % 7) - ((b.name.length * seed) % 7)).toReversed();
        const [a, b] = [policyOf(given, readers), policyOf(shuffled, readers)];
        const call = { tool: 'shell', hints: {}, input: { command: text }, mode: 'chat' };
        expect(a.judge(call).effect).toBe(b.judge(call).effect);
        expect(a.version).toBe(b.version);
      }),
    );
  });

  it('POL-06 one rule more never makes a verdict less restrictive, unless it allows', () => {
    const rank = { deny: 0, ask: 1, allow: 2 };
    const some = [
      rule('allow', 'a'),
      { name: 's', effect: 'allow', shell: { run: '*' } },
      { name: 'p', effect: 'ask', paths: ['**'] },
    ] as const;
    for (const more of [rule('ask'), rule('deny'), { name: 'n', effect: 'deny', shell: { run: 'ls' } } as const]) {
      for (const asked of [{}, { input: { paths: ['a'] } }, { tool: 'shell', input: { command: 'ls' } }]) {
        expect(rank[judge([...some, more], asked).effect]).toBeLessThanOrEqual(rank[judge(some, asked).effect]);
      }
    }
  });
});

describe('a command', () => {
  const shell = (rules: readonly Rule[], command: unknown) =>
    judge(rules, { tool: 'shell', input: { command: command as string } });
  const ls: Rule = { name: 'ls', effect: 'allow', shell: { run: 'ls' } };

  it('POL-05 the verdict names the part and the rule', () => {
    const rules: readonly Rule[] = [ls, { name: 'no-rm', effect: 'deny', reason: 'use trash', shell: { run: 'rm' } }];
    expect(shell(rules, 'ls && nice rm -f x')).toMatchObject({
      effect: 'deny',
      part: 'rm -f x',
      rule: 'no-rm',
      why: '`rm -f x` is denied by the rule no-rm: use trash',
    });
    expect(shell(rules, 'ls && make')).toMatchObject({
      effect: 'ask',
      part: 'make',
      rule: null,
      why: '`make` is allowed by no rule',
    });
    expect(shell(rules, 'ls $X').why).toBe(
      '`ls $X` cannot be judged: it has more in it than plain words, quotes, pipes and lists',
    );
    expect(shell(rules, 'ls')).toMatchObject({ effect: 'allow', part: 'ls', rule: 'ls' });
    const asks: Rule = { name: 'push-asks', effect: 'ask', shell: { run: 'git push' } };
    expect(shell([ls, asks], 'make $X; git push')).toMatchObject({ effect: 'ask', part: 'git push', rule: 'push-asks' });
  });

  it('POL-05 a rule that allows the tool allows what of a command is understood, and no more', () => {
    const all: Rule = { name: 'all', effect: 'allow', tools: ['shell'] };
    expect(shell([all], 'make > x').effect).toBe('allow');
    expect(shell([all], 'make $X').effect).toBe('ask');
    expect(shell([all, { name: 'n', effect: 'deny', shell: { run: 'make' } }], 'ls | make').effect).toBe('deny');
    expect(shell([all], 7).effect).toBe('ask');
    const noRm: Rule = { name: 'n', effect: 'deny', shell: { run: 'rm' } };
    expect(shell([all, noRm], 'ls | xargs wc').effect).toBe('allow');
    expect(shell([all, noRm], 'ls | xargs find').effect).toBe('ask');
    expect(shell([all, noRm], 'ls | xargs nice').effect).toBe('ask');
    expect(shell([all, noRm], "find . -exec timeout '{}' ls ';'").effect).toBe('ask');
  });

  it('POL-06 a rule that asks or denies about the tool holds for every command', () => {
    expect(shell([ls, { name: 'q', effect: 'ask', tools: ['shell'] }], 'ls')).toMatchObject({ effect: 'ask', rule: 'q' });
    expect(shell([ls, { name: 'q', effect: 'deny', tools: ['shell'], modes: ['chat'] }], 'ls')).toMatchObject({ effect: 'deny' });
  });

  it('POL-02 APPR-02 a rule about commands may hold for one mode alone', () => {
    const policy = policyOf([{ ...ls, modes: ['plan'] }], shellReader);
    const inMode = (mode: string) => policy.judge({ tool: 'shell', hints: {}, input: { command: 'ls' }, mode }).effect;
    expect([inMode('plan'), inMode('chat')]).toEqual(['allow', 'ask']);
  });
});

describe('the version', () => {
  const rules: readonly Rule[] = [
    { name: 'a', effect: 'deny', tools: ['x', 'y'], hints: { readOnly: true, openWorld: false } },
    { name: 'b', effect: 'ask', shell: { run: 'ls' } },
  ];

  test('POL-06 is a SHA-256, and the same for rules that mean the same', () => {
    expect(policyOf(rules).version).toMatch(/^[0-9a-f]{64}$/);
    const same: readonly Rule[] = [
      { effect: 'ask', name: 'b', shell: { run: 'ls' } },
      { name: 'a', tools: ['y', 'x'], hints: { openWorld: false, readOnly: true }, effect: 'deny' },
    ];
    expect(policyOf(same).version).toBe(policyOf(rules).version);
  });

  test('is another for any other rule', () => {
    const others: readonly (readonly Rule[])[] = [
      [],
      rules.slice(1),
      [...rules.slice(0, 1), { name: 'b', effect: 'allow', shell: { run: 'ls' } }],
      [...rules.slice(0, 1), { name: 'b', effect: 'ask', shell: { run: 'ls', only: [] } }],
      [...rules.slice(0, 1), { name: 'c', effect: 'ask', shell: { run: 'ls' } }],
    ];
    const versions = [rules, ...others].map((one) => policyOf(one).version);
    expect(new Set(versions).size).toBe(versions.length);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import {
  checkConfiguration,
  defaultMode,
  type Mode,
  modes,
  resolveMode,
  stepCeiling,
  stepLimit,
  toolNames,
  toolsOf,
} from '../../src/config/index.ts';
import { fakePorts, fakeShell } from './ports.ts';

const ports = fakePorts();
let mode: Mode;

beforeEach(() => {
  mode = { name: 'chat', description: 'A mode.', system: 'Be brief.', tools: ['clock', 'wait'], maxSteps: 5 };
});

describe('the configuration as shipped', () => {
  test('STATE-11 DOC-01 it is consistent without any variable', () => {
    expect(checkConfiguration({})).toEqual([]);
  });

  test('MODE-02 EX-13 its default mode is chat, at most 20 steps, with the tools of the box', () => {
    const resolved = resolveMode(null, toolNames);
    expect(resolved).toMatchObject({ ok: true, value: { name: 'chat', maxSteps: 20 } });
    expect(resolveMode(defaultMode, toolNames)).toEqual(resolved);
  });

  test('TERM-01 the mode code names the root of the project and asks for what makes a careful engineer', () => {
    const code = resolveMode('code', toolNames);
    if (!code.ok) throw new Error('There is no mode code.');
    for (const asked of [
      /root is `\.`/,
      /read a file before you change it/,
      /small and exact/,
      /run the tests/,
      /every path is relative/,
      /ask the user first/,
      /At the end report/,
    ]) {
      expect(code.value.system).toMatch(asked);
    }
    expect(code.value.tools).toEqual(
      expect.arrayContaining(['read_file', 'edit_file', 'apply_patch', 'grep', 'shell', 'ask_user']),
    );
    expect(code.value.maxSteps).toBeLessThanOrEqual(stepCeiling);
  });

  test('TOOL-31 C-15 every tool of every mode exists, and its spec bears the name that the mode uses', () => {
    for (const shipped of modes) {
      const names = toolsOf(shipped, ports).map(({ spec }) => spec.name);
      expect(names, shipped.name).toEqual(shipped.tools);
    }
  });

  test('SHELL-18 PERM-07 where nothing keeps a program running, the tools for it are not offered, asked for or not', () => {
    const code = modes.find(({ name }) => name === 'code');
    if (code === undefined) throw new Error('There is no mode code.');
    const names = (only: readonly string[] | null): readonly string[] =>
      toolsOf(code, fakePorts({ shell: fakeShell(null) }), only).map(({ spec }) => spec.name);
    expect(names(null)).toEqual(code.tools.filter((name) => !name.startsWith('process_')));
    expect(names(['process_start', 'shell'])).toEqual(['shell']);
  });

  test('TOOL-05 every tool there is can be made, described by an object schema and in words', () => {
    for (const { spec } of toolsOf({ ...mode, tools: toolNames }, ports)) {
      expect(spec.input.type, spec.name).toBe('object');
      expect(spec.description.length, spec.name).toBeGreaterThan(20);
    }
  });
});

describe('a mode', () => {
  test('MODE-03 that does not exist is a problem which names those that do', () => {
    expect(resolveMode('plan', toolNames, [mode])).toMatchObject({
      ok: false,
      problems: [{ code: 'mode_not_configured', where: 'plan', message: expect.stringContaining('chat') }],
    });
  });

  test.each([
    ['maxSteps', { maxSteps: 0 }],
    ['maxSteps', { maxSteps: 1.5 }],
    ['system', { system: '' }],
    ['tools', { tools: ['clock', 'clock'] }],
    ['name', { name: 'Chat Mode' }],
  ])('MODE-04 with a malformed %s is refused when it is resolved', (field, change) => {
    const wrong = { ...mode, ...change };
    expect(resolveMode(wrong.name, toolNames, [wrong])).toMatchObject({
      ok: false,
      problems: [{ code: 'mode_malformed', message: expect.stringContaining(field) }],
    });
  });

  test('C-15 that names a tool which nobody registered is a configuration error', () => {
    const wrong = { ...mode, tools: ['clock', 'teleport'] };
    expect(resolveMode('chat', toolNames, [wrong])).toMatchObject({
      ok: false,
      problems: [{ code: 'unknown_tool', where: 'chat' }],
    });
    expect(() => toolsOf(wrong, ports)).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
    expect(() => toolsOf({ ...mode, tools: ['toString'] }, ports)).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
  });

  test('SESS-11 MODE-05 a caller narrows its tools and never widens them; * means all of them', () => {
    const names = (only: readonly string[] | null) => toolsOf(mode, ports, only).map(({ spec }) => spec.name);
    expect(names(null)).toEqual(['clock', 'wait']);
    expect(names(['wait', 'write_note'])).toEqual(['wait']);
    expect(names(['*'])).toEqual(['clock', 'wait']);
    expect(names([])).toEqual([]);
  });

  test('SESS-12 another step limit may be asked for, up to the ceiling', () => {
    expect(stepLimit(mode, null)).toBe(5);
    expect(stepLimit(mode, 30)).toBe(30);
    expect(stepLimit(mode, 1000)).toBe(stepCeiling);
    expect(stepLimit({ ...mode, maxSteps: 1000 }, null)).toBe(stepCeiling);
  });
});

describe('the check of it all', () => {
  test('DOC-01 DOC-02 finds in every mode and variable what a run would be refused for', () => {
    const wrong = [mode, { ...mode, name: 'other', tools: ['teleport'] }];
    const problems = checkConfiguration({ HARNESS_HOST: 'lama' }, wrong);
    expect(problems.map(({ code, where }) => [code, where])).toEqual([
      ['variable_invalid', 'HARNESS_HOST'],
      ['unknown_tool', 'other'],
    ]);
  });

  test('MODE-02 finds that the default mode is missing, and two modes of one name', () => {
    const other = { ...mode, name: 'other' };
    expect(checkConfiguration({}, [other]).map(({ code }) => code)).toEqual(['mode_not_configured']);
    expect(checkConfiguration({}, [mode, { ...mode }])).toMatchObject([{ code: 'mode_malformed', where: 'chat' }]);
  });
});

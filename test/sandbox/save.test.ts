import { beforeEach, expect, test } from 'vitest';
import { saveChanges } from '../../src/sandbox/save.ts';
import { MemoryWorkspace } from './memory-workspace.ts';

const cause = { call: 'call_1', turn: 1 };
const bytes = new TextEncoder().encode('mine');
let workspace: MemoryWorkspace;

beforeEach(async () => {
  workspace = new MemoryWorkspace();
  await workspace.put('a', 'theirs');
});

test('WORK-01 all changes of a command are one', async () => {
  const saved = await saveChanges(
    workspace,
    [
      { type: 'write', path: 'b', bytes, ifRev: null },
      { type: 'folder', path: 'c' },
    ],
    cause,
  );
  expect(saved).toMatchObject({ entries: [{ path: 'b' }, { path: 'c' }], remarks: [] });
  expect(workspace.made).toHaveLength(2);
});

test('WORK-01 nothing is asked of the workspace where nothing changed', async () => {
  expect(await saveChanges(workspace, [], cause)).toEqual({ entries: [], remarks: [] });
  expect(workspace.made).toHaveLength(1);
});

test('WORK-01 a link, too, is put beside what somebody else made of its path', async () => {
  const saved = await saveChanges(workspace, [{ type: 'link', path: 'a', target: 'b', ifRev: null }], cause);
  expect(saved).toMatchObject({ entries: [{ path: 'a.shell-call_1' }], remarks: [expect.stringContaining('a.shell-call_1')] });
  expect(workspace.paths()).toEqual(['a', 'a.shell-call_1 -> b']);
});

test('WORK-01 every refusal is told, and what was not refused is saved', async () => {
  workspace.refuse.set('big', 'too_large').set('bad', 'path_refused').set('a.shell-call_1', 'is_folder');
  const changes = ['a', 'big', 'bad', 'good'].map((path) => ({ type: 'write', path, bytes, ifRev: null }) as const);
  const { remarks } = await saveChanges(workspace, changes, cause);
  expect(remarks).toEqual([
    expect.stringContaining('a.shell-call_1'),
    'Not saved: a.shell-call_1. a.shell-call_1: is_folder.',
    'Not saved: big. big: too_large.',
    'Not saved: bad. bad: path_refused.',
  ]);
  expect(workspace.paths()).toEqual(['a', 'good']);
});

test('WORK-01 a full workspace keeps what comes before the change that is too much, and the rest is told in one', async () => {
  workspace.refuse.set('e', 'quota_exceeded').set('g', 'quota_exceeded').set('b', 'too_large');
  let asked = 0;
  const original = workspace.change.bind(workspace);
  workspace.change = async (changes) => {
    asked += 1;
    return original(changes);
  };
  const changes = ['a', 'b', 'c', 'e', 'f', 'g'].map((path) => ({ type: 'write', path, bytes, ifRev: null }) as const);
  const { entries, remarks } = await saveChanges(workspace, changes, cause);
  expect(entries).toMatchObject([{ path: 'a.shell-call_1' }, { path: 'c' }, { path: 'f' }]);
  expect(remarks).toEqual([
    expect.stringContaining('a.shell-call_1'),
    'Not saved: b. b: too_large.',
    'Not saved: e. e: quota_exceeded.',
    'Not saved: g. g: quota_exceeded.',
  ]);
  expect(workspace.paths()).toEqual(['a', 'a.shell-call_1', 'c', 'f']);
  expect(asked).toBe(5);
});

test('WORK-01 a full workspace is not asked once for each file that it does not take', async () => {
  const names = Array.from({ length: 1000 }, (_, n) => `f${String(n).padStart(4, '0')}`);
  for (const name of names.slice(2)) workspace.refuse.set(name, 'quota_exceeded');
  const original = workspace.change.bind(workspace);
  let asked = 0;
  workspace.change = async (changes) => {
    asked += 1;
    return original(changes);
  };
  const changes = names.map((path) => ({ type: 'write', path, bytes, ifRev: null }) as const);
  const { entries, remarks } = await saveChanges(workspace, changes, cause);
  expect(entries).toMatchObject([{ path: 'f0000' }, { path: 'f0001' }]);
  expect(remarks.slice(-2)).toEqual([
    'Not saved: f0009. f0009: quota_exceeded.',
    'Not saved: f0010 and 989 more after it. f0010: quota_exceeded.',
  ]);
  expect(asked).toBe(10);
});

test('WORK-01 a full workspace that takes nothing of a command says so once', async () => {
  workspace.refuse.set('b', 'quota_exceeded');
  const saved = await saveChanges(workspace, [{ type: 'folder', path: 'b' }], cause);
  expect(saved).toEqual({ entries: [], remarks: ['Not saved: b. b: quota_exceeded.'] });
});

test('WORK-01 a refusal of something else than one of the changes ends it, told', async () => {
  const closed = {
    change: async () => ({ ok: false, problem: { code: 'quota_exceeded', path: '', message: 'Full.' } }) as const,
  };
  const saved = await saveChanges(Object.assign(workspace, closed), [{ type: 'folder', path: 'c' }], cause);
  expect(saved).toEqual({ entries: [], remarks: ['Changes of files were not saved: Full.'] });
});

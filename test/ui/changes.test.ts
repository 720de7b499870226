import { describe, expect, it } from 'vitest';
import { userText } from '../../src/core/message.ts';
import { changedPaths, type FileChange, groupChanges } from '../../src/ui/state/changes.ts';
import type { CallCard, Row } from '../../src/ui/state/rows.ts';
import type { FileEdit } from '../../src/ui/lib/file-edits.ts';

const change = (id: number, path: string, more: Partial<FileChange> = {}): FileChange => ({
  id,
  rev: id,
  call: null,
  turn: null,
  path,
  other: null,
  files: [{ path, before: null, after: { hash: 'h', size: 1 } }],
  ...more,
});
const card = (id: string, name: string, input: CallCard['input']): [string, CallCard] => [
  id,
  { id, name, input, raw: '', state: 'done', progress: null, result: null },
];
const reply = (id: string, ...cards: [string, CallCard][]): Row => {
  return { kind: 'reply', id, content: [], cards: new Map(cards), live: false, finish: null, created: 1 };
};
const user = (id: string, text: string): Row => ({ kind: 'user', id, message: userText(id, text), created: 1, by: null });
const rows: readonly Row[] = [
  user('u1', 'add a greeting'),
  reply('a1', card('c1', 'write_file', { path: 'a.ts', content: 'x' }), card('c2', 'shell', { command: 'make' })),
  user('u2', 'and a test'),
  reply(
    'a2',
    card('c3', 'apply_patch', { patch: '*** Begin Patch\n*** Add File: t.ts\n+x\n*** Add File: u.ts\n+y\n*** End Patch' }),
  ),
];

describe('the changes of a session', () => {
  it('FILES-08 stand under the request that led to them, newest first, over all its turns', () => {
    const groups = groupChanges(
      [
        change(5, 'u.ts', { call: 'c3', turn: 3 }),
        change(4, 't.ts', { call: 'c3', turn: 3 }),
        change(3, 'b.png'),
        change(2, 'out', { call: 'c2', turn: 2 }),
        change(1, 'a.ts', { call: 'c1', turn: 1 }),
      ],
      rows,
      new Map(),
    );
    expect(groups.map(({ words, turns, changes }) => [words, turns, changes.map((one) => one.change.path)])).toEqual([
      ['and a test', [3], ['u.ts', 't.ts']],
      ['', [], ['b.png']],
      ['add a greeting', [2, 1], ['out', 'a.ts']],
    ]);
    expect(new Set(groups.map((group) => group.key)).size).toBe(3);
  });

  it('show the lines of their own file: as reported, else as asked for, else none', () => {
    const done: FileEdit = { path: 'a.ts', from: null, what: 'created', added: 1, removed: 0, hunks: [], source: 'done' };
    const [second, first] = groupChanges(
      [
        change(4, 't.ts', { call: 'c3', turn: 3 }),
        change(2, 'out', { call: 'c2', turn: 1 }),
        change(1, 'a.ts', { call: 'c1', turn: 1 }),
      ],
      rows,
      new Map([['c1', [done]]]),
    );
    expect(second?.changes[0]?.edits.map(({ path, source }) => [path, source])).toEqual([['t.ts', 'asked']]);
    expect(first?.changes.map(({ tool, edits }) => [tool, edits])).toEqual([
      ['shell', []],
      ['write_file', [done]],
    ]);
  });

  it('find the lines of a moved file by either name', () => {
    const moved: FileEdit = { path: 'new.ts', from: 'a.ts', what: 'moved', added: 0, removed: 0, hunks: [], source: 'done' };
    const [group] = groupChanges(
      [change(1, 'a.ts', { call: 'c1', turn: 1, other: 'new.ts', files: [] })],
      rows,
      new Map([['c1', [moved]]]),
    );
    expect(group?.changes[0]?.edits).toEqual([moved]);
  });

  it('FILES-09 offer an undo for the newest change of a path alone', () => {
    const groups = groupChanges(
      [change(4, 'a.ts'), change(3, 'b.ts', { other: 'c.ts', files: [] }), change(2, 'c.ts'), change(1, 'a.ts')],
      [],
      new Map(),
    );
    expect(groups.flatMap((group) => group.changes.map((one) => one.newest))).toEqual([true, true, false, false]);
  });

  it('name the turn where the conversation is not loaded that far', () => {
    expect(groupChanges([change(1, 'a', { call: 'gone', turn: 9 })], rows, new Map())[0]).toMatchObject({
      words: 'Turn 9',
      turns: [9],
    });
  });

  it('mark every file that they are about', () => {
    expect([...changedPaths([change(1, 'a', { other: 'b' }), change(2, 'c')])]).toEqual(['a', 'b', 'c']);
  });
});

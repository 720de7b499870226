import { beforeEach, describe, expect, test } from 'vitest';
import { TestCall } from '../../../src/testing/index.ts';
import { applyPatchTool } from '../../../src/tools/index.ts';
import { hashOf, MemoryWorkspace } from './memory-workspace.ts';
import { read, refusalOf, use } from './use.ts';

let files: MemoryWorkspace;

beforeEach(() => {
  files = new MemoryWorkspace();
});

const apply = (...lines: readonly string[]) =>
  use(
    applyPatchTool(files),
    { patch: ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n') },
    new TestCall({ id: 'call_3', turn: 2 }),
  );

describe('a patch', () => {
  test('FILES-05 FILES-06 adds, changes, moves and deletes files in one change', async () => {
    await files.known('a.txt', 'one\ntwo\n');
    await files.known('b.txt', 'x\ny\n');
    await files.known('c.txt', 'gone\n');
    const result = await apply(
      '*** Add File: new/n.txt',
      '+hello',
      '*** Update File: a.txt',
      '-two',
      '+2',
      '*** Update File: b.txt',
      '*** Move to: d/b.txt',
      '-x',
      '+X',
      '*** Delete File: c.txt',
    );
    expect(read(result)).toBe('Applied the patch:\nA new/n.txt\nM a.txt\nR b.txt -> d/b.txt\nD c.txt');
    expect(files.paths).toEqual(['a.txt', 'd/b.txt', 'new/n.txt']);
    expect([files.text('a.txt'), files.text('d/b.txt'), files.text('new/n.txt')]).toEqual(['one\n2\n', 'X\ny\n', 'hello\n']);
    expect(files.made).toMatchObject([{ cause: { call: 'call_3', turn: 2 } }]);
  });

  test('TOOL-08 FILES-05 the application gets each file before and after, a move with where it came from', async () => {
    await files.known('b.txt', 'x\ny\n');
    await files.known('c.txt', 'gone\n');
    const { value } = await apply(
      '*** Update File: b.txt',
      '*** Move to: d.txt',
      '-x',
      '+X',
      '*** Delete File: c.txt',
      '*** Add File: n.txt',
      '+1',
      '+2',
    );
    expect(value).toMatchObject({
      changes: [
        { path: 'd.txt', from: 'b.txt', before: await hashOf('x\ny\n'), after: await hashOf('X\ny\n'), added: 1, removed: 1 },
        { path: 'c.txt', from: null, before: await hashOf('gone\n'), after: null, added: 0, removed: 1 },
        { path: 'n.txt', from: null, before: null, after: await hashOf('1\n2\n'), added: 2, removed: 0 },
      ],
    });
    expect(value).toMatchObject({
      changes: [
        { diff: expect.stringContaining('--- b.txt\n+++ d.txt\n') },
        { diff: expect.stringContaining('+++ /dev/null') },
        {},
      ],
    });
  });

  test('FILES-05 moves without a change, and keeps that a file may be run', async () => {
    files.put('run.sh', '#!\n', true);
    await files.saw('run.sh', 1);
    expect((await apply('*** Update File: run.sh', '*** Move to: bin/run.sh')).error).toBe(false);
    expect(files.executable('bin/run.sh')).toBe(true);
    expect(files.made[0]?.changes).toEqual([{ type: 'move', from: 'run.sh', to: 'bin/run.sh', ifRev: 1 }]);
  });

  test('FILES-06 sections of one file follow each other: deleted and made anew, made and changed, moved on', async () => {
    await files.known('a.txt', 'old\n');
    const result = await apply(
      '*** Delete File: a.txt',
      '*** Add File: a.txt',
      '+new',
      '*** Update File: a.txt',
      '-new',
      '+newer',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      '*** Update File: b.txt',
      '*** Move to: c.txt',
    );
    expect(read(result)).toBe('Applied the patch:\nD a.txt\nA a.txt\nM a.txt\nR a.txt -> b.txt\nR b.txt -> c.txt');
    expect(files.paths).toEqual(['c.txt']);
    expect(files.text('c.txt')).toBe('newer\n');
    expect(result.value).toMatchObject({
      changes: [{ path: 'c.txt', from: 'a.txt', before: await hashOf('old\n'), after: await hashOf('newer\n') }],
    });
  });

  test.each([
    ['the link', 'l', 'l'],
    ['its path and the link', 'a.txt', 'l'],
    ['the link and its path', 'l', 'a.txt'],
  ])('FILES-06 sections of one file follow each other when they name it by %s', async (_, first, second) => {
    await files.known('a.txt', 'one\ntwo\n');
    files.link('l', 'a.txt');
    const result = await apply(`*** Update File: ${first}`, '-one', '+1', `*** Update File: ${second}`, '-two', '+2');
    expect(read(result)).toBe('Applied the patch:\nM a.txt\nM a.txt');
    expect(files.text('a.txt')).toBe('1\n2\n');
    expect(result.value).toMatchObject({
      changes: [{ path: 'a.txt', before: await hashOf('one\ntwo\n'), after: await hashOf('1\n2\n') }],
    });
  });

  test('FILES-06 a file that a section deleted is missing by its link too', async () => {
    await files.known('a.txt', 'one\n');
    files.link('l', 'a.txt');
    expect(refusalOf(await apply('*** Delete File: a.txt', '*** Update File: l', '-one', '+1'))).toContain('There is no a.txt');
    expect(files.text('a.txt')).toBe('one\n');
  });

  test('FILES-04 what a patch wrote the model has seen', async () => {
    await files.known('a.txt', 'one\n');
    await apply('*** Update File: a.txt', '*** Move to: b.txt', '-one', '+two', '*** Add File: c.txt', '+x');
    expect((await apply('*** Update File: b.txt', '-two', '+three', '*** Delete File: c.txt')).error).toBe(false);
    expect(files.text('b.txt')).toBe('three\n');
  });
});

describe('a patch that does not fit changes nothing', () => {
  beforeEach(async () => {
    await files.known('a.txt', 'one\ntwo\n');
    await files.known('b.txt', 'x\n');
  });

  test.each([
    ['a hunk that is not there', ['*** Update File: b.txt', '-y', '+z'], 'b.txt, hunk 1: '],
    ['an added file that exists', ['*** Add File: b.txt', '+y'], 'b.txt exists'],
    ['a move to a file that exists', ['*** Update File: b.txt', '*** Move to: a.txt'], 'a.txt exists'],
    ['a missing file', ['*** Update File: c.txt', '-y', '+z'], 'There is no c.txt'],
    ['a missing file to delete', ['*** Delete File: c.txt'], 'There is no c.txt'],
    ['a file that the patch deleted', ['*** Delete File: b.txt', '*** Update File: b.txt', '-x', '+y'], 'There is no b.txt'],
    ['a path outside', ['*** Add File: ../c.txt', '+y'], 'path "../c.txt"'],
    ['an absolute path', ['*** Update File: b.txt', '*** Move to: /c.txt'], 'path "/c.txt"'],
  ])('FILES-06 FILES-07 for %s', async (_, lines, says) => {
    const text = refusalOf(await apply('*** Update File: a.txt', '-two', '+2', ...lines));
    expect(text).toContain(says);
    expect(text).toContain('Nothing was changed.');
    expect(files.made).toEqual([]);
    expect(files.text('a.txt')).toBe('one\ntwo\n');
  });

  test('FILES-05 FILES-07 for a patch that cannot be read', async () => {
    expect(refusalOf(await apply('*** Update File: a.txt', 'two'))).toMatch(/^The patch cannot be read, line 3: /);
  });

  test('FILES-04 FILES-06 for a file that the model has not seen as it is, to change or to delete', async () => {
    files.put('b.txt', 'other\n');
    files.put('c.txt', 'c\n');
    expect(refusalOf(await apply('*** Update File: a.txt', '-two', '+2', '*** Update File: b.txt', '-other', '+x'))).toContain(
      'b.txt has changed since you read it',
    );
    expect(refusalOf(await apply('*** Delete File: c.txt'))).toContain('have not read c.txt');
    expect(files.made).toEqual([]);
  });

  test('FILES-06 for a writer who comes first to one file, though the patch moves another or moves to it', async () => {
    files.onChange = () => files.put('b.txt', 'theirs\n');
    const moved = ['*** Update File: a.txt', '*** Move to: c.txt'];
    expect(refusalOf(await apply(...moved, '*** Update File: b.txt', '-x', '+y'))).toContain('b.txt changed meanwhile');
    await files.known('b.txt', 'x\n');
    expect(refusalOf(await apply('*** Update File: b.txt', '*** Move to: d.txt'))).toContain('b.txt changed meanwhile');
    files.onChange = () => files.put('c.txt', 'theirs\n');
    expect(refusalOf(await apply(...moved))).toContain('c.txt');
    expect(files.text('a.txt')).toBe('one\ntwo\n');
  });

  test('FILES-06 for a writer who comes first: to a changed file, a deleted one, and where a new one was to be', async () => {
    files.onChange = () => files.put('b.txt', 'theirs\n');
    expect(refusalOf(await apply('*** Update File: a.txt', '-two', '+2', '*** Update File: b.txt', '-x', '+y'))).toContain(
      'b.txt changed meanwhile',
    );
    await files.known('b.txt', 'x\n');
    expect(refusalOf(await apply('*** Update File: a.txt', '-two', '+2', '*** Delete File: b.txt'))).toContain(
      'b.txt changed meanwhile',
    );
    files.onChange = () => files.put('n.txt', 'theirs\n');
    expect(refusalOf(await apply('*** Update File: a.txt', '-two', '+2', '*** Add File: n.txt', '+y'))).toContain(
      'n.txt changed meanwhile',
    );
    expect(files.text('a.txt')).toBe('one\ntwo\n');
  });
});

test('FILES-03 it does not promise to change nothing', () => {
  expect(applyPatchTool(files).spec.hints.readOnly).not.toBe(true);
});

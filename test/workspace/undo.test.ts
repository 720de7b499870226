import { describe, expect, it } from 'vitest';
import { workspaceLimits } from '../../src/workspace/index.ts';
import type { FileCause } from '../../src/tools/index.ts';
import { inconsistencies, make, noise, problem, tree, value, withBench, write } from './support.ts';

const inTurn = (turn: number): FileCause => ({ call: `call_${turn}`, turn });

describe('undo', () => {
  it('FILES-08 FILES-09 takes changes of a path back, newest first, down to nothing', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1')]);
      await make(bench, [write('a', '2', { executable: true })]);
      await make(bench, [write('b', 'x')]);
      await make(bench, [{ type: 'delete', path: 'a' }]);
      const undo = async (): Promise<unknown> => {
        const undone = await bench.files.undo({ path: 'a' });
        return undone.ok ? [undone.value, (await tree(bench)).a] : undone.problem.code;
      };
      expect(await undo()).toEqual([['a'], '* 2']);
      expect(await undo()).toEqual([['a'], '1']);
      expect(await undo()).toEqual([['a'], undefined]);
      expect(await undo()).toBe('not_found');
      expect(await tree(bench)).toEqual({ b: 'x' });
      expect(bench.told).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it('FILES-09 a move is moved back, by either of its paths, and with what was in the folder', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a/x', '1'), write('a/b/y', '2'), { type: 'folder', path: 'a/e' }]);
      const before = await tree(bench);
      for (const path of ['a', 'n/m', 'a/x', 'n/m/b/y']) {
        await make(bench, [{ type: 'move', from: 'a', to: 'n/m' }]);
        expect(value(await bench.files.undo({ path })).toSorted()).toEqual(['a/b/y', 'a/x', 'n/m/b/y', 'n/m/x']);
        expect(await tree(bench)).toEqual(before);
      }
    });
  });

  it('FILES-09 a deleted folder is there again; a folder that came with a file goes with it, unless it is used', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('d/a', '1'), { type: 'folder', path: 'd/e' }]);
      const before = await tree(bench);
      await make(bench, [{ type: 'delete', path: 'd' }]);
      await bench.files.undo({ path: 'd' });
      expect(await tree(bench)).toEqual(before);
      await make(bench, [write('p/q/r', '2')]);
      await bench.files.undo({ path: 'p/q/r' });
      expect(await tree(bench)).toEqual(before);
      await make(bench, [write('p/q/r', '3')]);
      await make(bench, [write('p/s', '4')]);
      await bench.files.undo({ path: 'p/q/r' });
      expect(await tree(bench)).toEqual({ ...before, 'p/s': '4' });
      await make(bench, [{ type: 'folder', path: 'z' }]);
      await bench.files.undo({ path: 'z' });
      expect(await tree(bench)).toEqual({ ...before, 'p/s': '4' });
    });
  });

  it('FILES-09 it is refused when the file changed since by what is not in the journal, and changes nothing', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1'), write('b', '1')], inTurn(1));
      await make(bench, [write('a', '2')], inTurn(2));
      const refusal = problem(await bench.files.undo({ turn: 1 }));
      expect(refusal).toMatchObject({ code: 'file_changed', path: 'a' });
      expect(await tree(bench)).toEqual({ a: '2', b: '1' });
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it.each([
    ['a folder stands where the file was', [{ type: 'folder', path: 'a' }]],
    ['a file stands where the file was', [write('a', 'other')]],
  ] as const)('FILES-09 a delete is not undone when %s', async (_, changes) => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1')]);
      await make(bench, [{ type: 'delete', path: 'a' }], inTurn(1));
      await make(bench, changes);
      expect(problem(await bench.files.undo({ turn: 1 })).code).toBe('file_changed');
    });
  });

  it('FILES-09 a delete is not undone when its folder is a file now', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('d/a', '1')]);
      await make(bench, [{ type: 'delete', path: 'd' }], inTurn(1));
      await make(bench, [write('d', 'file')]);
      expect(problem(await bench.files.undo({ turn: 1 })).code).toBe('file_changed');
      expect(await tree(bench)).toEqual({ d: 'file' });
    });
  });

  it('FILES-09 a change that was made again by hand is as the journal left it', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1')]);
      await make(bench, [write('a', '2')], inTurn(1));
      await make(bench, [write('a', '3')]);
      await make(bench, [write('a', '2')]);
      await bench.files.undo({ turn: 1 });
      expect(await tree(bench)).toEqual({ a: '1' });
    });
  });

  it('FILES-08 a turn is undone as a whole, newest change first, and no other turn', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1'), write('b', '1')], inTurn(1));
      await make(bench, [write('a', '2'), { type: 'move', from: 'b', to: 'c' }], inTurn(2));
      await make(bench, [write('c', '3'), write('d', '3')], inTurn(2));
      expect(value(await bench.files.undo({ turn: 2 }))).toEqual(['a', 'b', 'c', 'd']);
      expect(await tree(bench)).toEqual({ a: '1', b: '1' });
      expect(problem(await bench.files.undo({ turn: 2 })).code).toBe('not_found');
      await bench.files.undo({ turn: 1 });
      expect(await tree(bench)).toEqual({});
    });
  });

  it('FILES-08 what a path names is resolved, and refused, as everywhere', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('caf\u00e9/a', '1')]);
      await bench.files.undo({ path: './cafe\u0301//a' });
      expect(await tree(bench)).toEqual({});
      expect(problem(await bench.files.undo({ path: '../a' })).code).toBe('path_refused');
    });
  });

  it('FILES-08 the journal keeps the newest changes, and their bodies alone', async () => {
    await withBench(async (bench) => {
      for (let n = 0; n <= workspaceLimits.changes + 1; n += 1) await make(bench, [write('a', `${n}`)]);
      expect(bench.sql.exec('SELECT count(*) AS n FROM file_changes').one()).toEqual({ n: workspaceLimits.changes });
      expect(inconsistencies(bench.sql)).toEqual([]);
      for (let n = 0; n < workspaceLimits.changes; n += 1) await bench.files.undo({ path: 'a' });
      expect(await tree(bench)).toEqual({ a: '1' });
      expect(problem(await bench.files.undo({ path: 'a' })).code).toBe('not_found');
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it('FILES-08 the oldest changes are forgotten when all bodies together are too much', async () => {
    await withBench(async (bench) => {
      await make(bench, [{ type: 'write', path: 'a', bytes: noise(1000, 1) }]);
      await make(bench, [{ type: 'write', path: 'a', bytes: noise(1000, 2) }]);
      bench.sql.exec('UPDATE workspace SET stored = ?', workspaceLimits.stored);
      await make(bench, [{ type: 'write', path: 'b', bytes: noise(900, 3) }]);
      // The two oldest are gone: the first freed nothing, the second what it had replaced.
      expect(bench.sql.exec('SELECT path FROM file_changes').toArray()).toEqual([{ path: 'b' }]);
      expect(bench.sql.exec('SELECT stored FROM workspace').one()).toEqual({ stored: workspaceLimits.stored - 100 });
    });
  });

  it('FILES-08 of the changes of one revision all are forgotten when there is too much, or none', async () => {
    await withBench(async (bench) => {
      const both = [
        { type: 'write', path: 'a', bytes: noise(1000, 1) },
        { type: 'write', path: 'b', bytes: noise(1000, 2) },
      ] as const;
      await make(bench, both, inTurn(1));
      await make(bench, [
        { type: 'delete', path: 'a' },
        { type: 'delete', path: 'b' },
      ]);
      await make(bench, [write('c', '1')], inTurn(1));
      bench.sql.exec('UPDATE workspace SET stored = ?', workspaceLimits.stored);
      await make(bench, [{ type: 'write', path: 'd', bytes: noise(900, 3) }]);
      expect(bench.sql.exec('SELECT path FROM file_changes').toArray()).toEqual([{ path: 'c' }, { path: 'd' }]);
      expect(bench.sql.exec('SELECT stored FROM workspace').one()).toEqual({ stored: workspaceLimits.stored - 1100 });
      expect(problem(await bench.files.undo({ turn: 1 })).code).toBe('not_found');
      expect((await tree(bench)).c).toBe('1');
    });
  });

  it('FILES-08 FILES-09 the changes of the newest revision are kept, however many they are and however much they hold', async () => {
    await withBench(async (bench) => {
      const paths = Array.from({ length: workspaceLimits.changes + 2 }, (_, n) => `f${n}`);
      await make(bench, [write('first', '1')], inTurn(1));
      await make(
        bench,
        paths.map((path) => write(path, 'x')),
        inTurn(2),
      );
      expect(problem(await bench.files.undo({ turn: 1 }))).toMatchObject({ code: 'not_found' });
      expect(value(await bench.files.undo({ turn: 2 }))).toHaveLength(paths.length);
      expect(await tree(bench)).toEqual({ first: '1' });
      await make(bench, [{ type: 'write', path: 'large', bytes: noise(1000) }]);
      bench.sql.exec('UPDATE workspace SET stored = ?', workspaceLimits.stored + 1);
      await make(bench, [{ type: 'delete', path: 'large' }], inTurn(3));
      expect(value(await bench.files.undo({ turn: 3 }))).toEqual(['large']);
    });
  });

  it('FILES-08 FILES-09 a turn of which changes were forgotten is not undone in part, but file by file', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1')], inTurn(1));
      await make(bench, [write('b', '1')], inTurn(2));
      for (let n = 1; n < workspaceLimits.changes; n += 1) await make(bench, [write('c', `${n}`)], inTurn(2));
      await make(bench, [write('d', '1')], inTurn(3));
      // One of turn 1 is forgotten, and one of turn 2.
      const before = await tree(bench);
      expect(problem(await bench.files.undo({ turn: 1 }))).toMatchObject({ code: 'not_found' });
      expect(problem(await bench.files.undo({ turn: 2 }))).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('Turn 2 cannot be undone as a whole'),
      });
      expect(await tree(bench)).toEqual(before);
      expect(value(await bench.files.undo({ turn: 3 }))).toEqual(['d']);
      expect(value(await bench.files.undo({ path: 'c' }))).toEqual(['c']);
      // What forgets nothing changes nothing of that.
      expect(problem(await bench.files.undo({ turn: 2 })).code).toBe('not_found');
      expect((await tree(bench)).c).toBe(`${workspaceLimits.changes - 2}`);
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });
});

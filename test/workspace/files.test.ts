import { describe, expect, it } from 'vitest';
import { workspaceLimits } from '../../src/workspace/index.ts';
import type { FileChange } from '../../src/tools/index.ts';
import { byHand, inconsistencies, make, problem, text, tree, value, withBench, write } from './support.ts';

describe('files', () => {
  it('FILES-01 what is written is read back, with its hash, its size, its mode and its revision', async () => {
    await withBench(async (bench) => {
      const [entry] = await make(bench, [write('src/main.ts', 'hello', { executable: true })]);
      expect(entry).toEqual({
        path: 'src/main.ts',
        kind: 'file',
        rev: 1,
        hash: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        size: 5,
        executable: true,
        modified: expect.any(Number),
      });
      expect(value(await bench.files.stat('./src//main.ts'))).toEqual(entry);
      expect(await text(bench.files, 'src/main.ts')).toBe('hello');
      expect(bench.told).toEqual([1]);
    });
  });

  it('FILES-01 an empty file, and bytes that are no text, are kept as they are', async () => {
    await withBench(async (bench) => {
      const bytes = Uint8Array.of(0, 255, 254, 13, 10, 0xef, 0xbb, 0xbf);
      await make(bench, [write('empty', ''), { type: 'write', path: 'bytes', bytes }]);
      expect(value(await bench.files.read('empty')).bytes).toEqual(new Uint8Array());
      expect(value(await bench.files.read('bytes')).bytes).toEqual(bytes);
    });
  });

  it.each([
    [{ offset: 0, length: 3 }, 'abc'],
    [{ offset: 2, length: 2 }, 'cd'],
    [{ offset: 4, length: 100 }, 'ef'],
    [{ offset: 6, length: 1 }, ''],
    [{ offset: 100, length: 1 }, ''],
    [{ offset: 1, length: 0 }, ''],
  ])('FILES-10 a part of a file, %j, is what there is of it', async (range, part) => {
    await withBench(async (bench) => {
      await make(bench, [write('a', 'abcdef')]);
      expect(new TextDecoder().decode(value(await bench.files.read('a', range)).bytes)).toBe(part);
    });
  });

  it('FILES-01 two spellings of a name are one file', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('caf\u0065\u0301', 'one')]);
      await make(bench, [write('caf\u00e9', 'two')]);
      expect(await tree(bench)).toEqual({ 'caf\u00e9': 'two' });
    });
  });

  it('FILES-01 what is not there is told apart from a folder', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a/b', 'x')]);
      expect(value(await bench.files.stat('nothing'))).toBeNull();
      expect(value(await bench.files.stat('a'))).toMatchObject({ path: 'a', kind: 'folder', rev: 0, hash: '', size: 0 });
      expect(value(await bench.files.stat(''))).toMatchObject({ path: '', kind: 'folder' });
      expect(problem(await bench.files.read('nothing')).code).toBe('not_found');
      expect(problem(await bench.files.read('a')).code).toBe('is_folder');
      expect(problem(await bench.files.read('../a')).code).toBe('path_refused');
      expect(problem(await bench.files.list('nothing', { after: null, limit: 1 })).code).toBe('not_found');
      expect(problem(await bench.files.list('a/b', { after: null, limit: 1 })).code).toBe('not_found');
    });
  });

  it('FILES-01 a list is in order, below its folder alone, and can be had page by page', async () => {
    await withBench(async (bench) => {
      const paths = ['a', 'b-c', 'b.c', 'b/a', 'b/b/c', 'b0', 'c'];
      await make(bench, [...paths.map((path) => write(path, path)).reverse(), { type: 'folder', path: 'b/e' }]);
      const list = async (folder: string, after: string | null, limit: number): Promise<string[]> =>
        value(await bench.files.list(folder, { after, limit })).map(({ path }) => path);
      expect(await list('', null, 100)).toEqual(['a', 'b-c', 'b.c', 'b/a', 'b/b/c', 'b/e', 'b0', 'c']);
      expect(await list('b', null, 100)).toEqual(['b/a', 'b/b/c', 'b/e']);
      expect(await list('', null, 2)).toEqual(['a', 'b-c']);
      expect(await list('', 'b-c', 2)).toEqual(['b.c', 'b/a']);
      expect(await list('b', 'b/a', 5)).toEqual(['b/b/c', 'b/e']);
    });
  });

  it('FILES-01 the children of a folder are its files and folders, each once, page by page', async () => {
    await withBench(async (bench) => {
      await make(
        bench,
        ['a/x/1', 'a/x/2', 'a/x.y', 'a/x0', 'a/y', 'b'].map((path) => write(path, path)),
      );
      const all: string[] = [];
      let from: string | null = '';
      while (from !== null) {
        const page: { entries: readonly { path: string; kind: string }[]; next: string | null } = value(
          await bench.files.children('a', from, 1),
        );
        expect(page.entries).toHaveLength(1);
        all.push(...page.entries.map(({ path, kind }) => `${path} ${kind}`));
        from = page.next;
      }
      expect(all).toEqual(['a/x.y file', 'a/x folder', 'a/x0 file', 'a/y file']);
      expect(value(await bench.files.children('', '', 10)).entries.map(({ path }) => path)).toEqual(['a', 'b']);
    });
  });

  it('FILES-01 folders are as on a disk: made on the way to a file, and there when its last file is gone', async () => {
    await withBench(async (bench) => {
      await make(bench, [{ type: 'folder', path: 'a/b' }]);
      expect(await tree(bench)).toEqual({ 'a/b': 'dir' });
      await make(bench, [write('a/b/c', 'x')]);
      expect(await tree(bench)).toEqual({ 'a/b/c': 'x' });
      await make(bench, [{ type: 'delete', path: 'a/b/c' }]);
      expect(await tree(bench)).toEqual({ 'a/b': 'dir' });
      await make(bench, [{ type: 'delete', path: 'a/b' }]);
      expect(await tree(bench)).toEqual({ a: 'dir' });
      await make(bench, [{ type: 'folder', path: 'a' }]);
      expect(bench.told).toEqual([1, 2, 3, 4]);
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it('FILES-01 a folder is moved and deleted with all that is in it', async () => {
    await withBench(async (bench) => {
      await make(bench, [
        write('a/b/c', 'x', { executable: true }),
        write('a/d', 'y'),
        { type: 'folder', path: 'a/e' },
        write('ab', 'z'),
      ]);
      const before = value(await bench.files.stat('a/d'));
      const [moved] = await make(bench, [{ type: 'move', from: 'a', to: 'n/m' }]);
      expect(moved).toMatchObject({ path: 'n/m', kind: 'folder' });
      expect(await tree(bench)).toEqual({ 'n/m/b/c': '* x', 'n/m/d': 'y', 'n/m/e': 'dir', ab: 'z' });
      expect(value(await bench.files.stat('n/m/d'))?.modified).toBe(before?.modified);
      await make(bench, [{ type: 'delete', path: 'n' }]);
      expect(await tree(bench)).toEqual({ ab: 'z' });
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it.each<[string, Parameters<typeof make>[1][number], string]>([
    ['a file in the place of a folder', write('d', 'x'), 'is_folder'],
    ['a file below a file', write('f/x', 'x'), 'exists'],
    ['a file below a link', write('l/x', 'x'), 'path_refused'],
    ['a folder in the place of a file', { type: 'folder', path: 'f' }, 'exists'],
    ['a move onto something', { type: 'move', from: 'f', to: 'd/x' }, 'exists'],
    ['a move of nothing', { type: 'move', from: 'n', to: 'm' }, 'not_found'],
    ['a move of a folder into itself', { type: 'move', from: 'd', to: 'd/y/z' }, 'path_refused'],
    ['a delete of nothing', { type: 'delete', path: 'n' }, 'not_found'],
    ['a delete of the root', { type: 'delete', path: 'd/..' }, 'path_refused'],
    ['a write of the root', write('', 'x'), 'path_refused'],
    ['a way out', write('../x', 'x'), 'path_refused'],
    ['a move that leads out', { type: 'move', from: 'f', to: '../f' }, 'path_refused'],
    [
      'a move to where paths become too long',
      { type: 'move', from: 'd', to: `${'y'.repeat(250)}/`.repeat(4) + 'z'.repeat(20) },
      'path_refused',
    ],
    ['another revision', write('f', 'x', { ifRev: 7 }), 'file_changed'],
    ['something where nothing should be', write('f', 'x', { ifRev: null }), 'file_changed'],
    ['nothing where something should be', write('n', 'x', { ifRev: 1 }), 'file_changed'],
    ['a delete of another revision', { type: 'delete', path: 'f', ifRev: 7 }, 'file_changed'],
    ['a move of another revision', { type: 'move', from: 'f', to: 'g', ifRev: 7 }, 'file_changed'],
    ['a link that leads out', { type: 'link', path: 'd/m', target: '../../x' }, 'path_refused'],
    ['a link to an absolute path', { type: 'link', path: 'd/m', target: '/etc' }, 'path_refused'],
    ['a link with an endless target', { type: 'link', path: 'd/m', target: 'x/../'.repeat(400) }, 'path_refused'],
  ])('FILES-02 FILES-06 %s is refused, and what came before it in the same transaction is not done', async (_, change, code) => {
    await withBench(async (bench) => {
      await make(bench, [write('f', 'f'), write('d/x', 'x'), { type: 'link', path: 'l', target: 'd' }]);
      const before = await tree(bench);
      const refusal = problem(
        await bench.files.change([write('first', 'x'), write('f', 'changed', { ifRev: 1 }), change], byHand),
      );
      expect(refusal.code).toBe(code);
      expect(refusal.message).not.toBe('');
      expect(await tree(bench)).toEqual(before);
      expect(bench.told).toEqual([1]);
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it('FILES-06 a change goes by what the one before it in the same transaction left', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1')]);
      const entries = await make(bench, [
        { type: 'move', from: 'a', to: 'b', ifRev: 1 },
        write('a/c', '2', { ifRev: null }),
        { type: 'delete', path: 'b' },
        write('b', '3'),
      ]);
      expect(await tree(bench)).toEqual({ 'a/c': '2', b: '3' });
      expect(entries.map(({ path, rev }) => `${path} ${rev}`)).toEqual(['b 2', 'a/c 2', 'b 2']);
      expect(bench.told).toEqual([1, 2]);
    });
  });

  it('FILES-01 the mode stays unless it is said, and what is so already changes nothing', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('run', 'a', { executable: true })]);
      const [kept] = await make(bench, [write('run', 'b')]);
      expect(kept).toMatchObject({ rev: 2, executable: true });
      const [same] = await make(bench, [write('run', 'b', { executable: true, ifRev: 2 })]);
      expect(same).toEqual(kept);
      const [other] = await make(bench, [write('run', 'b', { executable: false })]);
      expect(other).toMatchObject({ rev: 3, executable: false });
      expect(bench.told).toEqual([1, 2, 3]);
    });
  });

  it('FILES-01 what the model has seen is kept for each file, and for each conversation', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', 'x'), { type: 'link', path: 'l', target: 'a' }]);
      expect(await bench.files.seen('a')).toBeNull();
      await bench.files.saw('./a', 1);
      expect([await bench.files.seen('a'), await bench.files.seen('l'), await bench.files.seen('b')]).toEqual([1, 1, null]);
      await bench.files.saw('a', 2);
      expect(await bench.files.seen('a')).toBe(2);
      bench.thread = 2;
      expect(await bench.files.seen('a')).toBeNull();
      expect(await bench.files.seen('../a')).toBeNull();
    });
  });

  it('FILES-01 a file above the limit, and files above the quota, are refused; below it one may still shrink', async () => {
    await withBench(async (bench) => {
      const large = new Uint8Array(workspaceLimits.file + 1);
      expect(problem(await bench.files.change([{ type: 'write', path: 'a', bytes: large }], byHand)).code).toBe('too_large');
      await make(bench, [write('a', '12345'), write('b', 'x')]);
      bench.sql.exec('UPDATE workspace SET files = ?, bytes = ?', workspaceLimits.files, workspaceLimits.bytes);
      const refusal = async (...changes: readonly FileChange[]): Promise<unknown> =>
        problem(await bench.files.change(changes, byHand));
      expect(await refusal(write('b', 'y'), write('c', ''))).toMatchObject({ code: 'quota_exceeded', path: 'c' });
      expect(await refusal(write('a', '123456'), write('b', 'y'))).toMatchObject({ code: 'quota_exceeded', path: 'a' });
      await make(bench, [write('a', '54321')]);
      await make(bench, [{ type: 'delete', path: 'a' }, write('c', '')]);
      expect(await tree(bench)).toEqual({ b: 'x', c: '' });
    });
  });
});

describe('what changed since a revision', () => {
  it('FILES-01 is told: what was written, and what is gone', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a/b', '1'), write('c', '2')]);
      await make(bench, [write('d', '3')]);
      await make(bench, [
        { type: 'delete', path: 'a' },
        { type: 'delete', path: 'c' },
      ]);
      await make(bench, [write('c', '4'), write('a/e', '5')]);
      const since = async (rev: number): Promise<unknown> => {
        const { rev: now, entries, gone, whole } = await bench.files.changesSince(rev);
        return [now, entries.map(({ path }) => path), gone, whole];
      };
      expect(await since(0)).toEqual([4, ['a/e', 'c', 'd'], ['a'], false]);
      expect(await since(2)).toEqual([4, ['a/e', 'c'], ['a'], false]);
      expect(await since(3)).toEqual([4, ['a/e', 'c'], [], false]);
      expect(await since(4)).toEqual([4, [], [], false]);
      expect(await since(5)).toEqual([4, ['a/e', 'c', 'd'], [], true]);
    });
  });

  it('FILES-01 a folder that was emptied and filled again since is told as gone, so that a copy keeps nothing of before', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a/x', '1'), write('a/y', '2')]);
      await make(bench, [{ type: 'delete', path: 'a' }]);
      await make(bench, [write('a/x', '3')]);
      await make(bench, [{ type: 'delete', path: 'a/x' }]);
      await make(bench, [write('a/z', '4')]);
      expect(await bench.files.changesSince(1)).toMatchObject({ gone: ['a'], entries: [{ path: 'a/z' }] });
    });
  });

  it('FILES-01 a folder that was emptied since and is an empty folder again is told as gone too', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a/x', '1'), write('b/x', '1'), write('b/y', '1')]);
      await make(bench, [
        { type: 'delete', path: 'a' },
        { type: 'delete', path: 'b' },
      ]);
      await make(bench, [{ type: 'folder', path: 'a' }, write('b/z', '2')]);
      await make(bench, [{ type: 'delete', path: 'b/z' }]);
      expect(await bench.files.changesSince(1)).toMatchObject({
        gone: ['a', 'b', 'b/z'],
        entries: [
          { path: 'a', kind: 'folder' },
          { path: 'b', kind: 'folder' },
        ],
      });
    });
  });

  it('FILES-01 deletions are not remembered for ever: then all there is is told', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('a', '1')]);
      for (let n = 0; n <= workspaceLimits.gone; n += 1)
        bench.sql.exec('INSERT INTO gone_files (path, rev) VALUES (?, ?)', `x${n}`, 2 + n);
      bench.sql.exec('UPDATE workspace SET rev = ?', 64 * 1000 - 1);
      await make(bench, [write('b', '2')]);
      expect(await bench.files.changesSince(1)).toMatchObject({ whole: true, gone: [], entries: [{ path: 'a' }, { path: 'b' }] });
      expect(await bench.files.changesSince(2)).toMatchObject({ whole: false, entries: [{ path: 'b' }] });
    });
  });
});

import { describe, expect, it } from 'vitest';
import { workspaceLimits } from '../../src/workspace/index.ts';
import { byHand, make, problem, text, tree, value, withBench, write } from './support.ts';

describe('links', () => {
  it('FILES-02 are followed by reading, inside the workspace, on every step of the way', async () => {
    await withBench(async (bench) => {
      await make(bench, [
        write('a/b/file', 'x'),
        { type: 'link', path: 'a/up', target: './b/../b' },
        { type: 'link', path: 'c/d', target: '../a/up/file' },
        { type: 'link', path: 'root', target: '.' },
      ]);
      expect(await text(bench.files, 'a/up/file')).toBe('x');
      expect(await text(bench.files, 'c/d')).toBe('x');
      expect(await text(bench.files, 'root/root/c/d')).toBe('x');
      expect(value(await bench.files.stat('c/d'))).toMatchObject({ path: 'a/b/file', kind: 'file' });
      expect(value(await bench.files.stat('root'))).toMatchObject({ path: '', kind: 'folder' });
      expect(value(await bench.files.list('a/up', { after: null, limit: 9 })).map(({ path }) => path)).toEqual(['a/b/file']);
      expect(value(await bench.files.statItself('c/d'))).toMatchObject({ path: 'c/d', kind: 'link', size: 12 });
    });
  });

  it('FILES-02 say where they lead, and nothing else does', async () => {
    await withBench(async (bench) => {
      await make(bench, [
        write('a/x', '1'),
        { type: 'link', path: 'a/l', target: './x' },
        { type: 'link', path: 'd', target: 'a' },
      ]);
      expect(value(await bench.files.target('a/l'))).toBe('./x');
      expect(value(await bench.files.target('d'))).toBe('a');
      expect(value(await bench.files.target('d/l'))).toBe('./x');
      for (const path of ['a/x', 'a', '', 'n', 'd/x']) expect(problem(await bench.files.target(path)).code).toBe('not_found');
      expect(problem(await bench.files.target('../x')).code).toBe('path_refused');
    });
  });

  it('FILES-02 that lead nowhere are nothing, and in a circle are refused', async () => {
    await withBench(async (bench) => {
      await make(bench, [
        { type: 'link', path: 'gone', target: 'nothing' },
        { type: 'link', path: 'a', target: 'b' },
        { type: 'link', path: 'b', target: 'a' },
        { type: 'link', path: 'self', target: 'self/x' },
      ]);
      expect(value(await bench.files.stat('gone'))).toBeNull();
      for (const path of ['a', 'b/x', 'self']) expect(problem(await bench.files.stat(path)).code).toBe('path_refused');
      expect(value(await bench.files.statItself('a'))).toMatchObject({ kind: 'link' });
    });
  });

  it('FILES-02 may be as many as the limit on one way, and no more', async () => {
    await withBench(async (bench) => {
      const chain = Array.from({ length: workspaceLimits.hops + 1 }, (_, n) => {
        return { type: 'link', path: `l${n}`, target: n === 0 ? 'file' : `l${n - 1}` } as const;
      });
      await make(bench, [write('file', 'x'), ...chain]);
      expect(await text(bench.files, `l${workspaceLimits.hops - 1}`)).toBe('x');
      expect(problem(await bench.files.read(`l${workspaceLimits.hops}`)).code).toBe('path_refused');
    });
  });

  it('FILES-02 a link that a move took to where it would lead out leads nowhere', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('secret', 'x'), { type: 'link', path: 'a/b/l', target: '../../secret' }]);
      expect(await text(bench.files, 'a/b/l')).toBe('x');
      await make(bench, [{ type: 'move', from: 'a/b/l', to: 'l' }]);
      expect(problem(await bench.files.read('l')).code).toBe('path_refused');
    });
  });

  it('FILES-02 changes do not follow them: a write takes the place of the link', async () => {
    await withBench(async (bench) => {
      await make(bench, [
        write('a/x', '1'),
        { type: 'link', path: 'l', target: 'a/x' },
        { type: 'link', path: 'd', target: 'a' },
      ]);
      expect(problem(await bench.files.change([write('d/y', '2')], byHand))).toMatchObject({ code: 'path_refused', path: 'd/y' });
      await make(bench, [write('l', '2')]);
      expect(await tree(bench)).toEqual({ 'a/x': '1', d: '-> a', l: '2' });
      await bench.files.undo({ path: 'l' });
      await make(bench, [{ type: 'delete', path: 'd' }]);
      expect(await tree(bench)).toEqual({ 'a/x': '1', l: '-> a/x' });
    });
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileEntry, type FolderPage, folderOf, nameOf, pathIn } from '../../src/ui/state/file-entry.ts';
import { freshTree, type Tree, treeAfter, type TreeInput } from '../../src/ui/state/tree.ts';

const entry = (path: string, kind: FileEntry['kind'] = 'file'): FileEntry => ({
  path,
  kind,
  rev: 1,
  hash: kind === 'folder' ? '' : 'h',
  size: 1,
  executable: false,
  modified: 0,
});
const page = (path: string, entries: readonly FileEntry[], more: Partial<FolderPage> = {}): FolderPage => {
  return { path, rev: 1, entries, cursor: null, ...more };
};
const came = (path: string, entries: readonly FileEntry[], more: Partial<FolderPage> = {}, pages = 1): TreeInput => {
  return { type: 'came', path, page: page(path, entries, more), pages };
};
const after = (...inputs: readonly TreeInput[]): Tree => inputs.reduce(treeAfter, freshTree);
const names = (tree: Tree, folder = ''): unknown => tree.folders.get(folder)?.entries?.map((one) => nameOf(one.path));

describe('the tree of files', () => {
  it('shows folders first, then names as people sort them', () => {
    expect(names(after(came('', [entry('b10'), entry('b9'), entry('A'), entry('src', 'folder')])))).toEqual([
      'src',
      'A',
      'b9',
      'b10',
    ]);
  });

  it('opens and closes folders, and keeps what it knows of a closed one', () => {
    const open = after(came('', [entry('src', 'folder')]), { type: 'open', path: 'src' }, came('src', [entry('src/a')]));
    expect([...open.open]).toEqual(['', 'src']);
    const closed = treeAfter(open, { type: 'close', path: 'src' });
    expect([...closed.open]).toEqual(['']);
    expect(names(treeAfter(closed, { type: 'open', path: 'src' }), 'src')).toEqual(['a']);
    expect(treeAfter(open, { type: 'close', path: '' })).toBe(open);
  });

  it('adds a page where it goes on, and no page that is asked for twice or comes late', () => {
    const first = after(came('', [entry('a')], { cursor: 'a' }));
    const more = (from: string, path: string, rev = 1): TreeInput => ({
      type: 'more',
      path: '',
      after: from,
      page: page('', [entry(path)], { rev }),
    });
    const second = treeAfter(first, more('a', 'b'));
    expect(names(second)).toEqual(['a', 'b']);
    expect(second.folders.get('')?.pages).toBe(2);
    expect(treeAfter(second, more('a', 'b'))).toBe(second);
    expect(treeAfter(first, more('a', 'b', 0))).toBe(first);
    expect(treeAfter(freshTree, more('a', 'b'))).toBe(freshTree);
  });

  it('takes no list of an older revision for the newer one', () => {
    const tree = after(came('', [entry('new')], { rev: 5 }));
    expect(treeAfter(tree, came('', [entry('old')], { rev: 4 }))).toBe(tree);
    expect(names(treeAfter(tree, came('', [entry('newer')], { rev: 6 })))).toEqual(['newer']);
  });

  it('forgets folders that are gone, with all below them', () => {
    const tree = after(
      came('', [entry('src', 'folder'), entry('srcs', 'folder')]),
      { type: 'open', path: 'src' },
      came('src', [entry('src/in', 'folder')]),
      { type: 'open', path: 'src/in' },
      { type: 'open', path: 'srcs' },
    );
    for (const lost of [
      treeAfter(tree, { type: 'gone', path: 'src' }),
      treeAfter(tree, came('', [entry('srcs', 'folder')], { rev: 2 })),
    ]) {
      expect([...lost.open]).toEqual(['', 'srcs']);
      expect([...lost.folders.keys()]).toEqual(['', 'srcs']);
    }
    // One page of several says nothing of the others.
    expect(treeAfter(tree, came('', [], { rev: 2, cursor: 'x' })).open.has('src')).toBe(true);
    expect(treeAfter(treeAfter(tree, { type: 'gone', path: 'src' }), came('src', [entry('src/a')])).folders.has('src')).toBe(
      false,
    );
    expect(treeAfter(tree, { type: 'gone', path: '' })).toBe(freshTree);
  });

  it('keeps what it shows of a folder that cannot be read, and says why', () => {
    const tree = after(came('', [entry('a')]), { type: 'failed', path: '', detail: 'no network' });
    expect(names(tree)).toEqual(['a']);
    expect(tree.folders.get('')?.failure).toBe('no network');
    expect(treeAfter(tree, came('', [entry('a')])).folders.get('')?.failure).toBeNull();
    expect(treeAfter(tree, { type: 'failed', path: 'other', detail: '' })).toBe(tree);
  });

  it('never has a folder open of which it does not know the place', () => {
    const path = fc.constantFrom('', 'a', 'b', 'a/b', 'a/c', 'a/b/c');
    const input: fc.Arbitrary<TreeInput> = fc.oneof(
      fc.record({ type: fc.constantFrom('open' as const, 'close' as const, 'gone' as const), path }),
      fc.record({ type: fc.constant('failed' as const), path, detail: fc.constant('x') }),
      fc.tuple(path, fc.subarray(['a', 'b', 'c']), fc.nat(3)).map(([folder, found, rev]) =>
        came(
          folder,
          found.map((name) => entry(pathIn(folder, name), 'folder')),
          { rev },
        ),
      ),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 30 }), (inputs) => {
        const tree = after(...inputs);
        for (const open of tree.open) expect(tree.folders.has(open)).toBe(true);
        expect(tree.open.has('')).toBe(true);
        for (const [folder, { entries }] of tree.folders)
          for (const one of entries ?? []) expect(folderOf(one.path)).toBe(folder);
      }),
    );
  });
});

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tree } from '../../container/server/tree.ts';
import { readRecords } from '../../src/sandbox/wire/index.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'box-tree-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What a pull brings when `meanwhile` happens after it has looked. */
async function pull(tree: Tree, meanwhile: () => void = () => {}): Promise<readonly unknown[]> {
  const { mark, records } = await tree.changes();
  meanwhile();
  const heads: unknown[] = [];
  for await (const { head } of readRecords(records)) heads.push('path' in head ? [head.op, head.path] : head);
  tree.settle(mark);
  return heads;
}

test('SHELL-18 WORK-01 what a process removes while files are fetched breaks nothing, and is told of with the next fetch', async () => {
  const tree = new Tree(root);
  writeFileSync(join(root, 'old'), 'a');
  writeFileSync(join(root, 'stays'), 'a');
  await pull(tree);
  writeFileSync(join(root, 'old'), 'changed');
  writeFileSync(join(root, 'new'), 'a');
  symlinkSync('stays', join(root, 'link'));
  writeFileSync(join(root, 'stays'), 'changed');
  const gone = (): void => {
    for (const name of ['old', 'new', 'link']) rmSync(join(root, name));
  };
  expect(await pull(tree, gone)).toEqual([['write', 'stays']]);
  expect(await pull(tree)).toEqual([['delete', 'old']]);
  expect(await pull(tree)).toEqual([]);
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Tree } from '../../container/server/tree.ts';
import { type FileRecord, readRecords, type RecordHead } from '../../src/sandbox/wire/index.ts';

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

/** Hands over records; files have the text `new`. */
async function push(tree: Tree, ...heads: readonly RecordHead[]): Promise<void> {
  const bytes = new TextEncoder().encode('new');
  await tree.apply(
    (async function* records(): AsyncGenerator<FileRecord, void, undefined> {
      for (const head of heads) yield { head, bytes };
    })(),
  );
}

const write = (path: string): RecordHead => ({ op: 'write', path, size: 3, executable: false });
const text = (path: string): string => readFileSync(join(root, path), 'utf8');

test('SHELL-18 WORK-01 what a process wrote since the last fetch is moved aside by what is put there, each version under its own name', async () => {
  const tree = new Tree(root);
  await push(tree, write('a'), write('b/c'), write('d'));
  writeFileSync(join(root, 'a'), 'first');
  await push(tree, write('a'), write('d'));
  writeFileSync(join(root, 'a'), 'second');
  // A file in the place of a folder, and a folder in that of a file.
  writeFileSync(join(root, 'b/new'), 'beside');
  writeFileSync(join(root, 'e'), 'file');
  await push(tree, write('a'), write('b'), write('e/f'));
  expect(readdirSync(root).toSorted()).toEqual(['a', 'a.unsaved-1', 'a.unsaved-2', 'b', 'b.unsaved-1', 'd', 'e', 'e.unsaved-1']);
  expect(['a', 'a.unsaved-1', 'a.unsaved-2', 'b', 'b.unsaved-1/new', 'e/f', 'e.unsaved-1'].map(text)).toEqual([
    'new',
    'first',
    'second',
    'new',
    'beside',
    'new',
    'file',
  ]);
});

test('SHELL-18 WORK-01 what a process wrote since the last fetch is not deleted, and comes with the next one', async () => {
  const tree = new Tree(root);
  await push(tree, write('a'), write('b/c'), write('b/d'), write('e'));
  writeFileSync(join(root, 'b/d'), 'changed');
  await push(tree, { op: 'delete', path: 'a' }, { op: 'delete', path: 'b' });
  expect([readdirSync(root), readdirSync(join(root, 'b'))]).toEqual([['b', 'e'], ['d']]);
  writeFileSync(join(root, 'f'), 'more');
  await push(tree, { op: 'only', paths: ['g'], anew: false }, write('g'));
  expect(readdirSync(root)).toEqual(['b', 'f', 'g']);
  expect(await pull(tree)).toEqual([
    ['write', 'b/d'],
    ['write', 'f'],
  ]);
  await push(tree, { op: 'only', paths: ['g'], anew: false });
  expect(readdirSync(root)).toEqual(['g']);
});

test('WORK-01 a box that is filled anew keeps nothing of what nobody asked for, and what stays in the box makes way for what is put there', async () => {
  writeFileSync(join(root, 'stray'), 'a');
  writeFileSync(join(root, 'a'), 'a');
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, 'node_modules/x'), 'a');
  writeFileSync(join(root, 'large'), '12345678901');
  const tree = new Tree(root, { file: 10, all: 100, paths: 10 });
  expect(await pull(tree)).toContainEqual(['skipped', 'large']);
  await push(tree, { op: 'only', paths: ['a', 'node_modules/x'], anew: true }, write('a'), write('node_modules/x'));
  expect([readdirSync(root), readdirSync(join(root, 'node_modules'))]).toEqual([['a', 'node_modules'], ['x']]);
  expect(['a', 'node_modules/x'].map(text)).toEqual(['new', 'new']);
});

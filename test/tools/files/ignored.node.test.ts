import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeClock, TestCall } from '../../../src/testing/index.ts';
import { walk } from '../../../src/tools/files/walk.ts';
import { MemoryWorkspace } from './memory-workspace.ts';

/** Paths and their contents. */
type Tree = ReadonlyMap<string, string>;

/** The files that git itself would track. */
function gitFiles(tree: Tree): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'reins-ignored-'));
  try {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'core.excludesFile=', '-C', folder, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 });
    git('init', '-q');
    for (const [path, content] of tree) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return git('ls-files', '-z', '--others', '--exclude-standard').split('\0').slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function ourFiles(tree: Tree): Promise<readonly string[]> {
  const workspace = new MemoryWorkspace();
  for (const [path, content] of tree) workspace.put(path, content);
  const found: string[] = [];
  for await (const { entries } of walk(workspace, '', false, new FakeClock(), new TestCall())) {
    found.push(...entries.map(({ path }) => path));
  }
  return found;
}

const rule = fc.oneof(
  fc.constantFrom(
    '*.log',
    '!keep.log',
    'dist/',
    '/a',
    'a/b',
    '**/b',
    'a/**',
    'a/**/b.log',
    '!dist/',
    '!a/b',
    '# no',
    '',
    '\\#b',
    '\\!b',
    'b ',
    'b\\ ',
    'd[!x]st',
    '[a-',
    '/*',
    '!/a',
    'a/*',
    '!a/keep.log',
    '**',
    '*/b',
    'b/',
    '\uFEFFa',
  ),
  fc
    .array(fc.constantFrom('a', 'b', '*', '/', '!', '**', '?', '[ab]', '.log', '\\'), { minLength: 1, maxLength: 5 })
    .map((pieces) => pieces.join('')),
);
const rules = fc.tuple(fc.array(rule, { maxLength: 4 }), fc.constantFrom('\n', '\r\n')).map(([lines, end]) => lines.join(end));
const folder = fc.constantFrom('', 'a/', 'a/b/', 'dist/', 'a/dist/', 'b/', 'b/a/b/');
const name = fc.constantFrom('x.log', 'keep.log', 'b', 'b.log', '#b', '!b', 'b ', 'main.ts', 'ab');
const project = fc.record({
  ignores: fc.dictionary(folder, rules, { maxKeys: 3 }),
  paths: fc.array(fc.tuple(folder, name), { minLength: 1, maxLength: 12 }),
});

test('FILES-01 what .gitignore files leave out is what git leaves out', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const tree = new Map<string, string>();
  // Each project is a folder of one large tree, so that git is asked once.
  for (const [at, { ignores, paths }] of fc.sample(project, { numRuns: 250, seed }).entries()) {
    const files = [
      ...Object.entries(ignores).map(([below, text]) => [`${below}.gitignore`, text] as const),
      ...paths.map((parts) => [parts.join(''), 'x'] as const),
    ];
    const names = files.map(([path]) => path);
    // No path is a file and a folder.
    for (const [path, content] of files)
      if (!names.some((other) => other.startsWith(`${path}/`))) tree.set(`p${at}/${path}`, content);
  }
  const [ours, theirs] = [await ourFiles(tree), gitFiles(tree)];
  const [extra, missing] = [ours.filter((path) => !theirs.includes(path)), theirs.filter((path) => !ours.includes(path))];
  const [wrong = ''] = [...extra, ...missing];
  const around = [...tree].filter(([path]) => path.startsWith(`${wrong.split('/')[0]}/`));
  expect({ extra, missing }, `seed ${seed}: ${JSON.stringify(around)}`).toEqual({ extra: [], missing: [] });
  expect(ours.length).toBeLessThan(tree.size);
});

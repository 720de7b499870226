import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/index.ts';
import { EmbeddedDriver } from '../../../src/sandbox/index.ts';
import { run } from '../../tools/shell/contract.ts';
import { MemoryWorkspace } from '../memory-workspace.ts';
import { gaps } from './gaps.ts';

/** The rows of the table with this heading, as cells. */
function table(heading: string): readonly (readonly string[])[] {
  const lines = readFileSync('docs/shell.md', 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const rest = lines.slice(start + 2);
  const rows = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith('|')),
  );
  return rows.map((row) => row.slice(2, -2).split(' | '));
}

test('SHELL-01 the document lists what the embedded driver does not keep of the contract', () => {
  expect(table('What it cannot do').map(([title]) => title)).toEqual(gaps);
});

const missing = table('Command').map((cells) => cells.map((cell) => cell.slice(1, -1)));

test.each(missing)('SHELL-01 the embedded driver has no %s, as the document says: %s', async (command = '', what = '') => {
  const workspace = new MemoryWorkspace();
  await workspace.put('a.txt', 'a');
  await workspace.put('a.yaml', 'a: 1');
  const { end, text } = await run({ driver: new EmbeddedDriver(workspace, systemClock) }, command);
  expect(text).toContain(what);
  expect(end).not.toEqual({ how: 'exited', code: 0 });
});

test('SHELL-01 the document has rows', () => {
  expect(missing.length).toBeGreaterThan(10);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../source.ts';

const page = join(root, 'public');
const size = (path: string): number => gzipSync(readFileSync(join(page, path))).length;

test('the page needs at most 70 kB of script to begin, and 180 kB in all, compressed', () => {
  const first = [...readFileSync(join(page, 'index.html'), 'utf8').matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(
    ([, path = '']) => path,
  );
  const all = readdirSync(join(page, 'assets')).filter((name) => name.endsWith('.js'));
  expect(first).not.toEqual([]);
  expect(first.reduce((sum, path) => sum + size(path), 0)).toBeLessThanOrEqual(70_000);
  expect(all.reduce((sum, name) => sum + size(`assets/${name}`), 0)).toBeLessThanOrEqual(180_000);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../../src/models/ai-sdk');

test('the adapter imports types of the AI SDK alone: no package of it is in the bundle unless the operator loads one', () => {
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const imports = texts.flatMap((text) => text.match(/import[^;]*?'(@ai-sdk\/|ai')[^;]*;/g) ?? []);
  expect(imports.length).toBeGreaterThan(3);
  expect(imports.filter((line) => !line.startsWith('import type '))).toEqual([]);
});

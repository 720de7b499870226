import { expect, test } from 'vitest';
import { isObject, type Json } from '../../../src/core/index.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import {
  applyPatchTool,
  editFileTool,
  globTool,
  grepTool,
  listDirTool,
  readFileTool,
  writeFileTool,
} from '../../../src/tools/index.ts';
import { MemoryWorkspace } from './memory-workspace.ts';

const files = new MemoryWorkspace();
const clock = new FakeClock();
const tools = [
  readFileTool(files),
  writeFileTool(files),
  editFileTool(files),
  applyPatchTool(files),
  listDirTool(files),
  globTool(files, clock),
  grepTool(files, clock),
];

test('FILES-01 there are seven tools', () => {
  expect(tools.map(({ spec }) => spec.name)).toEqual([
    'read_file',
    'write_file',
    'edit_file',
    'apply_patch',
    'list_dir',
    'glob',
    'grep',
  ]);
});

test.each(tools.map(({ spec }) => [spec.name, spec] as const))('CODE-08 %s says what it refuses', (_, { description }) => {
  expect(description).toMatch(/refused/i);
  expect(description).toMatch(/outside the project|have not read/);
});

test.each(tools.filter(({ spec }) => spec.hints.readOnly !== true).map(({ spec }) => [spec.name, spec] as const))(
  'CODE-08 FILES-13 %s says why a file must be read first, and that the user may refuse',
  (_, { description }) => {
    expect(description).toMatch(/because you would (change|write over) what you do not know/);
    expect(description).toContain('may refuse');
  },
);

test.each(tools.map(({ spec }) => [spec.name, spec] as const))(
  'CODE-08 TOOL-05 every input of %s is described',
  (_, { input }) => {
    const properties: Json = input.properties ?? {};
    const described = isObject(properties) ? Object.values(properties) : [];
    expect(described.length).toBeGreaterThan(0);
    for (const property of described) expect(property).toMatchObject({ description: expect.stringMatching(/.{10}/) });
  },
);

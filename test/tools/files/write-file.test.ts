import { beforeEach, describe, expect, test } from 'vitest';
import { fileLimits, writeFileTool } from '../../../src/tools/index.ts';
import { hashOf, MemoryWorkspace } from './memory-workspace.ts';
import { read, refusalOf, use } from './use.ts';

let files: MemoryWorkspace;

beforeEach(() => {
  files = new MemoryWorkspace();
});

const write = (path: string, content: string) => use(writeFileTool(files), { path, content });

test('FILES-01 a new file is written as given', async () => {
  const result = await write('src/./a.ts', 'one\r\ntwo');
  expect(read(result)).toBe('Created src/a.ts (2 lines, 8 bytes).');
  expect(files.text('src/a.ts')).toBe('one\r\ntwo');
  expect(result.value).toMatchObject({
    changes: [{ path: 'src/a.ts', before: null, after: await hashOf('one\r\ntwo'), added: 2, removed: 0 }],
  });
  expect(files.made[0]?.changes).toMatchObject([{ ifRev: null }]);
});

test('FILES-04 a file that was read is replaced, and what was written is known', async () => {
  await files.known('a.ts', 'one\r\n');
  expect(read(await write('a.ts', 'two\n'))).toBe('Wrote a.ts (1 line, 4 bytes). Its lines ended in CRLF and end in LF now.');
  expect(read(await write('a.ts', 'three\n'))).toBe('Wrote a.ts (1 line, 6 bytes).');
  expect(files.text('a.ts')).toBe('three\n');
});

test('RUN-04 TOOL-30 what is there already is not written again, seen or not: the call may be repeated', async () => {
  files.put('a.ts', 'one');
  const result = await write('a.ts', 'one');
  expect(read(result)).toBe('a.ts holds this already: nothing was written.');
  expect(files.made).toEqual([]);
  expect(read(await write('a.ts', 'two'))).toContain('Wrote a.ts');
  expect(writeFileTool(files).spec.hints).toEqual({ idempotent: true });
});

describe('refused is', () => {
  test('FILES-04 a file that was not read, or changed since', async () => {
    files.put('a.ts', 'one');
    expect(refusalOf(await write('a.ts', 'two'))).toContain('have not read a.ts');
    await files.known('a.ts', 'one');
    files.put('a.ts', 'other');
    expect(refusalOf(await write('a.ts', 'two'))).toContain('a.ts has changed since you read it');
    expect(files.text('a.ts')).toBe('other');
  });

  test('FILES-04 a writer who comes first, to a file and to a place where there was none', async () => {
    await files.known('a.ts', 'one');
    files.onChange = () => files.put('a.ts', 'theirs');
    expect(refusalOf(await write('a.ts', 'two'))).toContain('a.ts changed meanwhile');
    files.onChange = () => files.put('b.ts', 'theirs');
    expect(refusalOf(await write('b.ts', 'two'))).toContain('b.ts changed meanwhile');
  });

  test('FILES-02 a path outside, and a folder', async () => {
    files.put('src/a.ts', 'one');
    expect(refusalOf(await write('../a', 'x'))).toContain('path "../a"');
    expect(refusalOf(await write('src', 'x'))).toBe('src is a folder, not a file.');
    expect(refusalOf(await write('.', 'x'))).toBe('. is a folder, not a file.');
  });

  test('FILES-10 a text that is too large, in bytes', async () => {
    expect(refusalOf(await write('a', '\u00E9'.repeat(fileLimits.editBytes / 2 + 1)))).toContain('at most 4 MB');
    expect(read(await write('a', 'x'.repeat(fileLimits.editBytes)))).toBe('Created a (1 line, 4 MB).');
    expect(await writeFileTool(files).check({ path: 'a', content: 'x'.repeat(fileLimits.editBytes + 1) })).toHaveLength(1);
  });
});

test('FILES-08 the diff of a file that is not text, or too large to compare, is left out', async () => {
  await files.known('a.bin', 'a\0b');
  expect((await write('a.bin', 'text')).value).toMatchObject({ changes: [{ added: null, removed: null, diff: null }] });
  const many = Array.from({ length: 3000 }, (_, at) => `old ${at}\n`).join('');
  await files.known('a.txt', many);
  const { value } = await write('a.txt', many.replaceAll('old', 'new'));
  expect(value).toMatchObject({ changes: [{ before: await hashOf(many), added: null, diff: null }] });
  await files.known('b.txt', 'x\n');
  const large = new Uint8Array(fileLimits.editBytes + 1).fill(0x61);
  await files.known('c.txt', large);
  files.bytesRead = 0;
  expect((await write('c.txt', 'b')).value).toMatchObject({
    changes: [{ before: await hashOf(large), added: null, diff: null }],
  });
  expect(files.bytesRead).toBe(0);
  const long = await write('b.txt', `${'y'.repeat(fileLimits.diffBytes)}\n`);
  expect(long.value).toMatchObject({ changes: [{ added: 1, removed: 1, diff: null }] });
});

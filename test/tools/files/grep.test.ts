import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { Cancelled, type JsonObject } from '../../../src/core/index.ts';
import { FakeClock, TestCall } from '../../../src/testing/index.ts';
import { excerptOf } from '../../../src/tools/files/excerpt.ts';
import { fileLimits, grepTool } from '../../../src/tools/index.ts';
import { MemoryWorkspace } from './memory-workspace.ts';
import { read, refusalOf, use } from './use.ts';

let files: MemoryWorkspace;
let clock: FakeClock;

beforeEach(() => {
  files = new MemoryWorkspace();
  clock = new FakeClock();
});

const grep = (pattern: string, more: JsonObject = {}, call?: TestCall) => use(grepTool(files, clock), { pattern, ...more }, call);

describe('what it finds', () => {
  test('FILES-01 the lines that match, by file, with their numbers', async () => {
    files.put('a.ts', '\uFEFFfoo\r\nbar\r\nfood\r\n');
    files.put('b/c.ts', 'no foo\n');
    const result = await grep('^foo');
    expect(read(result)).toBe('a.ts\n1: foo\n3: food');
    expect(result.value).toEqual({ matches: 2, files: ['a.ts'] });
    expect(read(await grep('foo'))).toBe('a.ts\n1: foo\n3: food\n\nb/c.ts\n1: no foo');
  });

  test('FILES-01 lines around a match, each once, with a mark where lines between are left out', async () => {
    files.put('a.ts', ['1', '2', 'x', '4', 'x', '6', '7', '8', 'x'].join('\n'));
    expect(read(await grep('x', { context: 1 }))).toBe('a.ts\n2- 2\n3: x\n4- 4\n5: x\n6- 6\n--\n8- 8\n9: x');
  });

  test('FILES-01 any case, a plain text, some files, one file, one folder', async () => {
    files.put('src/a.ts', 'f(x)\nF(X)\n');
    files.put('src/b.js', 'f(x)\n');
    files.put('f.ts', 'f(x)\n');
    expect(read(await grep('f(x)', { literal: true, ignore_case: true, path: 'src', glob: '*.ts' }))).toBe(
      'src/a.ts\n1: f(x)\n2: F(X)',
    );
    expect(read(await grep('f.x', { path: 'src/b.js', glob: '*.ts' }))).toBe('src/b.js\n1: f(x)');
    expect(read(await grep('f.x', { path: 'src', glob: 'src/*' }))).toBe('[No line matches, in 0 files.]');
    files.put('src/x/c.ts', 'f(x)\n');
    expect(read(await grep('f.x', { path: 'src', glob: 'x/*' }))).toBe('src/x/c.ts\n1: f(x)');
    expect(read(await grep('F.X'))).toBe('src/a.ts\n2: F(X)');
  });

  test('FILES-01 a .gitignore holds, and a file that is named outright is searched (fault 23)', async () => {
    files.put('.gitignore', '*.log\n');
    files.put('a.log', 'x\n');
    expect(read(await grep('x'))).toBe('[No line matches, in 1 file.]\n[Left out by .gitignore: a.log.]');
    expect(read(await grep('x', { path: 'a.log' }))).toBe('a.log\n1: x');
    expect(read(await grep('x', { ignored: true }))).toBe('a.log\n1: x');
  });

  test('FILES-10 FILES-11 binary and very large files are not searched, links are not followed', async () => {
    files.put('a.bin', 'x\0');
    files.put('big', new Uint8Array(fileLimits.editBytes + 1).fill(0x78));
    files.put('c', 'x');
    files.link('d', 'c');
    expect(read(await grep('x'))).toBe('c\n1: x\n\n[Too large to be searched: big.]');
    files.put('bigger', new Uint8Array(fileLimits.editBytes + 1));
    expect(read(await grep('x'))).toContain('[Too large to be searched: big and 1 more.]');
  });

  test('FILES-01 a large project is searched to its end', async () => {
    for (let at = 0; at < 2 * fileLimits.walkPage; at += 1) files.put(`f${String(at).padStart(4, '0')}`, 'y');
    files.put('z', 'x');
    expect(read(await grep('x'))).toBe('z\n1: x');
  });
});

describe('its bounds', () => {
  test('FILES-11 of a long line the part around the match is shown', async () => {
    files.put('a.js', `${'é'.repeat(5000)}NEEDLE${'é'.repeat(5000)}`);
    const line = read(await grep('NEEDLE')).split('\n')[1] ?? '';
    expect(line).toMatch(/^1: …é+NEEDLEé+…$/);
    expect(line).toHaveLength(3 + fileLimits.lineLength);
  });

  test('FILES-11 the number of matches is bounded, and so is what is shown', async () => {
    files.put('a', 'x\n'.repeat(1000));
    const few = await grep('x', { limit: 3 });
    expect(read(few)).toBe(
      'a\n1: x\n2: x\n3: x\n\n[The search ended early: 3 matching lines are shown: narrow the search, or raise limit (at most 500).]',
    );
    expect((await grep('x')).value).toMatchObject({ matches: fileLimits.matches });
    files.put('a', `${'x'.repeat(290)}\n`.repeat(400));
    const much = read(await grep('x', { limit: 400 }));
    expect(much.length).toBeLessThan(fileLimits.shownBytes + 200);
    expect(much).toContain('[The search ended early: 50 KB are shown');
  });

  test('FILES-11 one call reads no more than its budget', async () => {
    const piece = new Uint8Array(fileLimits.editBytes).fill(0x61);
    for (let at = 0; at < 20; at += 1) files.put(`f${at}`, piece);
    expect(read(await grep('x'))).toContain('[The search ended early: 64 MB were searched');
    expect(files.bytesRead).toBe(fileLimits.searchBytes);
  });

  test('FILES-11 others have their turn within a large file, and a cancel ends it there', async () => {
    files.put('a', `${'y'.repeat(99)}\n`.repeat(5000));
    await grep('x', { path: 'a' });
    expect(clock.asked.length).toBeGreaterThan(5);
    expect(clock.asked.length).toBeLessThan(20);
    const call = new TestCall();
    call.cancel();
    await expect(grep('x', { path: 'a' }, call)).rejects.toThrow(Cancelled);
  });

  test('FILES-11 a pattern that would keep a backtracking engine busy for years ends', async () => {
    files.put('a', `${'a'.repeat(20_000)}\n`);
    expect(read(await grep('(a+)+(a|aa)*b'))).toBe('[No line matches, in 1 file.]');
  });

  test('FILES-11 a pattern that the engine cannot do is refused with the reason', async () => {
    for (const pattern of ['(?=x)', '(x', '(x)\\1', 'a{1,5000}']) {
      expect(refusalOf(await grep(pattern)), pattern).toMatch(
        /^The pattern cannot be used: .*no look-ahead, look-behind and back-references/,
      );
    }
    expect(refusalOf(await grep('x', { glob: '[a' }))).toContain('The pattern [a cannot be used');
    expect(refusalOf(await grep('x', { path: '../a' }))).toContain('path "../a"');
    expect(await grepTool(files, clock).check({ pattern: 'x'.repeat(fileLimits.patternLength + 1) })).toHaveLength(1);
  });
});

test('FILES-03 it promises to change nothing', () => {
  expect(grepTool(files, clock).spec.hints.readOnly).toBe(true);
});

test('FILES-11 an excerpt has no mark where nothing was cut', () => {
  expect(excerptOf('abcdefghij', 0, 1, 6)).toBe('abcd…');
  expect(excerptOf('abcdefghij', 9, 10, 6)).toBe('…ghij');
  expect(excerptOf('abcdefghij', 5, 6, 6)).toBe('…efgh…');
});

test('FILES-11 an excerpt holds the start of the match, halves no character and is no longer than allowed', () => {
  const text = fc.array(fc.constantFrom('a', '😀', 'é'), { maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.nat(60), fc.nat(20), fc.integer({ min: 8, max: 40 }), (line, from, size, length) => {
      const whole = (at: number): number => (/^[\uDC00-\uDFFF]/.test(line.slice(at)) ? at + 1 : at);
      const start = whole(Math.min(from, line.length));
      const end = whole(Math.min(start + size, line.length));
      const excerpt = excerptOf(line, start, end, length);
      expect(excerpt.isWellFormed()).toBe(true);
      expect(excerpt.length).toBeLessThanOrEqual(Math.max(length, 0));
      const [before, after] = [excerpt.startsWith('…'), excerpt.endsWith('…')];
      const shown = excerpt.slice(before ? 1 : 0, after ? -1 : undefined);
      // A mark stands where something was cut, and nowhere else.
      expect(line).toContain(shown);
      if (!before) expect(line.startsWith(shown)).toBe(true);
      if (!after) expect(line.endsWith(shown)).toBe(true);
      if (before && after) expect(shown.length).toBeLessThan(line.length - 1);
      if (line.length <= length) expect(excerpt).toBe(line);
      else if (end - start <= length - 4) expect(excerpt).toContain(line.slice(start, end));
    }),
  );
});

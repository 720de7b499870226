import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/index.ts';
import { fileLimits, readFileTool } from '../../../src/tools/index.ts';
import { pageOf } from '../../../src/tools/files/page.ts';
import { MemoryWorkspace } from './memory-workspace.ts';
import { read, refusalOf, use } from './use.ts';

let files: MemoryWorkspace;

beforeEach(() => {
  files = new MemoryWorkspace();
});

const look = (input: JsonObject = {}) => use(readFileTool(files), { path: 'a.txt', ...input });
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

/** The call that a note hands out to read on; null when there is none. */
function next(text: string): JsonObject | null {
  const call = /To read on: read_file (\{.*\})\]/.exec(text)?.[1];
  return call === undefined ? null : (JSON.parse(call) as JsonObject);
}

describe('a text', () => {
  test('FILES-10 is given as it is, without line numbers, and counts as seen', async () => {
    files.put('a.txt', '<?php\n\n\techo 1;\n');
    const result = await look();
    expect(result.content).toEqual([{ type: 'text', text: '<?php\n\n\techo 1;\n' }]);
    expect(result.value).toEqual({ path: 'a.txt', size: 16, from: 1, to: 3, lines: 3 });
    expect(await files.seen('a.txt')).toBe(1);
  });

  test('FILES-10 of many lines comes in pages, each naming the exact call for the next', async () => {
    files.put('a.txt', numbered(5000));
    const text = read(await look());
    expect(text).toContain('line 2000\n');
    expect(text).not.toContain('line 2001\n');
    expect(text).toContain('[Lines 1-2000 of 5000 lines. To read on: read_file {"path":"a.txt","offset":2001}]');
    expect(read(await look({ offset: 4001 }))).toContain('[Lines 4001-5000 of 5000 lines, to the end.]');
  });

  test('FILES-10 of long lines is cut between lines, before the bound in bytes', async () => {
    files.put('a.txt', `${'é'.repeat(999)}\n`.repeat(100));
    const result = await look();
    const [shown] = result.content;
    const bytes = new TextEncoder().encode(shown?.type === 'text' ? shown.text : '').length;
    expect(bytes).toBeLessThanOrEqual(fileLimits.readBytes);
    expect(bytes).toBeGreaterThan(fileLimits.readBytes - 2000);
    expect(next(read(result))).toEqual({ path: 'a.txt', offset: 26 });
  });

  test('FILES-10 of one line that is longer than a page is read to its end, cut at code points', async () => {
    const line = '😀é'.repeat(20_000);
    files.put('a.txt', `first\n${line}`);
    let all = '';
    let pages = 0;
    for (let call: JsonObject | null = { path: 'a.txt', offset: 2 }; call !== null; pages += 1) {
      const result = await look(call);
      const [shown] = result.content;
      all += shown?.type === 'text' ? shown.text : '';
      call = next(read(result));
    }
    expect(all).toBe(line);
    expect(pages).toBe(3);
    expect(read(await look({ offset: 2 }))).toContain('Line 2 of 2 lines is too long: this is its part from byte 0 to 51198.');
  });

  test('FILES-10 of a large file is read piece by piece', async () => {
    const lines = 400_000;
    files.put('a.txt', numbered(lines));
    files.bytesRead = 0;
    expect(read(await look())).toContain('[Lines 1-2000 of a file of 4.5 MB. To read on');
    expect(files.bytesRead).toBeLessThanOrEqual(fileLimits.pieceBytes);
    expect(read(await look({ offset: 300_000, limit: 1 }))).toMatch(/^line 300000\n/);
    expect(read(await look({ offset: lines }))).toMatch(
      /^line 400000\n\n\n\[Lines 400000-400000 of a file of 4\.5 MB, to the end\.\]$/,
    );
    expect(refusalOf(await look({ offset: lines + 1 }))).toBe('a.txt ends before that: offset 400001 is behind its end.');
  });

  test('FILES-10 FILES-12 says what the text does not show: CRLF, no last line break, no UTF-8, and hides a byte order mark', async () => {
    files.put('a.txt', '\uFEFFa\r\nb');
    expect(read(await look())).toBe(
      'a\nb\n\n[The lines end in CRLF. Edits keep that.]\n\n[The last line has no line break at its end.]',
    );
    files.put('a.txt', 'a\r\nb\n');
    expect(read(await look())).toContain('[Some lines end in CRLF.');
    files.put('a.txt', Uint8Array.of(0x61, 0xff, 0x0a));
    expect(read(await look())).toContain('a\uFFFD\n\n\n[Some bytes are no UTF-8');
    files.put('a.txt', 'a\uFFFDb\n');
    expect(read(await look())).toBe('a\uFFFDb\n');
    files.put('a.txt', '');
    const empty = await look();
    expect(read(empty)).toBe('[The file is empty.]');
    expect(empty.value).toEqual({ path: 'a.txt', size: 0, from: 1, to: 0, lines: 0 });
  });

  test('FILES-10 is found by the number of its lines, empty ones included', async () => {
    files.put('a.txt', '\n\nthree\n\nfive\n');
    for (const [offset, line] of ['', '', 'three', '', 'five'].entries()) {
      expect((await look({ offset: offset + 1, limit: 1 })).content[0], String(offset)).toMatchObject({ text: `${line}\n` });
    }
  });

  test('FILES-10 that a .gitignore leaves out is served when it is named (fault 23)', async () => {
    files.put('.gitignore', '*.log\n');
    files.put('x.log', 'log\n');
    expect(read(await look({ path: 'x.log' }))).toBe('log\n');
  });

  test('FILES-10 that changes while it is read is not given in parts of two revisions', async () => {
    files.put('a.txt', numbered(400_000));
    let reads = 0;
    const original = files.read.bind(files);
    files.read = async (path, range) => {
      reads += 1;
      if (reads === 2) files.put('a.txt', numbered(400_000).replaceAll('line', 'text'));
      return original(path, range);
    };
    expect(refusalOf(await look({ offset: 300_000 }))).toContain('a.txt changed meanwhile');
  });
});

describe('what is no text', () => {
  test('FILES-10 an image is a part of the result', async () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2);
    files.put('a.txt', png);
    const { content } = await look();
    expect(content).toEqual([
      { type: 'text', text: 'a.txt: image/png, 11 bytes.' },
      { type: 'image', mediaType: 'image/png', data: btoa(String.fromCharCode(...png)) },
    ]);
  });

  test('FILES-10 of an image that is too large, and of any other binary file, type and size are told', async () => {
    const png = new Uint8Array(fileLimits.imageBytes + 1);
    png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    files.put('a.txt', png);
    expect(read(await look())).toBe('a.txt is a binary file: image/png, 1 MB. It is too large to be shown; 1 MB would do.');
    files.put('a.txt', 'a\0b');
    expect(read(await look())).toBe('a.txt is a binary file: application/octet-stream, 3 bytes.');
    files.put('a.txt', '%PDF-1.7');
    expect(read(await look())).toContain('application/pdf');
  });
});

describe('refused is', () => {
  test('FILES-02 FILES-10 a path outside, a missing file, a folder', async () => {
    files.put('src/a.ts', 'x');
    expect(refusalOf(await look({ path: '../a' }))).toContain('path "../a"');
    expect(refusalOf(await look({ path: 'A.ts' }))).toContain('Perhaps you mean src/a.ts.');
    expect(refusalOf(await look({ path: 'src' }))).toBe('src is a folder: list it with list_dir.');
    expect(refusalOf(await look({ path: '.' }))).toBe('. is a folder: list it with list_dir.');
    expect(await files.seen('src')).toBeNull();
  });

  test('FILES-10 an offset and a skip behind the end', async () => {
    files.put('a.txt', 'one\ntwo\n');
    expect(refusalOf(await look({ offset: 3 }))).toBe('a.txt has 2 lines: offset 3 is behind its end.');
    expect(refusalOf(await look({ offset: 1, skip: 4 }))).toBe('Line 1 of a.txt has 4 bytes: skip 4 is behind its end.');
    expect(await files.seen('a.txt')).toBeNull();
  });
});

test('FILES-03 it promises to change nothing', () => {
  expect(readFileTool(files).spec.hints.readOnly).toBe(true);
});

test('FILES-10 a line that goes on behind what was read is left to the next page', () => {
  const bytes = new TextEncoder().encode('a\nbc');
  expect(pageOf(bytes, true, { lines: 9, bytes: 9 })).toMatchObject({ text: 'a\n', lines: 1, more: true, cut: false });
  expect(pageOf(bytes, false, { lines: 9, bytes: 9 })).toMatchObject({ text: 'a\nbc', lines: 2, more: false });
});

test('FILES-10 pages put together are the text, whatever it holds and wherever it is cut', () => {
  const text = fc.array(fc.constantFrom('a', 'é', '😀', '\n', '\r\n', 'xyz'), { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 4, max: 20 }), (whole, lines, bytes) => {
      const all = new TextEncoder().encode(whole);
      let shown = '';
      for (let at = 0; at < all.length;) {
        const part = all.subarray(at, at + bytes + 4);
        const page = pageOf(part, at + part.length < all.length, { lines, bytes });
        expect(page.bytes).toBeGreaterThan(0);
        expect(page.bytes).toBeLessThanOrEqual(bytes);
        expect(page.damaged).toBe(false);
        expect(page.lines).toBeLessThanOrEqual(lines);
        expect(page.more).toBe(at + page.bytes < all.length);
        const piece = new TextDecoder().decode(all.subarray(at, at + page.bytes));
        // A page is of whole lines, as many as fit; only a line that is longer than a page is cut.
        const next = all.indexOf(10, at + page.bytes);
        if (page.cut) expect([piece.includes('\n'), page.lines]).toEqual([false, 1]);
        else expect(page.lines).toBe(piece.split('\n').length - (piece.endsWith('\n') ? 1 : 0));
        if (page.more && !page.cut) expect(piece.endsWith('\n')).toBe(true);
        if (page.more && !page.cut && page.lines < lines && next >= 0) expect(next + 1 - at).toBeGreaterThan(bytes);
        if (page.cut) expect(next < 0 ? all.length - at : next + 1 - at).toBeGreaterThan(bytes);
        shown += piece;
        at += page.bytes;
      }
      expect(shown).toBe(whole);
    }),
  );
});

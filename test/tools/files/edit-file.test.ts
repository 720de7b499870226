import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { TestCall } from '../../../src/testing/index.ts';
import { editFileTool, fileLimits } from '../../../src/tools/index.ts';
import { hashOf, MemoryWorkspace } from './memory-workspace.ts';
import { read, refusalOf, use } from './use.ts';

let files: MemoryWorkspace;

beforeEach(() => {
  files = new MemoryWorkspace();
});

const edit = (search: string, replace: string, path = 'a.ts') => use(editFileTool(files), { path, search, replace });

/** The file after an edit that must succeed. */
async function edited(content: string, search: string, replace: string): Promise<string | null> {
  await files.known('a.ts', content);
  const result = await edit(search, replace);
  expect(read(result)).toBe('Edited a.ts.');
  return files.text('a.ts');
}

describe('what it changes', () => {
  test('FILES-04 WORK-04 WORK-07 it replaces the one place of the text and says so', async () => {
    expect(await edited('one\ntwo\nthree\n', 'two', 'zwei')).toBe('one\nzwei\nthree\n');
  });

  test('WORK-08 the replacement is literal, dollar patterns included (fault 20)', async () => {
    expect(await edited('a X b', 'X', "$& $$ $` $1 $'")).toBe("a $& $$ $` $1 $' b");
  });

  test('WORK-08 the search is no expression, and indentation counts', async () => {
    expect(await edited('axb a.b', 'a.b', '')).toBe('axb ');
    await files.known('a.ts', '\tx\n');
    expect((await edit('    x', 'y')).error).toBe(true);
  });

  test('FILES-12 bytes outside the place stay, where lines end in different ways (fault 19)', async () => {
    expect(await edited('a\r\nb\nc', 'c', 'C')).toBe('a\r\nb\nC');
  });

  test('FILES-12 in a file with CRLF line breaks match and are written as CRLF, though the model sends LF', async () => {
    expect(await edited('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(await edited('a\r\nb\r\n', 'b', 'x\ny')).toBe('a\r\nx\r\ny\r\n');
    expect(await edited('a\r\nb', 'b', 'x\ny')).toBe('a\r\nx\r\ny');
    expect(await edited('a\r\nb\r\nc', '\nb', '\nB\nB2')).toBe('a\r\nB\r\nB2\r\nc');
    expect(await edited('a\r\nb\r\nc', 'b\n', '')).toBe('a\r\nc');
  });

  test('FILES-12 in a file with mixed line ends each line of the replacement ends as the line it replaces', async () => {
    expect(await edited('a\r\nb\nc\r\nd', 'a\nb\nc\n', '1\n2\n3\n4\n')).toBe('1\r\n2\n3\r\n4\r\nd');
  });

  test('FILES-12 WORK-08 a CR that the model sends is meant', async () => {
    expect(await edited('a\nb\n', 'a\nb', 'a\r\nb')).toBe('a\r\nb\n');
    expect(await edited('a\r\nb\r\n', 'a\r\nb', 'a\nb')).toBe('a\nb\r\n');
  });

  test('FILES-12 a byte order mark and a missing last line break stay', async () => {
    expect(await edited('\uFEFFone\ntwo', 'one', 'uno')).toBe('\uFEFFuno\ntwo');
  });

  test('FILES-12 bytes that are no UTF-8 stay, and a text is not found inside a character', async () => {
    await files.known('a.ts', Uint8Array.of(0xe9, 0x20, 0x61, 0xff, 0xc3, 0xa9));
    expect((await edit('a', 'bb')).error).toBe(false);
    expect(files.bytes('a.ts')).toEqual(Uint8Array.of(0xe9, 0x20, 0x62, 0x62, 0xff, 0xc3, 0xa9));
    expect((await edit('©', 'x')).error).toBe(true);
  });

  test('FILES-04 a link is followed: its target changes and the link stays', async () => {
    await files.known('real.ts', 'a');
    files.link('a.ts', 'real.ts');
    expect(read(await edit('a', 'b'))).toBe('Edited real.ts.');
    expect(files.text('real.ts')).toBe('b');
    expect(files.text('a.ts')).toBe('real.ts');
  });
});

describe('what it refuses', () => {
  test('WORK-05 a text that is missing: the refusal names the file', async () => {
    await files.known('src/a.ts', 'one\n');
    expect(refusalOf(await edit('quite another text', 'x', 'src/a.ts'))).toMatch(/not found in src\/a\.ts.*read the file again/);
  });

  test('WORK-06 a text that is there several times: the refusal has the count, the lines and the advice to add context', async () => {
    await files.known('a.ts', 'x\ny\nx\nx\n');
    const text = refusalOf(await edit('x', 'z'));
    expect(text).toContain('3 times in a.ts (lines 1, 3, 4)');
    expect(text).toContain('add the lines before or after');
    expect(files.text('a.ts')).toBe('x\ny\nx\nx\n');
  });

  test('WORK-06 of many places the first ten lines are named', async () => {
    await files.known('a.ts', 'x\n'.repeat(10));
    expect(refusalOf(await edit('x', 'z'))).toContain('10 times in a.ts (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10):');
    await files.known('a.ts', 'x\n'.repeat(11));
    expect(refusalOf(await edit('x', 'z'))).toContain('11 times in a.ts (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …):');
  });

  test('WORK-06 places that overlap are several, too', async () => {
    await files.known('a.ts', 'aaa');
    expect(refusalOf(await edit('aa', 'b'))).toContain('2 times');
  });

  test('WORK-06 FILES-12 a text with LF that stands once with LF and once with CRLF is not clear', async () => {
    await files.known('a.ts', 'a\nb\na\r\nb\n');
    expect(refusalOf(await edit('a\nb', 'x'))).toContain('2 times in a.ts (lines 1, 3)');
  });

  test('WORK-09 an empty search text', async () => {
    expect(await editFileTool(files).check({ path: 'a.ts', search: '', replace: 'x' })).toMatchObject([
      { path: 'search', message: expect.stringContaining('must not be empty') },
    ]);
  });

  test('WORK-04 a replacement that is the search text', async () => {
    await files.known('a.ts', 'a');
    expect(refusalOf(await edit('a', 'a'))).toContain('nothing to change');
  });

  test.each(['../a.ts', '/etc/passwd', 'x/../../a'])('FILES-02 WORK-02 the path %s', async (path) => {
    const result = await edit('a', 'b', path);
    expect(refusalOf(result)).toContain(path);
    expect(result.meta).toMatchObject({ code: 'path_refused' });
  });

  test('WORK-05 a file that is missing, with the one that may be meant', async () => {
    files.put('src/Greeter.php', '<?php');
    expect(refusalOf(await edit('a', 'b', 'greeter.php'))).toBe('There is no greeter.php. Perhaps you mean src/Greeter.php.');
    expect(refusalOf(await edit('a', 'b', 'other.php'))).toBe('There is no other.php. Look with list_dir or glob.');
  });

  test('FILES-04 a folder, a binary file and one that is too large', async () => {
    files.put('src/a.ts', 'a');
    expect(refusalOf(await edit('a', 'b', 'src'))).toBe('src is a folder, not a file.');
    await files.known('a.bin', 'a\0b');
    expect(refusalOf(await edit('a', 'b', 'a.bin'))).toContain('binary');
    await files.known('big.txt', new Uint8Array(fileLimits.editBytes + 1).fill(97));
    expect(refusalOf(await edit('a', 'b', 'big.txt'))).toContain('files above 4 MB');
    await files.known('big.txt', new Uint8Array(fileLimits.editBytes).fill(97));
    expect(refusalOf(await edit('x', 'b', 'big.txt'))).toContain('not found in big.txt');
  });
});

describe('what the model must have seen', () => {
  test('FILES-04 a file that was not read is not edited', async () => {
    files.put('a.ts', 'a');
    expect(refusalOf(await edit('a', 'b'))).toMatch(/have not read a\.ts.*read it with read_file/);
    expect(files.text('a.ts')).toBe('a');
  });

  test('FILES-04 a file that changed since it was read is not edited', async () => {
    await files.known('a.ts', 'a');
    files.put('a.ts', 'a, but of somebody else');
    expect(refusalOf(await edit('a,', 'b'))).toMatch(/has changed since you read it: read it again/);
  });

  test('FILES-04 what it wrote itself it has seen', async () => {
    expect(await edited('a b', 'a', 'x')).toBe('x b');
    expect(read(await edit('b', 'y'))).toBe('Edited a.ts.');
    expect(files.text('a.ts')).toBe('x y');
  });

  test('FILES-04 a writer who comes first is not written over', async () => {
    await files.known('a.ts', 'a');
    files.onChange = () => files.put('a.ts', 'theirs');
    expect(refusalOf(await edit('a', 'b'))).toMatch(/a\.ts changed meanwhile: read it again/);
    expect(files.text('a.ts')).toBe('theirs');
  });
});

describe('hints', () => {
  const hint = async (content: string, search: string): Promise<string> => {
    await files.known('a.ts', content);
    return refusalOf(await edit(search, 'something quite new'));
  };

  test.each([
    ['other white space: indentation', 'if (x) {\n\treturn 1;\n}\n', 'if (x) {\n  return 1;\n}', 'lines 1-3'],
    ['white space at the ends of lines', 'a();  \nb();\n', 'a();\nb();', 'lines 1-2'],
    ['quotation marks', 'say(\u201Chello\u201D);\n', 'say("hello");', 'line 1'],
    ['composed characters', 'cafe\u0301 latte\n', 'caf\u00e9 latte', 'line 1'],
    ['without the line numbers', 'x\nlet a = 1;\nlet b = 2;\n', '  2\u2192let a = 1;\n  3\u2192let b = 2;', 'lines 2-3'],
    ['other capitals', 'const Value = 1;\n', 'const value = 1;', 'line 1'],
    ['Only some of its lines', 'start();\nmiddle(1);\nend();\n', 'start();\nmiddle(2);\nend();', 'line 1 is "start();"'],
  ])('WORK-05 a text that is there but for %s', async (difference, content, search, where) => {
    const text = await hint(content, search);
    expect(text).toContain(difference);
    expect(text).toContain(where);
    expect(text).toContain(content.split('\n').find((line) => line.includes('a') || line.includes('e')) ?? '');
  });

  test('WORK-05 an edit that was made before', async () => {
    await files.known('a.ts', 'x\nsomething quite new\n');
    expect(refusalOf(await edit('something old', 'something quite new'))).toContain('there already, at line 2');
    await files.known('a.ts', 'just long en\n');
    expect(refusalOf(await edit('qqq', 'just long en'))).toContain('there already, at line 1');
    await files.known('a.ts', 'just too sh\n          }\n');
    for (const short of ['just too sh', '          }']) expect(refusalOf(await edit('qqq', short))).not.toContain('already');
  });

  test('WORK-05 a long file does not make a long hint', async () => {
    const lines = Array.from({ length: 500 }, (_, at) => `\tline ${at} ${'x'.repeat(1000)}`);
    const text = await hint(lines.join('\n'), lines.map((line) => line.trim()).join('\n'));
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('lines 1-500');
  });
});

test('FILES-08 the change is journalled under its call and turn', async () => {
  await files.known('a.ts', 'a');
  await use(editFileTool(files), { path: 'a.ts', search: 'a', replace: 'b' }, new TestCall({ id: 'call_7', turn: 3 }));
  expect(files.made).toMatchObject([{ cause: { call: 'call_7', turn: 3 } }]);
});

test('TOOL-08 the application gets hashes, counts and a diff', async () => {
  await files.known('a.ts', 'one\ntwo\nthree');
  expect((await edit('two', '2\n2.5')).value).toEqual({
    changes: [
      {
        path: 'a.ts',
        from: null,
        before: await hashOf('one\ntwo\nthree'),
        after: await hashOf('one\n2\n2.5\nthree'),
        added: 2,
        removed: 1,
        diff: '--- a.ts\n+++ a.ts\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n\\ No newline at end of file\n',
      },
    ],
  });
});

test('FILES-03 it does not promise to change nothing, so it runs alone and approval is asked', () => {
  expect(editFileTool(files).spec.hints.readOnly).not.toBe(true);
});

test('FILES-12 FILES-04 against a plain model of a text: any edits, any line ends', async () => {
  const end = fc.constantFrom('\n', '\r\n');
  const word = fc.constantFrom('a', 'b', 'ab', '', 'é', '$&', ' ', '\t');
  const text = fc.array(fc.tuple(word, end), { maxLength: 6 }).chain((lines) => word.map((last) => lines.flat().join('') + last));
  const asked = fc.array(word, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'));
  await fc.assert(
    fc.asyncProperty(text, asked, asked, async (content, search, replace) => {
      fc.pre(search !== '' && search !== replace);
      files = new MemoryWorkspace();
      await files.known('a.ts', content);
      const result = await edit(search, replace);
      const after = files.text('a.ts');
      const shown = content.replaceAll('\r\n', '\n');
      const places = [...shown].map((_, at) => at).filter((at) => shown.startsWith(search, at));
      if (places.length !== 1) {
        expect(after).toBe(content);
        expect(result.error).toBe(true);
        if (places.length > 1) expect(read(result)).toContain(`${places.length} times`);
        return;
      }
      const at = places[0] ?? 0;
      expect(after?.replaceAll('\r\n', '\n')).toBe(shown.slice(0, at) + replace + shown.slice(at + search.length));
      // What stands before the place and behind it is the same, byte for byte.
      const [lines, rest] = [shown.slice(0, at).split('\n').length - 1, shown.slice(at + search.length).split('\n').length - 1];
      const ends = (of: string): readonly string[] => of.match(/\r?\n/g) ?? [];
      expect(ends(after ?? '').slice(0, lines)).toEqual(ends(content).slice(0, lines));
      expect(ends(after ?? '').slice(ends(after ?? '').length - rest)).toEqual(ends(content).slice(ends(content).length - rest));
      if (!content.includes('\r')) expect(after).not.toContain('\r');
      if (!/(^|[^\r])\n/.test(content) && content.includes('\n')) expect(after).not.toMatch(/(^|[^\r])\n/);
    }),
    { numRuns: 2000 },
  );
});

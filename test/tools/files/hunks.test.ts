import { structuredPatch } from 'diff';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks } from '../../../src/tools/files/hunks.ts';
import { type Hunk, parsePatch } from '../../../src/tools/files/patch.ts';
import { rawText, textOfRaw } from '../../../src/tools/files/raw.ts';

function hunks(...lines: readonly string[]): readonly Hunk[] {
  const parsed = parsePatch(['*** Begin Patch', '*** Update File: a', ...lines, '*** End Patch'].join('\n'));
  if (!parsed.ok) throw new Error(parsed.message);
  const [section] = parsed.sections;
  if (section?.type !== 'update') throw new Error('No update.');
  return section.hunks;
}

function applied(content: string, ...lines: readonly string[]): string {
  const result = applyHunks(rawText(content), hunks(...lines));
  if (!result.ok) throw new Error(`hunk ${result.hunk}: ${result.message}`);
  return textOfRaw(result.raw);
}

function refused(content: string, ...lines: readonly string[]): string {
  const result = applyHunks(rawText(content), hunks(...lines));
  if (result.ok) throw new Error(`It was applied: ${textOfRaw(result.raw)}`);
  return `hunk ${result.hunk}: ${result.message}`;
}

describe('where a hunk goes', () => {
  test('FILES-05 several hunks, in the order of the file', () => {
    expect(applied('a\nb\nc\nd\ne\n', ' a', '-b', '+B', '@@', '-d', '+D', '+D2')).toBe('a\nB\nc\nD\nD2\ne\n');
  });

  test('FILES-05 a hunk that only adds goes behind its header (fault 22)', () => {
    expect(applied('f():\na\ng():\nb\n', '@@ f():', '+x')).toBe('f():\nx\na\ng():\nb\n');
    expect(refused('f():\na\n', '@@ h():', '+x')).toContain('its header line "h():" is not in the file');
  });

  test('FILES-05 a hunk that only adds goes to the end without a header, or with the end-of-file mark', () => {
    expect(applied('a\nb\n', '+x')).toBe('a\nb\nx\n');
    expect(applied('f():\na\n', '@@ f():', '+x', '*** End of File')).toBe('f():\na\nx\n');
    expect(applied('', '+x')).toBe('x\n');
  });

  test('FILES-05 headers, one below the other, tell like places apart', () => {
    const content = 'class A\n  f()\n    x\nclass B\n  f()\n    x\n  g()\n    x\n';
    expect(applied(content, '@@ class B', '-    x', '+    y')).toBe(
      'class A\n  f()\n    x\nclass B\n  f()\n    y\n  g()\n    x\n',
    );
    expect(applied(content, '@@ class B', '@@   g()', '-    x', '+    y')).toBe(
      'class A\n  f()\n    x\nclass B\n  f()\n    x\n  g()\n    y\n',
    );
  });

  test('FILES-05 a header may lack white space and the end of its line, and the hunk may say it again', () => {
    expect(applied('\tdef f(a, b):\n\t\treturn a\n', '@@ def f(', '-\t\treturn a', '+\t\treturn b')).toBe(
      '\tdef f(a, b):\n\t\treturn b\n',
    );
    expect(applied('x\ndef f():\n  a\n', '@@ def f():', ' def f():', '-  a', '+  b')).toBe('x\ndef f():\n  b\n');
  });

  test('FILES-05 FILES-07 a header that is a line of the file names no other line that begins so', () => {
    expect(refused('f\na\nx\nfoo\na\n', ' x', '-foo', '+bar', '@@ f', '-a', '+A')).toContain(
      'its header line "f" stands only before line 5',
    );
  });

  test('FILES-05 a header names the line with its indentation first, then any line that is it, then one that begins so', () => {
    const content = '  f()\n    x\nf()  \n    x\n';
    expect(applied(content, '@@ f()', '-    x', '+    y')).toBe('  f()\n    x\nf()  \n    y\n');
    expect(applied(`foo\nx\n${content}`, '@@ \tf()', '-    x', '+    y')).toBe('foo\nx\n  f()\n    y\nf()  \n    x\n');
    expect(applied('  f(a)\n    x\n  f()\n    x\n', '@@ \tf()  ', '-    x', '+    y')).toBe('  f(a)\n    x\n  f()\n    y\n');
  });

  test('FILES-05 the end-of-file mark binds a hunk to the last lines', () => {
    expect(applied('x\ny\nx\n', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n');
    expect(refused('x\ny\n', '-x', '+z', '*** End of File')).toContain('not the last of the file');
  });

  test('FILES-05 a file may be emptied', () => {
    expect(applied('a\nb\n', '-a', '-b')).toBe('');
  });
});

describe('what stays', () => {
  test('FILES-12 a byte order mark is passed over and kept (fault 21)', () => {
    expect(applied('\uFEFFone\ntwo', '-one', '+uno')).toBe('\uFEFFuno\ntwo');
  });

  test('FILES-12 line ends and a missing last line break are the file\u2019s', () => {
    expect(applied('a\r\nb\r\nc', ' a', '-b', '+B', '+B2', ' c')).toBe('a\r\nB\r\nB2\r\nc');
    expect(applied('a\r\nb', ' b', '+c', '+d')).toBe('a\r\nb\r\nc\r\nd');
    expect(applied('a\nb', '-b', '+B', '+C')).toBe('a\nB\nC');
    expect(applied('a\nb', '-b')).toBe('a');
    expect(applied('a\r\nb\nc\r\n', ' a', '-b', '+B', ' c')).toBe('a\r\nB\nc\r\n');
    expect(applied('b\r\nc\r\n', '+a', ' b')).toBe('a\r\nb\r\nc\r\n');
    expect(applied('a\r\nb\nc\n', ' b', '+x')).toBe('a\r\nb\nx\nc\n');
    expect(applied('a\r\nb\nc\r\n', '-a', '-b', ' c', '+x')).toBe('c\r\nx\r\n');
  });

  test('FILES-12 kept lines stay as the file has them, where the patch has them otherwise', () => {
    expect(applied('a \t\nsay(\u201Chi\u201D)\nb\n', ' a', ' say("hi")', '-b', '+c')).toBe('a \t\nsay(\u201Chi\u201D)\nc\n');
  });

  test('FILES-12 bytes that are no UTF-8 stay', () => {
    const raw = '\u00E9\u00FF\nold\n';
    expect(applyHunks(raw, hunks('-old', '+n\u00E9w'))).toEqual({ ok: true, raw: '\u00E9\u00FF\nn\u00C3\u00A9w\n' });
  });

  test('FILES-12 a CR that the patch adds is meant', () => {
    expect(applied('a\nb\n', '-b', '+B\r')).toBe('a\nB\r\n');
  });
});

describe('what does not fit', () => {
  test('FILES-07 lines that are not there: where it fits best, and the first difference', () => {
    expect(refused('a\nb\nc\n', ' a', '-x', '+y')).toBe(
      'hunk 1: its kept and removed lines are not in the file like this. At line 2 the file has "b", the hunk "x".',
    );
    expect(refused('a\nb\n', ' a', ' b', '-c')).toContain('At line 3 the file ends, the hunk "c".');
    expect(refused('\ta\n\tb\n', ' a', '-b', '+c')).toContain('At line 1 the file has "\\ta", the hunk "a".');
    expect(refused('a  \nb\n', ' a', '-c')).toContain('At line 2 the file has "b", the hunk "c".');
    expect(refused('a\n', '-zzz', '+y')).toContain('Its first line is "zzz": read the file again.');
    expect(refused('if x:\n    y\n', ' if x:', '-\ty', '+\tz')).toContain('At line 2 the file has "    y", the hunk "\\ty".');
  });

  test('FILES-07 the number of the hunk is that of the one that does not fit', () => {
    expect(refused('a\nb\n', '-a', '+A', '@@', '-c', '+C')).toMatch(/^hunk 2: /);
  });

  test('FILES-07 lines that stand in several places, without a header', () => {
    expect(refused('x\ny\nx\n', '-x', '+z')).toContain('stand in 2 places (lines 1, 3)');
  });

  test('FILES-07 hunks in the wrong order', () => {
    expect(refused('a\nb\n', '-b', '+B', '@@', '-a', '+A')).toContain(
      'stand only before line 3: put the hunks in the order of the file',
    );
    expect(refused('f\na\ng\nb\n', '-b', '+B', '@@ f', '-a', '+A')).toContain(
      'its header line "f" stands only before line 5: put the hunks in the order of the file.',
    );
  });

  test('FILES-07 long lines do not make a long refusal', () => {
    expect(refused(`a\n${'b'.repeat(5000)}\n`, ' a', `-${'c'.repeat(5000)}`, '+d').length).toBeLessThan(1000);
    expect(refused('a\n', `-${'\u{1F600}'.repeat(5000)}`, '+d').isWellFormed()).toBe(true);
  });

  test('FILES-05 FILES-06 a file of very many lines', () => {
    const many = 'x\n'.repeat(300_000);
    expect(applied(`${many}y\n${many}`, '-y', '+z')).toBe(`${many}z\n${many}`);
  });

  test('FILES-07 two hunks cannot change the same lines', () => {
    expect(refused('a\nb\n', '-a', '+A', '@@', '-a', '+B')).toMatch(/^hunk 2: /);
  });
});

/** The lines of hunks, as the library `diff` finds them, in the envelope. Each has a header that is a line before it, where there is one. */
function asPatch(before: string, after: string): readonly string[] {
  return structuredPatch('a', 'a', before, after, undefined, undefined, { context: 3 }).hunks.flatMap(({ lines }) => [
    '@@',
    ...lines.filter((line) => !line.startsWith('\\')),
  ]);
}

test('FILES-12 patches that diff makes of two texts lead from one to the other', () => {
  const line = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('', 'a', '@@ b', '+c', '-', '*** End Patch', '\u00E9', '  ') },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 999 }).map(String) },
  );
  const end = fc.constantFrom('\n', '\r\n');
  let played = 0;
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.array(fc.tuple(fc.nat(40), fc.nat(3), fc.array(line, { maxLength: 3 })), { maxLength: 5 }),
      end,
      fc.boolean(),
      (lines, edits, eol, closed) => {
        const now = [...lines];
        for (const [at, removed, added] of edits) now.splice(at % (now.length + 1), removed, ...added);
        const text = (of: readonly string[], eol: string): string => of.join(eol) + (closed && of.length > 0 ? eol : '');
        // An open file has no empty last line, an empty text has no lines, and one line without an end does not tell how lines end.
        fc.pre(now.length > 0 && (closed || (now.at(-1) !== '' && lines.at(-1) !== '' && lines.length > 1)));
        const wanted = asPatch(text(lines, '\n'), text(now, '\n'));
        fc.pre(wanted.length > 0);
        const result = applyHunks(rawText(text(lines, eol)), hunks(...wanted));
        // What stands in two places is refused; it is never put in the wrong one.
        if (result.ok) {
          played += 1;
          expect(textOfRaw(result.raw)).toBe(text(now, eol));
        } else expect(result.message).toMatch(/places|order/);
      },
    ),
    { numRuns: 2000 },
  );
  expect(played).toBeGreaterThan(500);
});

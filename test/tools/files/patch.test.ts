import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Parsed, parsePatch, type Section } from '../../../src/tools/files/patch.ts';

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

function sections(text: string): readonly Section[] {
  const parsed = parsePatch(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.sections;
}

function problem(text: string): string {
  const parsed = parsePatch(text);
  if (parsed.ok) throw new Error('It was read.');
  return parsed.message;
}

describe('the envelope', () => {
  test('FILES-05 it adds, deletes, updates and moves', () => {
    const text = patch(
      '*** Add File: a.txt',
      '+one',
      '+',
      '*** Delete File: old/b.txt',
      '*** Update File: c.txt',
      '*** Move to: d.txt',
      '@@ class C',
      '@@   def f():',
      ' kept',
      '-gone',
      '+new',
      '*** End of File',
    );
    expect(sections(text)).toEqual([
      { type: 'add', path: 'a.txt', lines: ['one', ''] },
      { type: 'delete', path: 'old/b.txt' },
      {
        type: 'update',
        path: 'c.txt',
        moveTo: 'd.txt',
        hunks: [
          {
            headers: ['class C', '  def f():'],
            lines: [
              { type: 'keep', text: 'kept' },
              { type: 'remove', text: 'gone' },
              { type: 'add', text: 'new' },
            ],
            atEnd: true,
          },
        ],
      },
    ]);
  });

  test('FILES-05 the first hunk needs no @@, each further one does; an empty line is a kept one', () => {
    const [section] = sections(patch('*** Update File: c', '-a', '', ' b', '@@', '+c'));
    expect(section).toMatchObject({
      hunks: [
        { headers: [], atEnd: false, lines: [{ type: 'remove' }, { type: 'keep', text: '' }, { type: 'keep', text: 'b' }] },
        { headers: [], lines: [{ type: 'add', text: 'c' }] },
      ],
    });
  });

  test('FILES-05 white space around the patch and its marks, empty lines between sections, CRLF, and numbers after @@ do no harm', () => {
    const text = patch('*** Update File: c  ', '@@ -1,2 +1,2 @@ def f():', '-a', '+b', '', '*** Add File: d', '+x', '', '');
    const plain = patch('*** Update File: c', '@@ def f():', '-a', '+b', '*** Add File: d', '+x');
    expect(sections(`\n \n${text}  \n \n`)).toEqual(sections(plain));
    expect(sections(text.replaceAll('\n', '\r\n'))).toEqual(sections(plain));
  });

  test('FILES-05 a move needs no hunk', () => {
    expect(sections(patch('*** Update File: a', '*** Move to: b'))).toEqual([
      { type: 'update', path: 'a', moveTo: 'b', hunks: [] },
    ]);
  });

  test('FILES-05 lines that look like marks are lines, behind their sign', () => {
    expect(sections(patch('*** Add File: a', '+*** End Patch', '+@@ x'))).toMatchObject([{ lines: ['*** End Patch', '@@ x'] }]);
    expect(sections(patch('*** Update File: a', '-*** Delete File: b', '+@@'))).toMatchObject([
      { hunks: [{ lines: [{ text: '*** Delete File: b' }, { text: '@@' }] }] },
    ]);
  });
});

describe('what cannot be read', () => {
  test.each([
    ['', 'line 1', 'must begin with the line "*** Begin Patch"'],
    ['a patch', 'line 1', 'must begin with'],
    ['*** Begin Patch\n*** End Patch', 'line 2', 'changes no file'],
    ['*** Begin Patch\n*** Delete File: a', 'line 3', 'must end with the line "*** End Patch", but the patch ends there'],
    [patch('*** Delete File: a', 'x'), 'line 3', 'here must stand "*** Add File: <path>"'],
    [patch('*** Rename File: a'), 'line 2', 'and not "*** Rename File: a"'],
    [patch('*** Add File:'), 'line 2', 'a path is missing'],
    [patch('*** Delete File: '), 'line 2', 'a path is missing'],
    [patch('*** Update File: a', '*** Move to:', '+x'), 'line 3', 'a path is missing'],
    [patch('*** Add File: a', '+x', 'y'), 'line 4', 'begins with +'],
    [patch('*** Update File: a'), 'line 3', 'no hunk'],
    [patch('*** Update File: a', '@@ f'), 'line 4', 'no lines'],
    [patch('*** Update File: a', ' x', ' y'), 'line 5', 'changes nothing'],
    [patch('*** Update File: a', '-x', 'y'), 'line 4', 'begins with a blank (kept), - (removed) or + (added)'],
    [patch('*** Update File: a', '-x', '*** End of File', '+y'), 'line 5', 'a further hunk begins with a line @@'],
    [`${patch('*** Delete File: a')}\n*** Delete File: b`, 'line 4', 'nothing may follow'],
  ])('FILES-05 FILES-07 %j: the refusal names %s and what is wrong', (text, line, what) => {
    expect(problem(text)).toContain(`${line}: `);
    expect(problem(text)).toContain(what);
  });
});

test('FILES-05 a patch of very many empty lines is read in time', () => {
  const empty = '\n'.repeat(300_000);
  expect(sections(`*** Begin Patch\n*** Update File: a\n-x${empty} y\n${empty}*** End Patch`)).toMatchObject([
    { hunks: [{ lines: { length: 300_001 } }] },
  ]);
});

test('FILES-05 whatever is given, the parser gives sections or a sentence', () => {
  const line = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom(
        '*** End Patch',
        '*** Add File: a',
        '*** Delete File: b',
        '*** Update File: c',
        '*** Move to: d',
        '*** End of File',
        '@@',
        '@@ f',
        '+x',
        '-x',
        ' x',
        '',
        '\r',
      ),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.boolean(), (lines, whole) => {
      const parsed: Parsed = parsePatch(whole ? patch(...lines) : lines.join('\n'));
      if (!parsed.ok) expect(parsed.message).toMatch(/^The patch cannot be read, line \d+: /);
      else {
        read += 1;
        expect(parsed.sections.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(20);
});

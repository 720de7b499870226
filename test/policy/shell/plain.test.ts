import { describe, expect, it } from 'vitest';
import { readPlain } from '../../../src/policy/shell/plain.ts';

const words = (source: string) => readPlain(source)?.map((command) => command.words) ?? null;

describe('the plain reader', () => {
  it.each<[string, readonly (readonly string[])[]]>([
    ['ls -l', [['ls', '-l']]],
    ['\n  a  b\t c \n', [['a', 'b', 'c']]],
    ['a;b && c || d | e\nf', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    ['a &&\n b;\n\n c;', [['a'], ['b'], ['c']]],
    [`x'y z'"w"v`, [['xy zwv']]],
    [`a '' ""`, [['a', '', '']]],
    [`a "it's" 'say "x"'`, [['a', "it's", 'say "x"']]],
    ['a b=c --d=e', [['a', 'b=c', '--d=e']]],
    ["'A=1' b", [['A=1', 'b']]],
  ])('POL-05 reads %j', (source, expected) => {
    expect(words(source)).toEqual(expected);
  });

  it('POL-05 tells assignments and redirects from words', () => {
    expect(readPlain("A=1 B='x y' a 2>&1 C=2 >o <'i' 2")).toEqual([
      {
        assignments: [
          { name: 'A', value: '1' },
          { name: 'B', value: 'x y' },
        ],
        words: ['a', 'C=2', '2'],
        redirects: [
          { descriptor: 2, operator: '>&', target: '1' },
          { descriptor: null, operator: '>', target: 'o' },
          { descriptor: null, operator: '<', target: 'i' },
        ],
      },
    ]);
  });

  it.each(
    [
      ['', ' ', ';', 'a;;b', '; a', 'a &&', 'a |', '| a', 'a & b', 'a |& b', '&& a', "''", '"" a'],
      [
        'a $b',
        'a "$b"',
        'a `b`',
        'a "`b`"',
        'a \\b',
        'a "\\b"',
        'a *',
        'a ?',
        'a [b]',
        'a {b,c}',
        'a ~',
        'a !b',
        'a "!b"',
        'a ^b',
        'a #b',
      ],
      ['(a)', '{ a; }', '! a', 'if a', 'time a', "'if' a", 'A+=1 b', '%1', 'A=1 %', 'A[0]=1 b', 'a=(b)'],
      ['a >', 'a > >b', 'a >&b', 'a >| b', 'a &> b', 'a <> b', 'a << b', 'a <<< b', 'a <(b)', 'a >(b)', 'a 2>&-'],
      ["a 'b", 'a "b', 'a\u0000', 'a\r', "a '\u0007'", 'a\u00a0b', 'ä', 'a\u2028b'],
    ].flat(),
  )('POL-05 does not read %j', (source) => {
    expect(readPlain(source)).toBeNull();
  });
});

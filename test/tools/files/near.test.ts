import { describe, expect, test } from 'vitest';
import { nearest } from '../../../src/tools/files/near.ts';

describe('where a text almost stands', () => {
  test('WORK-05 it may begin and end inside a line, and have empty lines in it', () => {
    const file = 'zero\nlet x = call(1,  2);\n\nif (x) {  return;  }\nend\n';
    expect(nearest(file, 'call(1, 2);\n\nif (x) {')).toBe(
      'It is at lines 2-4 with other white space: indentation, tabs or blanks. There the file has:\nlet x = call(1,  2);\n\nif (x) {  return;  }',
    );
    expect(nearest(file, 'x) {  return; }')).toContain('It is at line 4 with other white space');
  });

  test('WORK-05 the lines between its first and its last are whole', () => {
    const file = 'a(1)\nxx bb yy\nc(3)\n';
    expect(nearest(file, 'a(1) \nbb\nc(3)')).toBe(
      'Only some of its lines are there: line 1 is "a(1)". There the file has:\na(1)\nxx bb yy\nc(3)',
    );
    expect(nearest('a(1)\n\nc(3)\n', 'a(1) \nbb\nc(3)')).toContain('Only some of its lines');
    expect(nearest('a(1)\nbb\nc(3)\n', 'a(1)\t\n\nc(3)')).toContain('Only some of its lines');
  });

  test('WORK-05 its first line does not begin, and its last does not end, in the middle of nothing', () => {
    expect(nearest('start here\nnext\n', 'start\nnext\t')).toContain('Only some');
    expect(nearest('here\nand next\n', 'here\t\nnext')).toContain('Only some');
  });

  test('WORK-05 blank lines around it do not count, and blanks alone are said to be that', () => {
    expect(nearest('a\n  b();\nc\n', '\n\nb();  \n \n')).toBe(
      'It is at line 2 with other white space at the ends of lines. There the file has:\n  b();',
    );
    expect(nearest('abc\n', ' \n\t\n')).toContain('nothing but white space');
  });

  test('WORK-05 of lines that are there the longest is named, and one of three characters says nothing', () => {
    expect(nearest('x\nfour\nlonger line\n', 'longer line\nnot there\nfour')).toContain('line 3 is "longer line"');
    expect(nearest('four\n', 'no\nfour\nno')).toContain('line 1 is "four"');
    expect(nearest('end\n', 'no\nend\nno')).toBeNull();
  });

  test('WORK-05 twenty lines are shown, and a mark for more', () => {
    const lines = (count: number, indent: string) => Array.from({ length: count }, (_, at) => `${indent}line ${at}`).join('\n');
    expect(nearest(lines(20, '\t'), lines(20, ' '))).not.toContain('…');
    const more = nearest(lines(21, '\t'), lines(21, ' '))?.split('\n') ?? [];
    expect(more.slice(-2)).toEqual(['\tline 19', '…']);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ansiSpans, tailOf } from '../../src/ui/lib/ansi.ts';

const esc = '\u001b';
const textOf = (output: string): string =>
  ansiSpans(output)
    .map((span) => span.text)
    .join('');
const looks = /^(?:ansi-(?:[0-7]|bold|dim|italic|underline) ?)*$/;

describe('a program’s output', () => {
  it('has colours and weights as names of classes, until they are taken back', () => {
    expect(ansiSpans(`a${esc}[31mred ${esc}[1mbold${esc}[22m${esc}[39m, ${esc}[95;4mb${esc}[0mc`)).toEqual([
      { text: 'a', classes: '' },
      { text: 'red ', classes: 'ansi-1' },
      { text: 'bold', classes: 'ansi-1 ansi-bold' },
      { text: ', ', classes: '' },
      { text: 'b', classes: 'ansi-5 ansi-underline' },
      { text: 'c', classes: '' },
    ]);
  });

  it('reads colours by number, and takes none of its further numbers for another code', () => {
    expect(ansiSpans(`${esc}[38;5;2mx`)).toEqual([{ text: 'x', classes: 'ansi-2' }]);
    expect(ansiSpans(`${esc}[38;5;200;1mx`)).toEqual([{ text: 'x', classes: 'ansi-bold' }]);
    expect(ansiSpans(`${esc}[38;2;31;32;33;3mx`)).toEqual([{ text: 'x', classes: 'ansi-italic' }]);
    expect(ansiSpans(`${esc}[48;5;1mx`)).toEqual([{ text: 'x', classes: '' }]);
    expect(ansiSpans(`${esc}[32m${esc}[mx`)).toEqual([{ text: 'x', classes: '' }]);
    expect(ansiSpans(`${esc}[2mx`)).toEqual([{ text: 'x', classes: 'ansi-dim' }]);
    expect(ansiSpans(`${esc}[3m${esc}[4mx${esc}[23my${esc}[24mz`).map((span) => span.classes)).toEqual([
      'ansi-italic ansi-underline',
      'ansi-underline',
      '',
    ]);
  });

  it('leaves out cursor moves, titles and links, and holds back what has only begun', () => {
    expect(textOf(`a${esc}[2J${esc}[10;20Hb${esc}]0;title\u0007c${esc}]8;;http://x${esc}\\d${esc}(Be`)).toBe('abcde');
    for (const begun of [esc, `${esc}[`, `${esc}[3`, `${esc}]0;tit`, `${esc}(`, `${esc}]0;x${esc}`])
      expect(textOf(`a${begun}`)).toBe('a');
  });

  it('is not swallowed by a title without an end', () => {
    expect(textOf(`${esc}]0;${'x'.repeat(5000)}`)).toContain('x'.repeat(4000));
    expect(textOf(`${esc}]0;half${esc}[1mrest`)).toBe('rest');
  });

  it('begins a line anew after a lone carriage return, and not after one before a line feed', () => {
    expect(textOf('10%\r20%\r30%\ndone\r\n')).toBe('30%\ndone\n');
    expect(textOf('50%\r')).toBe('50%');
    expect(textOf('kept\n1\r2')).toBe('kept\n2');
  });

  it('shows control characters as pictures, and takes a backspace for what it is', () => {
    expect(textOf('a\u0000b\u007fc\u009bd\u0007')).toBe('a␀b␡c\ufffdd');
    expect(textOf('ab\b\bc')).toBe('c');
    expect(textOf('😀\bx')).toBe('x');
    expect(textOf('\n\bx')).toBe('\nx');
  });

  it('is the very text where there is nothing to read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const plain = text.replaceAll(/[\p{Cc}]/gu, '');
        expect(textOf(plain)).toBe(plain);
      }),
    );
  });

  it('never holds a control character, a class of its own, or more than came, whatever comes', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        esc,
        '[',
        ']',
        'P',
        '\u0007',
        '\\',
        ';',
        '3',
        '1',
        'm',
        '\r',
        '\n',
        '\b',
        '\t',
        'x',
        '<b>',
        '😀',
        '\u009b',
        `${esc}[`,
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const output = pieces.join('');
        const spans = ansiSpans(output);
        for (const span of spans) {
          expect(span.classes).toMatch(looks);
          expect(span.text).not.toBe('');
          expect(/(?![\n\t])\p{Cc}/u.test(span.text)).toBe(false);
        }
        expect(textOf(output).length).toBeLessThanOrEqual(output.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('loses nothing of plain pieces between sequences', () => {
    const sequence = fc.constantFrom(`${esc}[1m`, `${esc}[38;5;9m`, `${esc}[0K`, `${esc}]2;t\u0007`, `${esc}M`, `${esc}[?25l`);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z<&\n]*$/), sequence)), (pairs) => {
        expect(textOf(pairs.flat().join(''))).toBe(pairs.map(([text]) => text).join(''));
      }),
    );
  });
});

describe('the end of an output', () => {
  it('begins with a whole line, where there is one', () => {
    expect(tailOf('one\ntwo\nthree', 9)).toBe('three');
    expect(tailOf('one', 10)).toBe('one');
    expect(tailOf('abcdefghij', 4)).toBe('ghij');
    expect(tailOf('abcdefghi\n', 4)).toBe('ghi\n');
  });
});

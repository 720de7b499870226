import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MiddleCut, textOfKept } from '../../../src/tools/index.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function cut(limit: number, ...pieces: readonly Uint8Array[]): MiddleCut {
  const middle = new MiddleCut(limit);
  for (const piece of pieces) middle.add(piece);
  return middle;
}

function shown(limit: number, text: string | Uint8Array): string {
  return textOfKept(cut(limit, typeof text === 'string' ? bytes(text) : text).kept());
}

/** Few different bytes, so that line ends and characters that are halved come up. */
const output = fc.uint8Array({ maxLength: 200 }).map((list) => list.map((byte) => [0x61, 0x0a, 0xc3, 0xa4][byte % 4] ?? 0));
const limit = fc.integer({ min: 0, max: 60 });

test('SHELL-07 an output of at most so many bytes is kept whole, one byte more loses its middle', () => {
  expect(shown(10, '0123456789')).toBe('0123456789');
  expect(shown(10, '0123456789a')).toBe('01234[1 bytes cut]6789a');
});

test('SHELL-08 the marker stands on a line of its own between whole lines', () => {
  expect(shown(20, 'one\ntwo\nthree\nfour\nfive\nsix\n')).toBe('one\ntwo\n[10 bytes cut]\nfive\nsix\n');
});

test('SHELL-08 a side without a line end is cut inline, the other one at its own', () => {
  expect(shown(10, `${'x'.repeat(20)}\na\nb`)).toBe('xxxxx[15 bytes cut]\na\nb');
  expect(shown(10, `a\n${'x'.repeat(20)}`)).toBe('a\n[15 bytes cut]xxxxx');
});

test('SHELL-09 one unbroken line gets the marker inline, and no line end that was not there', () => {
  expect(shown(10, 'x'.repeat(30))).toBe('xxxxx[20 bytes cut]xxxxx');
  expect(shown(10, `${'x'.repeat(29)}\n`)).toBe('xxxxx[20 bytes cut]xxxx\n');
});

test('SHELL-08 lines that end with CR and LF stay as they are', () => {
  expect(shown(20, 'one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n')).toBe('one\r\ntwo\r\n[12 bytes cut]\nfive\r\n');
});

test('SHELL-10 bytes that are no UTF-8 and a character that the hole halves become U+FFFD', () => {
  expect(shown(100, Uint8Array.of(0x61, 0xff, 0x62, 0xc3))).toBe('a\u{fffd}b\u{fffd}');
  expect(shown(6, 'xxäyyyyäzz')).toBe('xx\u{fffd}[6 bytes cut]\u{fffd}zz');
  expect(shown(10, '\u{feff}a')).toBe('\u{feff}a');
});

test('SHELL-07 what is kept does not depend on the pieces in which the output came', () => {
  fc.assert(
    fc.property(output, limit, fc.array(fc.integer({ min: 0, max: 200 })), (all, limit, places) => {
      const borders = [0, ...places.filter((place) => place < all.length).toSorted((a, b) => a - b), all.length];
      const pieces = borders.slice(1).map((end, index) => all.slice(borders[index], end));
      expect(cut(limit, ...pieces).kept()).toEqual(cut(limit, all).kept());
    }),
  );
});

test('SHELL-07 SHELL-08 SHELL-09 what is kept is the beginning and the end, byte for byte, and each border is a line end where that side has one', () => {
  fc.assert(
    fc.property(output, limit, (all, limit) => {
      const { head, cut: hole, tail } = cut(limit, all).kept();
      expect(head.length + hole + tail.length).toBe(all.length);
      expect(head).toEqual(all.slice(0, head.length));
      expect(tail).toEqual(all.slice(all.length - tail.length));
      expect(hole === 0).toBe(all.length <= limit);
      if (hole === 0) return;
      expect(head.length + tail.length).toBeLessThanOrEqual(limit);
      const [first, last] = [all.slice(0, Math.ceil(limit / 2)), all.slice(all.length - Math.floor(limit / 2))];
      expect(head).toEqual(first.includes(10) ? first.slice(0, first.lastIndexOf(10) + 1) : first);
      expect(tail).toEqual(last.slice(0, -1).includes(10) ? last.slice(last.indexOf(10)) : last);
    }),
  );
});

test('SHELL-07 a gigabyte passes through the memory of what is kept', () => {
  const middle = new MiddleCut(30_000);
  const piece = new Uint8Array(1_048_576).fill(0x78);
  for (let n = 0; n < 1024; n += 1) middle.add(piece);
  const { head, cut: hole, tail } = middle.kept();
  expect([head.buffer.byteLength + tail.buffer.byteLength, head.length + hole + tail.length]).toEqual([30_000, 1024 * 1_048_576]);
});

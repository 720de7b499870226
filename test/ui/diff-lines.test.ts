import { createTwoFilesPatch } from 'diff';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countsOf, type DiffHunk, readDiff, replacement } from '../../src/ui/lib/diff-lines.ts';

const side = (hunks: readonly DiffHunk[], kinds: readonly string[]): string =>
  hunks
    .flatMap((hunk) => hunk.lines)
    .filter((line) => kinds.includes(line.kind))
    .map((line) => `${line.text}\n`)
    .join('');
const lines = fc.array(fc.constantFrom('a', 'b', '-c', '+d', '@@ -1 +1 @@', '--- x', ''), { maxLength: 12 });

describe('a unified diff', () => {
  it('is read into lines with their numbers on both sides', () => {
    const diff = [
      '--- a.ts',
      '+++ a.ts',
      '@@ -3,3 +3,4 @@',
      ' keep',
      '-old',
      '+new',
      '+more',
      ' end',
      '\\ No newline at end of file',
      '',
    ];
    const [hunk] = readDiff(diff.join('\n'));
    expect(hunk?.at).toBe('@@ -3,3 +3,4 @@');
    expect(hunk?.lines.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
      ['same', 3, 3, 'keep'],
      ['remove', 4, null, 'old'],
      ['add', null, 4, 'new'],
      ['add', null, 5, 'more'],
      ['same', 5, 6, 'end'],
      ['note', null, null, 'No newline at end of file'],
    ]);
    expect(countsOf(readDiff(diff.join('\n')))).toEqual({ added: 2, removed: 1 });
    expect(readDiff('')).toEqual([]);
  });

  it('gives both files back, whatever stands in them', () => {
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const [before, after] = [old, now].map((all) => all.map((line) => `${line}\n`).join(''));
        const hunks = readDiff(createTwoFilesPatch('a', 'b', before ?? '', after ?? '', undefined, undefined, { context: 100 }));
        if (before === after) return;
        expect(side(hunks, ['same', 'remove'])).toBe(before);
        expect(side(hunks, ['same', 'add'])).toBe(after);
      }),
    );
  });

  it('marks what differs between a removed line and the one in its place', () => {
    const [hunk] = readDiff('@@ -1,2 +1,2 @@\n-const limit = 10;\n-x\n+const limit = 250;\n+completely other\n');
    expect(hunk?.lines.map((line) => line.marked && line.text.slice(...line.marked))).toEqual(['1', null, '25', null]);
  });

  it('marks no half of a character', () => {
    const [hunk] = readDiff('@@ -1 +1 @@\n-value = 😀 here\n+value = 😁 here\n');
    expect(hunk?.lines.map((line) => line.marked && line.text.slice(...line.marked))).toEqual(['😀', '😁']);
  });
});

describe('a replacement', () => {
  it('keeps what both begin and end with', () => {
    const { lines } = replacement('a\nold\nz\n', 'a\nnew\nmore\nz\n');
    expect(lines.map(({ kind, text }) => [kind, text])).toEqual([
      ['same', 'a'],
      ['remove', 'old'],
      ['add', 'new'],
      ['add', 'more'],
      ['same', 'z'],
    ]);
  });

  it('is both texts, whatever they are', () => {
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const hunk = replacement(old.join('\n'), now.join('\n'));
        const join = (all: readonly string[]): string => (all.join('\n') === '' ? '' : `${all.join('\n').replace(/\n$/, '')}\n`);
        expect(side([hunk], ['same', 'remove'])).toBe(join(old));
        expect(side([hunk], ['same', 'add'])).toBe(join(now));
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathLimits, resolvePath } from '../../../src/tools/index.ts';

/** What a path resolves to; the refusal's message in brackets. */
function resolved(path: string): string {
  const outcome = resolvePath(path);
  return outcome.ok ? outcome.value : `(${outcome.problem.code}: ${outcome.problem.message})`;
}

const e = { composed: '\u00e9', decomposed: 'e\u0301' } as const;

describe('resolvePath', () => {
  it.each([
    ['', ''],
    ['.', ''],
    ['./', ''],
    ['a', 'a'],
    ['a/', 'a'],
    ['a//b', 'a/b'],
    ['./a/./b/.', 'a/b'],
    ['a/../b', 'b'],
    ['a/b/../../c', 'c'],
    ['a/..', ''],
    ['...', '...'],
    ['..a/b..', '..a/b..'],
    ['A/a', 'A/a'],
    [' a / b ', ' a / b '],
    ['a:b', 'a:b'],
    ['ab:/c', 'ab:/c'],
    ['.git/config', '.git/config'],
    [`caf${e.decomposed}`, `caf${e.composed}`],
    ['日本/語.txt', '日本/語.txt'],
    ['\u{1f600}', '\u{1f600}'],
  ])('WORK-02 %j is %j', (given, path) => {
    expect(resolved(given)).toBe(path);
  });

  it.each([
    ['..', 'leads out'],
    ['../a', 'leads out'],
    ['a/../../b', 'leads out'],
    ['a/../..', 'leads out'],
    ['./../x', 'leads out'],
    ['/', 'absolute'],
    ['/etc/passwd', 'absolute'],
    ['//a', 'absolute'],
    ['C:/a', 'absolute'],
    ['c:', 'absolute'],
    ['./a/../c:/d', 'absolute'],
    ['a\\b', '"\\"'],
    ['..\\a', '"\\"'],
    ['a\0b', 'control character'],
    ['a\nb', 'control character'],
    ['\u007f', 'control character'],
    ['a\u0085', 'control character'],
    ['a\ud800', 'half of a character'],
    ['\udc00/b', 'half of a character'],
  ])('FILES-02 WORK-02 %j is refused: it %s', (given, why) => {
    expect(resolved(given)).toMatch(/^\(path_refused: /);
    expect(resolved(given)).toContain(why);
  });

  it('FILES-02 lengths are counted in bytes: of a name, of all of it, and names by number', () => {
    const name = 'é'.repeat(Math.floor(pathLimits.name / 2));
    expect(resolved(name)).toBe(name);
    expect(resolved(`${name}é`)).toContain(`more than ${pathLimits.name} bytes`);
    const long = Array.from({ length: 16 }, () => 'x'.repeat(63)).join('/');
    expect(long.length).toBe(pathLimits.path - 1);
    expect(resolved(`${long}y`)).toBe(`${long}y`);
    expect(resolved(`${long}yy`)).toContain(`more than ${pathLimits.path} bytes`);
    const deep = Array.from({ length: pathLimits.depth }, () => 'd').join('/');
    expect(resolved(deep)).toBe(deep);
    expect(resolved(`${deep}/d`)).toContain(`deeper than ${pathLimits.depth}`);
  });

  it('FILES-02 a refusal names the path, cut and without what a terminal would obey', () => {
    const outcome = resolvePath(`/\u001b[2J${'x'.repeat(500)}\ud800`);
    if (outcome.ok) throw new Error('it was taken');
    expect(outcome.problem.path).toHaveLength(200);
    expect(outcome.problem.message).not.toMatch(/[\p{Cc}\p{Cs}]/u);
  });

  const piece = fc.oneof(
    fc.constantFrom(
      '..',
      '.',
      '',
      '...',
      '/',
      '\\',
      '\0',
      'C:',
      'e\u0301',
      '\u00e9',
      '\u212b',
      '\ufb01',
      '\u0338',
      '.\u0338',
      '%2e%2e',
      '\ud800',
      '~',
    ),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const wild = fc.array(piece, { maxLength: 12 }).chain((pieces) => fc.constantFrom(pieces.join('/'), pieces.join('')));

  it('FILES-02 whatever is given, what comes out is inside, in one form, and comes out again as it is', () => {
    fc.assert(
      fc.property(wild, (given) => {
        const outcome = resolvePath(given);
        if (!outcome.ok) return;
        const path = outcome.value;
        const names = path === '' ? [] : path.split('/');
        expect(names.every((name) => name !== '' && name !== '.' && name !== '..')).toBe(true);
        expect(path).not.toMatch(/\\|\p{Cc}|^\//u);
        expect(path.isWellFormed()).toBe(true);
        expect(path.normalize('NFC')).toBe(path);
        expect(resolvePath(path)).toEqual(outcome);
        // As seen from any folder it stays below that folder.
        expect(new URL(names.map(encodeURIComponent).join('/'), 'file:///root/of/all/').pathname).toMatch(/^\/root\/of\/all\//);
      }),
      { numRuns: 2000 },
    );
  });

  it('FILES-02 two spellings that differ by normalization alone are one path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (text) => {
        expect(resolvePath(text.normalize('NFD'))).toEqual(resolvePath(text.normalize('NFC')));
      }),
    );
  });
});

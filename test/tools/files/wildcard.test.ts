import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { globMatcher } from '../../../src/tools/files/glob-pattern.ts';
import { fileLimits } from '../../../src/tools/index.ts';

function matches(glob: string, path: string): boolean {
  const matcher = globMatcher(glob);
  if (matcher === null) throw new Error(`${glob} has no meaning.`);
  return matcher(path.split('/'));
}

describe('a glob', () => {
  test.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/a/**/b', 'x/a/y/z/b', true],
    ['**/a/**/b', 'x/a/b', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['*.ts', 'src/deep/a.ts', true],
    ['a.ts', 'src/a.ts', true],
    ['./src/*', 'src/a', true],
    ['/src/*', 'src/a', true],
    ['./*', 'a/a', false],
    ['src/', 'src', true],
    ['*', '.env', true],
    ['**/*.yml', '.github/workflows/ci.yml', true],
    ['?.ts', 'é.ts', true],
    ['?.ts', '😀.ts', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]x]', ']', true],
    ['[\\]a]', ']', true],
    ['[\\]a]', '\\', false],
    ['[a\\-c]', '-', true],
    ['[a\\-c]', 'b', false],
    ['[a-]', '-', true],
    ['[[:digit:]][[:upper:]]', '7Q', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['*.{ts,tsx}', 'src/a.tsx', true],
    ['{src,test}/**/*.{ts,js}', 'test/x/a.js', true],
    ['{a,b{c,d}}', 'bd', true],
    ['{a}', '{a}', true],
    ['{a}{b,c}', '{a}c', true],
    ['{a,b', '{a,b', true],
    ['a\\{b,c}', 'a{b,c}', true],
    ['{,x}a', 'a', true],
    ['A.ts', 'a.ts', false],
  ])('FILES-01 %s and %s: %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  test('FILES-11 without a meaning, or with too many alternatives, is none', () => {
    for (const glob of ['[a', 'a\\', '[[:nope:]]', '{a,b}'.repeat(10)]) expect(globMatcher(glob), glob).toBeNull();
    const ten = '{0,1,2,3,4,5,6,7,8,9}';
    for (const glob of ['{a,b}'.repeat(6), ten + ten]) expect(globMatcher(glob), glob).not.toBeNull();
    expect(globMatcher(`${ten}${ten}{,x}`)).toBeNull();
    expect(fileLimits.alternatives).toBe(100);
  });

  test('FILES-11 that would keep a backtracking matcher busy for years ends', () => {
    expect(matches(`${'*a'.repeat(100)}b`, 'a'.repeat(255))).toBe(false);
    expect(matches(`${'**/a/'.repeat(30)}b`, Array.from({ length: 64 }, () => 'a').join('/'))).toBe(false);
  });
});

test('FILES-01 globs mean what they mean to picomatch', () => {
  const name = fc.stringMatching(/^[ab.]{1,4}$/).filter((text) => !/^\.+$/.test(text));
  const part = fc.oneof(
    fc.constant('**'),
    fc
      .array(fc.constantFrom('*', '?', 'a', 'b', '.', '[ab]', '[!a]', '{a,b}', '{a*,.b}'), { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 2, maxLength: 4 }),
      fc.array(name, { minLength: 1, maxLength: 4 }),
      (parts, names) => {
        // Stars that stand side by side mean different things, and so does a pattern for a folder itself.
        fc.pre(!parts.some((text) => text !== '**' && text.includes('**')) && parts.at(-1) !== '**');
        const glob = parts.join('/');
        fc.pre(globMatcher(glob) !== null);
        const theirs = picomatch(glob, { dot: true, posix: true, noextglob: true, strictSlashes: true })(names.join('/'));
        expect(matches(glob, names.join('/')), `${glob} ${names.join('/')}`).toBe(theirs);
      },
    ),
    { numRuns: 5000 },
  );
});

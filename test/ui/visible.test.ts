import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleParts } from '../../src/ui/lib/visible.ts';

const shown = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.hidden ? `[${part.text}]` : part.text))
    .join('');

describe('a text that is to be approved', () => {
  it('hides nothing: what has no shape, turns the writing or moves the cursor has a name', () => {
    expect(shown('ls\r-la')).toBe('ls[␍]-la');
    expect(shown('a\u202eb\u2066c')).toBe('a[U+202E]b[U+2066]c');
    expect(shown('a\u200bb\u00a0c\ufeffd\u{e0041}e\u3164f\u00adg')).toBe(
      'a[U+200B]b[U+00A0]c[U+FEFF]d[U+E0041]e[U+3164]f[U+00AD]g',
    );
    expect(shown('a\u001b[31mb\u0000\u2028')).toBe('a[␛][31mb[␀][U+2028]');
  });

  it('keeps its lines, tabs, letters and signs as they are', () => {
    const text = 'cd x && \\\n\tmake "größer"; echo 日本 😀';
    expect(visibleParts(text)).toEqual([{ text, hidden: false }]);
    expect(visibleParts('')).toEqual([]);
  });

  it('is cut into pieces that give it back, names aside', () => {
    const hides = (char: string): boolean => visibleParts(char).some((part) => part.hidden);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parts = visibleParts(text);
        const plain = parts.map((part) => (part.hidden ? '' : part.text)).join('');
        expect(plain).toBe([...text].filter((char) => !hides(char)).join(''));
        expect(parts.filter((part) => part.hidden)).toHaveLength([...text].filter(hides).length);
      }),
    );
  });
});

import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPlain } from '../../../src/policy/shell/plain.ts';

/** Bash says of each command that it is told to run what its words are, in one write, and runs none. */
const witness = `command_not_found_handle() { local told; printf -v told '%s\\037' "$@"; printf '%s\\036' "$told" >&9; }\n`;

/** The commands that bash makes of a source, in any order; null when it finds it wrong. */
function byBash(source: string): readonly string[] | null {
  const script = `exec 9>&1 >/dev/null 2>/dev/null\n${witness}${source}\n`;
  try {
    const told = execFileSync('/bin/bash', ['--norc', '--noprofile', '-c', script], {
      env: { PATH: '/nonexistent' },
      encoding: 'utf8',
    });
    return told.split('\u001e').filter((command) => command !== '');
  } catch {
    return null;
  }
}

it('POL-05 the plain reader finds the words that bash itself finds', () => {
  const token = fc.constantFrom(
    ...[
      [' ', ' ', '\t', '\n', ';', ' | ', ' && ', "'", '"', '=', '-', '%', '+', ',', 'k:', '@', 'k.'],
      [
        'k',
        'zz',
        "'x y'",
        '"x y"',
        "'a;b'",
        '"a|b"',
        'A=1 ',
        '2',
        ' 2>&1 ',
        "''",
        '$',
        '\\',
        '*',
        '#',
        '(',
        '&',
        '~',
        '{k,l}',
        '`',
      ],
    ].flat(),
  );
  // A name that is no program, no builtin and no word of the language begins each command.
  const source = fc
    .array(token, { minLength: 1, maxLength: 9 })
    .map((tokens) => `qq${tokens.join('').replaceAll(/([;|\n]|&&)\s*/g, '$1 qq')}`);
  let read = 0;
  fc.assert(
    fc.property(source, (text) => {
      const plain = readPlain(text);
      if (plain === null) return;
      read += 1;
      const expected = plain.filter(({ words }) => words.length > 0).map(({ words }) => `${words.join('\u001f')}\u001f`);
      expect(byBash(text)?.toSorted(), text).toEqual(expected.toSorted());
    }),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(50);
});

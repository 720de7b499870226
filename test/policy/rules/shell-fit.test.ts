import { describe, expect, it } from 'vitest';
import type { Effect, ShellRule } from '../../../src/policy/index.ts';
import { fitsPart } from '../../../src/policy/rules/shell-fit.ts';
import type { Part, Word } from '../../../src/policy/shell/index.ts';

const command = (words: readonly Word[]): Part => ({ type: 'command', text: '', words, harmless: false });
const split = (text: string): readonly Word[] => text.split(' ').map((word) => (word === '$' ? null : word));

/** How far a command, in which `$` is a word that is not known, is what a rule means that denies, and one that allows. */
const fits = (rule: ShellRule, text: string) =>
  (['deny', 'allow'] as const).map((effect) => fitsPart(rule, command(split(text)), effect, '/workspace')).join(' ');

const push = { run: 'git push' };
const forced = { run: 'git push', with: ['-f'] };
const build = { run: 'make', only: ['all', 'out/*'] };

describe('a rule about what is run', () => {
  it.each<[ShellRule, string, string]>([
    [push, 'git push', 'yes yes'],
    [push, 'git push origin', 'yes yes'],
    [push, 'git pull', 'no no'],
    [push, 'git', 'no no'],
    [push, 'git commit -m push', 'no no'],
    [push, '/usr/bin/git push', 'yes no'],
    [push, 'git -C x push', 'yes no'],
    [push, 'git -C push status', 'maybe no'],
    [push, 'git --odd value push', 'maybe no'],
    [push, 'git --odd value pull', 'no no'],
    [push, 'git -c alias.p=push p', 'maybe no'],
    [push, 'git -c user.name=push p', 'no no'],
    [push, 'git --exec-path=x p', 'maybe no'],
    [push, 'git-push origin', 'yes no'],
    [{ run: 'git-push' }, 'git-push', 'yes yes'],
    [push, 'git $ x', 'maybe no'],
    [push, 'git push $', 'yes no'],
    [push, '$ push', 'maybe no'],
    [forced, 'git push -f', 'yes yes'],
    [forced, 'git push', 'no no'],
    [forced, 'git push $', 'maybe no'],
    [forced, 'git --odd value push', 'no no'],
    [forced, 'git --odd value push -f', 'maybe no'],
    [build, 'make', 'yes yes'],
    [build, 'make all all', 'yes yes'],
    [build, 'make all install', 'no no'],
    [build, 'make out/a', 'yes yes'],
    [build, 'make x/../out/a', 'yes no'],
    [build, 'make out/../a', 'yes no'],
    [build, 'make $', 'maybe no'],
    [{ run: 'm?ke *' }, 'make a', 'yes yes'],
    [{ run: '*', with: ['secrets/*'] }, 'cat ./secrets/key', 'yes no'],
    [{ run: '*', with: ['secrets/*'] }, 'cat a/../secrets/key', 'yes no'],
    [{ sets: ['make'] }, 'make', 'no no'],
    [{ writes: ['**'] }, 'make', 'no no'],
  ])('POL-05 %j, deny and allow: %s is %s', (rule, text, expected) => {
    expect(fits(rule, text)).toBe(expected);
  });
});

interface File {
  readonly path: Word;
  readonly access?: 'reads' | 'writes';
  readonly moved?: boolean;
  readonly root?: string | null;
}

function fitsFile(glob: string, { path, access = 'writes', moved = false, root = '/workspace' }: File): string {
  const part: Part = { type: 'file', text: '', access, path, moved, harmless: false };
  return (['deny', 'allow'] satisfies Effect[]).map((effect) => fitsPart({ writes: [glob] }, part, effect, root)).join(' ');
}

describe('a rule about what is written', () => {
  it.each<[string, File, string]>([
    ['src/**', { path: 'src/a' }, 'yes yes'],
    ['src/**', { path: './x/../src/a' }, 'yes yes'],
    ['src/**', { path: '/workspace/src/a' }, 'yes yes'],
    ['src/**', { path: '../workspace/src/a' }, 'yes yes'],
    ['/workspace/src/**', { path: 'src/a' }, 'yes yes'],
    ['**', { path: '/workspace' }, 'yes yes'],
    ['src/**', { path: 'src/../a' }, 'no no'],
    ['src/**', { path: '/srv/src/a' }, 'no no'],
    ['/etc/**', { path: 'etc/a' }, 'no no'],
    ['/etc/**', { path: '../etc/a' }, 'yes yes'],
    ['**', { path: '../a' }, 'no no'],
    ['src/**', { path: null }, 'maybe no'],
    ['src/**', { path: 'src/a', moved: true }, 'yes no'],
    ['src/**', { path: 'a', moved: true }, 'maybe no'],
    ['/etc/**', { path: '/etc/a', moved: true }, 'yes yes'],
    ['/etc/**', { path: '/srv/a', moved: true }, 'no no'],
    ['src/**', { path: 'src/a', root: null }, 'yes yes'],
    ['src/**', { path: 'a', root: null }, 'no no'],
    ['src/**', { path: '/srv/src/a', root: null }, 'maybe no'],
    ['/etc/**', { path: 'a', root: null }, 'maybe no'],
    ['src/**', { path: '../src/a', root: null }, 'maybe no'],
    ['src/**', { path: '/dev/null', root: null }, 'no no'],
    ['/dev/*', { path: '/dev/null' }, 'yes yes'],
    ['caf\u00e9/*', { path: 'cafe\u0301/a' }, 'yes yes'],
    ['src/**', { path: 'src/a', access: 'reads' }, 'no no'],
  ])('POL-05 FILES-02 %s, deny and allow: %j is %s', (glob, file, expected) => {
    expect(fitsFile(glob, file)).toBe(expected);
  });
});

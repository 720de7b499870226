import { describe, expect, it } from 'vitest';
import { isChildScope, isScope, isWithin } from '../../src/session/scope.ts';

describe('isScope', () => {
  it.each(['a', 'default', '9-lives', 'A._~-z', 'x'.repeat(128), 'work::sub::reviewer', 'work::sub::a::sub::b'])(
    'takes %s',
    (scope) => {
      expect(isScope(scope)).toBe(true);
    },
  );

  it.each([
    '',
    '.hidden',
    '-x',
    'a b',
    'a/b',
    'a:b',
    'é',
    'x'.repeat(129),
    'a::sub::',
    '::sub::a',
    'a::sub::b/c',
    `a${'::sub::b'.repeat(100)}`,
  ])('refuses %s', (scope) => {
    expect(isScope(scope)).toBe(false);
  });

  it('knows a nested session, and what it is nested in', () => {
    expect([isChildScope('work'), isChildScope('work::sub::a')]).toEqual([false, true]);
    expect([
      isWithin('work', 'work'),
      isWithin('work::sub::a', 'work'),
      isWithin('workshop', 'work'),
      isWithin('work', 'work::sub::a'),
    ]).toEqual([true, true, false, false]);
  });
});

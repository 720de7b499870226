import { expect, test } from 'vitest';
import { parseOptions } from '../../bridges/chat/options.ts';

test('SESS-03 a message alone is said in the default session of the local server', () => {
  expect(parseOptions(['What', 'time', 'is', 'it?'], {})).toEqual({
    message: 'What time is it?',
    url: new URL('http://127.0.0.1:8787'),
    scope: 'default',
    token: null,
    json: false,
  });
});

test('every option is taken, and a token argument before the variable', () => {
  const args = ['--url', 'https://host:1/', '--session', 'work', '--token', 'a', '--json', 'hi'];
  expect(parseOptions(args, { HARNESS_TOKEN: 'b' })).toMatchObject({
    url: new URL('https://host:1/'),
    scope: 'work',
    token: 'a',
    json: true,
  });
  expect(parseOptions(['hi'], { HARNESS_TOKEN: 'b' })).toMatchObject({ token: 'b' });
});

test.each([
  ['no message', []],
  ['an unknown option', ['--colour', 'hi']],
  ['an address that is none', ['--url', 'localhost', 'hi']],
  ['a scope that no session can have', ['--session', '../x', 'hi']],
])('%s is answered with a sentence', (_, args) => {
  expect(parseOptions(args, {})).toEqual(expect.any(String));
});

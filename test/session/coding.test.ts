import { beforeEach, expect, test } from 'vitest';
import type { FileAnswers, FileRequests } from '../../src/session/file-api.ts';
import type { EndedRun, Outcome } from '../../src/session/protocol/index.ts';
import { call, fakeChat, isEvent, TestSession, text } from './support.ts';

const chat = fakeChat();
let session: TestSession;

const greeter = 'greet() {\n  echo "Hello, $1!"\n}\n';
const tests = `. ./src/greeter.sh
check() {
  if [ "$1" = "$2" ]; then echo "ok $1"; else echo "not ok $1"; exit 1; fi
}
check "$(greet Ana)" 'Hello, Ana!'
`;

beforeEach(async () => {
  session = new TestSession();
  await session.accept('patch', { mode: 'code' });
});

function ask<T extends keyof FileRequests>(type: T, request: FileRequests[T]): Promise<Outcome<FileAnswers[T]>> {
  return session.stub.files<T>(type, request);
}

/** Puts a file into the session, as a person does. */
async function put(path: string, content: string): Promise<void> {
  const body = new Blob([content]).stream();
  const conditions = { match: null, noneMatch: null };
  const outcome = await ask('write', { path, body, executable: null, conditions, actor: session.actor });
  if (!outcome.ok) throw new Error(outcome.problem.detail);
}

async function fileText(path: string): Promise<string | null> {
  const outcome = await ask('open', { path, range: null });
  return outcome.ok ? new Response(outcome.value.stream).text() : null;
}

/** Answers whatever waits with yes, and plays the turn that the answers begin. */
function approve({ pending }: EndedRun): Promise<EndedRun> {
  const answers = Object.fromEntries(pending.map((item) => [item.call.id, { approval: { allowed: true } }]));
  return session.play('answers', { answers });
}

/** What the tools answered, as the model read it in its newest request. */
function results(count: number): readonly string[] {
  const messages = chat.requests.at(-1)?.body.messages ?? [];
  return messages
    .filter(({ role }) => role === 'tool')
    .slice(-count)
    .map(({ content }) => String(content));
}

test('CODE-01 CODE-04 TERM-01 a greeting in Portuguese with a test, run: read, edited, checked, each change approved', async () => {
  await put('src/greeter.sh', greeter);
  await put('tests/greeter.sh', tests);

  chat.reply(call('c1', 'list_dir', { path: '.' }));
  chat.reply(call('c2', 'read_file', { path: 'src/greeter.sh' }), call('c3', 'read_file', { path: 'tests/greeter.sh' }));
  const edits = [
    {
      path: 'src/greeter.sh',
      search: '  echo "Hello, $1!"',
      replace: '  if [ "$2" = pt ]; then echo "Olá, $1!"; else echo "Hello, $1!"; fi',
    },
    { path: 'tests/greeter.sh', search: "'Hello, Ana!'\n", replace: "'Hello, Ana!'\ncheck \"$(greet Ana pt)\" 'Olá, Ana!'\n" },
  ];
  chat.reply(...edits.map((input, at) => call(`e${at}`, 'edit_file', input)));
  const asked = await session.turn('Add a Portuguese greeting with a test, and run the tests.');
  expect(results(3)).toEqual(['src/\ntests/', greeter, tests]);
  expect(asked).toMatchObject({
    reason: 'awaiting_input',
    pending: [{ call: { name: 'edit_file' } }, { call: { name: 'edit_file' } }],
  });
  expect(await fileText('src/greeter.sh')).toBe(greeter);

  chat.reply(call('s1', 'shell', { command: 'bash tests/greeter.sh' }));
  const edited = await approve(asked);
  expect(results(2)).toEqual(['Edited src/greeter.sh.', 'Edited tests/greeter.sh.']);
  expect(edited).toMatchObject({ reason: 'awaiting_input', pending: [{ call: { name: 'shell' } }] });

  chat.reply(text('Done: `greet` takes a language, and both tests pass.'));
  const done = await approve(edited);
  expect(results(1)[0]).toMatch(/^Exit code 0\nok Hello, Ana!\nok Olá, Ana!/);
  expect(done).toMatchObject({ reason: 'done', text: expect.stringContaining('both tests pass') });
  expect(await fileText('src/greeter.sh')).toBe(greeter.replace('  echo "Hello, $1!"', () => edits[0]?.replace ?? ''));

  const ended = (await session.history()).filter(isEvent('tool_ended'));
  expect(ended).toMatchObject([
    {},
    {},
    {},
    { outcome: { value: { changes: [{ path: 'src/greeter.sh', added: 1, removed: 1 }] } } },
    {},
    {},
  ]);
  expect(await session.accept('undo', { turn: edited.turn })).toEqual({ undone: ['src/greeter.sh', 'tests/greeter.sh'] });
  expect([await fileText('src/greeter.sh'), await fileText('tests/greeter.sh')]).toEqual([greeter, tests]);
});

test('FILES-04 FILES-06 what a person wrote meanwhile is not written over: the model reads again', async () => {
  await put('a.txt', 'one\n');
  chat.reply(call('c1', 'read_file', { path: 'a.txt' }));
  chat.reply(call('c2', 'edit_file', { path: 'a.txt', search: 'one', replace: 'two' }));
  const asked = await session.turn('Go');
  await put('a.txt', 'one, but mine\n');

  chat.reply(
    call('c3', 'read_file', { path: 'a.txt' }),
    call('c4', 'apply_patch', {
      patch: '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n-one, but mine\n+two, but yours\n*** End Patch',
    }),
  );
  const again = await approve(asked);
  expect(results(1)[0]).toContain('a.txt has changed since you read it');
  expect(await fileText('a.txt')).toBe('one, but mine\n');

  chat.reply(text('Done.'));
  await approve(again);
  expect(results(1)).toEqual(['Applied the patch:\nR a.txt -> b.txt']);
  expect([await fileText('a.txt'), await fileText('b.txt')]).toEqual([null, 'two, but yours\n']);
});

test('FILES-01 FILES-08 the tools on the workspace of a session: written, searched, found, listed, left out', async () => {
  chat.reply(
    call('w1', 'write_file', { path: '.gitignore', content: 'dist/\n' }),
    call('w2', 'write_file', { path: 'src/deep/a.ts', content: 'export const needle = 1;\n' }),
    call('w3', 'write_file', { path: 'dist/a.js', content: 'const needle = 1;\n' }),
  );
  const asked = await session.turn('Go');
  chat.reply(
    call('c1', 'grep', { pattern: 'need.e' }),
    call('c2', 'glob', { pattern: '**/*.{ts,js}' }),
    call('c3', 'list_dir', {}),
    call('c4', 'grep', { pattern: 'needle', path: 'dist' }),
  );
  chat.reply(text('Done.'));
  await approve(asked);
  expect(results(4)).toEqual([
    'src/deep/a.ts\n1: export const needle = 1;\n\n[Left out by .gitignore: dist/.]',
    'src/deep/a.ts\n[Left out by .gitignore: dist/.]',
    '.gitignore  6 bytes\ndist/  (left out by .gitignore)\nsrc/',
    'dist/a.js\n1: const needle = 1;',
  ]);
});

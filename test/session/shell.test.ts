import { runInDurableObject } from 'cloudflare:test';
import { beforeEach, expect, test } from 'vitest';
import { rowOutputs } from '../../src/session/rows/outputs.ts';
import type { EndedRun } from '../../src/session/protocol/index.ts';
import { call, fakeChat, isEvent, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();
let session: TestSession;

beforeEach(async () => {
  session = new TestSession();
  await session.accept('patch', { mode: 'code' });
});

async function put(path: string, content: string): Promise<void> {
  const body = new Blob([content]).stream();
  const conditions = { match: null, noneMatch: null };
  await session.stub.files<'write'>('write', { path, body, executable: null, conditions, actor: session.actor });
}

/** The session's files: their paths, links with their size, programs with a star, empty folders with a slash. */
async function paths(): Promise<readonly string[]> {
  const rows = await session.rows<{ path: string; kind: string; executable: number }>('SELECT * FROM files ORDER BY path');
  return rows.map(
    ({ path, kind, executable }) => path + (kind === 'folder' ? '/' : kind === 'link' ? '@' : executable === 1 ? '*' : ''),
  );
}

/** What the model reads of its newest call. */
function result(): string {
  return String(chat.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool')?.content);
}

/** The model asks for a command, the person allows it. */
async function shell(command: string): Promise<EndedRun> {
  chat.reply(call('c', 'shell', { command }));
  chat.reply(text('Done.'));
  const asked = await session.turn('Go');
  const answers = Object.fromEntries(asked.pending.map((item) => [item.call.id, { approval: { allowed: true } }]));
  return session.play('answers', { answers });
}

test('WORK-01 FILES-08 what a command does to the files of a session is saved, and undo takes all of it back', async () => {
  await put('keep.txt', 'keep\n');
  await put('old/a.txt', 'a\n');
  await put('gone/deep/c.txt', 'c\n');
  await put('kind', 'file\n');
  const before = await paths();
  const ended = await shell(
    'mv old/a.txt a.txt && rm -r gone && mkdir -p empty new && echo n > new/n.txt && printf "#!/bin/bash\\necho ran\\n" > run && chmod +x run && ln -s new/n.txt link && echo more >> keep.txt && rm kind && mkdir kind && echo x > kind/x && ./run && cat link && ls',
  );
  expect(result()).toBe('Exit code 0\nran\nn\na.txt\nempty\nkeep.txt\nkind\nlink\nnew\nold\nrun\n');
  expect(await paths()).toEqual(['a.txt', 'empty/', 'keep.txt', 'kind/x', 'link@', 'new/n.txt', 'old/', 'run*']);
  const second = await shell('cat link keep.txt kind/x; ./run; rm link; rmdir empty old');
  expect(result()).toBe('Exit code 0\nn\nkeep\nmore\nx\nran\n');
  expect(await paths()).toEqual(['a.txt', 'keep.txt', 'kind/x', 'new/n.txt', 'run*']);
  await session.accept('undo', { turn: second.turn });
  await session.accept('undo', { turn: ended.turn });
  expect(await paths()).toEqual(before);
});

test('SHELL-13 CANC-12 a cancel ends a command, and what it wrote until then is kept', async () => {
  chat.reply(call('c', 'shell', { command: 'echo x > a.txt; sleep 60' }));
  const asked = await session.turn('Go');
  const answers = Object.fromEntries(asked.pending.map((item) => [item.call.id, { approval: { allowed: true } }]));
  const { run, cursor } = await session.accept<Started>('answers', { answers });
  await session.event(isEvent('tool_started'), cursor);
  await session.accept('cancel');
  expect(await session.ended(run)).toMatchObject({ reason: 'cancelled' });
  expect(await paths()).toEqual(['a.txt']);
});

test('FILES-02 a command leads no link out of the workspace, and is told so', async () => {
  await shell('ln -s /etc/passwd out; ln -s ../../up up; echo fine > in; ln -s in good');
  expect(result()).toMatch(/^Not saved: out\. [^\n]+\nNot saved: up\. [^\n]+\nExit code 0/);
  expect(await paths()).toEqual(['good@', 'in']);
});

test('SHELL-05 SHELL-06 people see the output as it comes, and the exit code is the value of the result', async () => {
  await shell('echo one; exit 3');
  const events = await session.history();
  expect(events.filter(isEvent('tool_progress'))).toMatchObject([{ value: 'one\n' }]);
  expect(events.findLast(isEvent('tool_ended'))).toMatchObject({
    outcome: { value: 3, error: true, meta: { driver: 'embedded' } },
  });
});

test('SHELL-24 what was cut out of an output can be read', async () => {
  await shell('seq 20000');
  expect(result()).toMatch(/^Exit code 0\n1\n2\n[^]+\n\[\d+ bytes cut\]\n[^]+\n20000\n$/);
  chat.reply(call('r', 'read_output', { from: 40_000 }));
  chat.reply(text('Done.'));
  await session.turn('And the middle?');
  expect(result()).toMatch(/^Characters 40000 to 59999 of 108894; go on with from: 60000\n/);
  expect(result()).toContain('\n9000\n');
});

test('SHELL-24 a session keeps its newest 20 outputs, whatever their size', async () => {
  await runInDurableObject(session.stub, async (_, { storage: { sql } }) => {
    let now = 0;
    const outputs = rowOutputs(sql, () => (now += 1));
    for (let n = 0; n < 25; n += 1) await outputs.keep(`call_${n}`, `${n}${'x'.repeat(n === 24 ? 600_000 : 0)}`);
    expect(outputs.read(0)).toBe(`24${'x'.repeat(600_000)}`);
    expect([outputs.read(1), outputs.read(19), outputs.read(20)]).toEqual(['23', '5', null]);
    expect(sql.exec("SELECT count(*) AS n FROM blobs WHERE hash LIKE 'output:%' AND n = 0").one().n).toBe(20);
  });
});

import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../src/server/objects.ts';
import { addressOf, directoryAddress } from '../../src/session/address.ts';
import type { FileAnswers, FileRequests } from '../../src/session/file-api.ts';
import type { Outcome, Summary } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, TestSession, text } from './support.ts';

const chat = fakeChat();

const anything = { match: null, noneMatch: null } as const;

/** Asks something of a session's files. */
function ask<T extends keyof FileRequests>(
  session: TestSession,
  type: T,
  request: FileRequests[T],
): Promise<Outcome<FileAnswers[T]>> {
  return session.stub.files(type, request);
}

/** Writes a file that is to be taken; gives its entry's revision. */
async function write(session: TestSession, path: string, content: string | Uint8Array): Promise<number> {
  const body = new Blob([content]).stream();
  const { actor } = session;
  const outcome = await ask(session, 'write', { path, body, executable: null, conditions: anything, actor });
  if (!outcome.ok) throw new Error(outcome.problem.detail);
  return outcome.value.entry.rev;
}

/** The text of a file; null for nothing. */
async function read(session: TestSession, path: string): Promise<string | null> {
  const outcome = await ask(session, 'open', { path, range: null });
  return outcome.ok ? new Response(outcome.value.stream).text() : null;
}

const large = (n: number): Uint8Array => new Uint8Array(300_000).fill(n);

/** The keys in the bucket of all sessions of a participant. */
async function keysOf({ address }: TestSession): Promise<string[]> {
  const prefix = `${encodeURIComponent(addressOf(directoryAddress(address)))}/`;
  return (await env.FILES.list({ prefix })).objects.map(({ key }) => key);
}

describe('the files of a session', () => {
  it('a change is told as a state with the revision, and the snapshot has it, in the next life too', async () => {
    const session = new TestSession();
    expect((await session.snapshot()).files).toEqual({ rev: 0 });
    expect(await write(session, 'a', 'one')).toBe(1);
    expect(await write(session, 'a', 'one')).toBe(1);
    expect(await write(session, 'a', 'two')).toBe(2);
    const events = (await session.history()).map(({ type, ...event }) => [type, 'files' in event ? event.files : null]);
    expect(events).toEqual([
      ['state', { rev: 1 }],
      ['state', { rev: 2 }],
    ]);
    expect((await session.snapshot()).files).toEqual({ rev: 2 });
    await session.kill();
    expect((await session.snapshot()).files).toEqual({ rev: 2 });
    expect(await read(session, 'a')).toBe('two');
  });

  it('FILES-09 undo is a command: with a receipt, an event, and a refusal that changes nothing', async () => {
    const session = new TestSession();
    await write(session, 'a', 'one');
    await write(session, 'a', 'two');
    expect(await session.accept('undo', { path: 'a', id: 'u' })).toEqual({ undone: ['a'] });
    expect(await session.accept('undo', { path: 'a', id: 'u' })).toEqual({ undone: ['a'] });
    expect(await read(session, 'a')).toBe('one');
    expect((await session.history()).at(-1)).toMatchObject({ type: 'state', files: { rev: 3 } });
    expect(await session.refusal('undo', { path: 'b' })).toBe('not_found');
    expect(await session.refusal('undo', {})).toBe('bad_request');
    expect((await session.snapshot()).files).toEqual({ rev: 3 });
    const unused = new TestSession();
    expect(await unused.refusal('undo', { path: 'a' })).toBe('not_found');
    expect(
      await runInDurableObject(unused.stub, (_, { storage }) => storage.sql.exec('SELECT name FROM sqlite_master').toArray()),
    ).toEqual([]);
  });

  it('FILES-09 a change of the journal that was changed since is not undone', async () => {
    const session = new TestSession();
    await write(session, 'a', 'one');
    await write(session, 'b', 'x');
    await runInDurableObject(session.stub, (_, { storage }) => {
      storage.sql.exec("UPDATE file_changes SET turn = 1 WHERE path = 'a'");
    });
    await write(session, 'a', 'two');
    expect(await session.refusal('undo', { turn: 1 })).toBe('file_changed');
    expect(await read(session, 'a')).toBe('two');
  });

  it('FILES-08 FILES-09 what tools changed in a turn is journalled with its calls, and undone as a whole', async () => {
    const session = new TestSession();
    await write(session, 'a.txt', 'one');
    await session.accept('patch', { mode: 'code' });
    chat.reply(call('r', 'read_file', { path: 'a.txt' }));
    chat.reply(
      call('e', 'edit_file', { path: 'a.txt', search: 'one', replace: 'two' }),
      call('w', 'write_file', { path: 'b.txt', content: 'new' }),
    );
    const { pending } = await session.turn('Change it');
    expect(pending).toHaveLength(2);
    chat.reply(text('Done.'));
    const decisions = { approval: { allowed: true } };
    const { turn } = await session.play('answers', { answers: pending.map((item) => ({ callId: item.call.id, decisions })) });
    expect([await read(session, 'a.txt'), await read(session, 'b.txt')]).toEqual(['two', 'new']);
    const listed = await ask(session, 'journal', { before: null, limit: 9 });
    if (!listed.ok) throw new Error(listed.problem.detail);
    expect(listed.value.changes.map(({ path, call: id, turn: by }) => [path, id, by])).toEqual([
      ['b.txt', pending[1]?.call.id, turn],
      ['a.txt', pending[0]?.call.id, turn],
      ['a.txt', null, null],
    ]);
    expect(await session.accept('undo', { turn })).toEqual({ undone: ['a.txt', 'b.txt'] });
    expect([await read(session, 'a.txt'), await read(session, 'b.txt')]).toEqual(['one', null]);
    expect((await session.snapshot()).files).toEqual({ rev: 4 });
  });

  it('G-17 erasing a session deletes its files, its journal and its objects, and those of no other session', async () => {
    const session = new TestSession();
    const other = new TestSession({ participant: session.address.participant });
    await write(session, 'a', large(1));
    await write(session, 'a', large(2));
    await write(session, 'b', 'small');
    await write(other, 'a', large(1));
    expect(await keysOf(session)).toHaveLength(3);
    await session.stub.erase();
    expect(await keysOf(session)).toHaveLength(1);
    expect((await session.snapshot()).files).toEqual({ rev: 0 });
    expect(await read(session, 'a')).toBeNull();
    expect(await read(other, 'a')).toHaveLength(300_000);
    const directory = env.DIRECTORY.getByName(addressOf(directoryAddress(session.address)));
    const held = await runInDurableObject(directory, (_, { storage }) =>
      storage.sql.exec('SELECT scope FROM held_objects').toArray(),
    );
    expect(held).toEqual([{ scope: other.address.scope }]);
    await write(session, 'a', 'anew');
    expect(await read(session, 'a')).toBe('anew');
  });

  it('G-17 LOCK-01 a turn that begins while objects are deleted is stopped and erased as well', async () => {
    const session = new TestSession();
    const directories = env.DIRECTORY;
    const answers: unknown[] = [];
    const release = async (name: string, scope: string, keys: readonly string[]): Promise<readonly string[]> => {
      if (answers.length === 0) answers.push(await session.stub.command('turn', { message: 'Am I late?' }, session.actor));
      return directories.getByName(name).release(scope, keys);
    };
    const getByName = (name: string): object => ({
      put: (line: Summary) => directories.getByName(name).put(line),
      remove: (scope: string) => directories.getByName(name).remove(scope),
      hold: (scope: string, keys: readonly string[]) => directories.getByName(name).hold(scope, keys),
      release: (scope: string, keys: readonly string[]) => release(name, scope, keys),
    });
    Object.assign(env, { DIRECTORY: { getByName } });
    try {
      await write(session, 'a', large(1));
      chat.reply(text('Yes'), new Gate());
      const tab = await session.socket();
      await session.stub.erase();
      expect(tab.frames.filter(({ type }) => type === 'turn_ended')).toMatchObject([{ reason: 'cancelled' }]);
    } finally {
      Object.assign(env, { DIRECTORY: directories });
    }
    expect(answers).toMatchObject([{ ok: true, value: { turn: 1 } }]);
    expect(await session.snapshot()).toMatchObject({ status: 'idle', turn: 0, seq: 0 });
    chat.reply(text('Hello'));
    expect(await session.turn('Hello')).toMatchObject({ reason: 'done', turn: 1 });
  });

  it('FILES-01 what an upload of a dead life left is deleted when the session wakes', async () => {
    const session = new TestSession();
    await write(session, 'kept', large(1));
    const [kept = ''] = await keysOf(session);
    const orphan = `${kept.split('/')[0]}/orphan`;
    await env.FILES.put(orphan, large(2));
    await runInDurableObject(session.stub, (_, { storage }) => {
      storage.sql.exec('INSERT INTO loose_objects (key) VALUES (?)', orphan);
    });
    await session.kill();
    await session.snapshot();
    await expect.poll(() => keysOf(session)).toEqual([kept]);
    expect(await session.count('loose_objects')).toBe(0);
  });

  it('G-17 an object that two sessions hold goes with the second', async () => {
    const { participant } = new TestSession().address;
    const directory = directoryOf(env, { participant, jurisdiction: null, role: 'member', scope: null, expires: null });
    await directory.hold('one', ['k', 'l']);
    await directory.hold('two', ['k']);
    expect(await directory.release('one', ['k', 'l', 'm'])).toEqual(['l', 'm']);
    expect(await directory.release('one', ['k'])).toEqual([]);
    expect(await directory.release('two', ['k'])).toEqual(['k']);
  });
});

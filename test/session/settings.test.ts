import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { DirectoryApi } from '../../src/server/directory.ts';
import { directoryAddress, stubAt } from '../../src/session/address.ts';
import type { Summary } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, saidIn, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

/** The scopes that the participant's list has. */
async function listed(session: TestSession): Promise<string[]> {
  const directories: DurableObjectNamespace = env.DIRECTORY;
  const directory = stubAt(directories, directoryAddress(session.address)) as unknown as DirectoryApi;
  const page = await directory.list({ cursor: null, limit: 100, q: null, within: null });
  return page.ok ? page.value.sessions.map(({ scope }) => scope) : [];
}

describe('new', () => {
  it('SESS-14 retires the conversation, which is kept, and begins an empty one; mode and title stay', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.turn('Hello');
    expect(await session.accept('new')).toBe(null);
    const snapshot = await session.snapshot();
    expect(snapshot).toMatchObject({
      thread: 2,
      messages: [],
      more: false,
      lastEnded: null,
      partial: null,
      left: [],
      title: 'Hello',
      mode: 'chat',
      turn: 1,
      usage: { context: { used: 0 } },
    });
    expect(await session.count('messages')).toBe(2);
    chat.reply(text('Again'));
    expect(await session.turn('Who am I?')).toMatchObject({ turn: 2 });
    expect(saidIn(chat.requests[1]?.body.messages ?? []).slice(1)).toEqual(['user: Who am I?']);
    expect(await session.refusal('retry')).toBe('nothing_to_retry');
  });

  it('SESS-05 SESS-14 an object that wakes up shows the same as the one that began it', async () => {
    const session = new TestSession();
    chat.reply(text('So far'), { type: 'hang_up' });
    await session.turn('Hello');
    await session.accept('new');
    const before = await session.snapshot();
    await session.evict();
    expect(await session.snapshot()).toEqual(before);
  });
});

describe('patch', () => {
  it('SESS-06 sets title, mode and model, and answers with the summary', async () => {
    const session = new TestSession();
    const summary = await session.accept<Summary>('patch', { title: ' Plans ', mode: 'chat', model: 'openai/scripted' });
    expect(summary).toEqual({
      scope: session.address.scope,
      title: 'Plans',
      status: 'idle',
      mode: 'chat',
      model: 'openai/scripted',
      updated: expect.any(Number),
      created: expect.any(Number),
      needs: 0,
      last: '',
    });
    await session.evict();
    expect(await session.snapshot()).toMatchObject({ title: 'Plans', mode: 'chat', model: 'openai/scripted' });
    await session.accept('patch', { model: null });
    expect(await session.snapshot()).toMatchObject({ title: 'Plans', model: null });
  });

  it('a title that was given stays when the first message comes', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Plans' });
    chat.reply(text('Hi'));
    await session.turn('Hello');
    expect((await session.snapshot()).title).toBe('Plans');
  });

  it('G-22 is accepted while a turn runs, and while calls wait', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, call('a', 'write_note', { text: 'A' }));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.accept('patch', { title: 'Running' });
    gate.open();
    await session.ended(run);
    expect(await session.accept('patch', { title: 'Waiting' })).toMatchObject({ status: 'awaiting_input', needs: 1 });
    expect(await session.snapshot()).toMatchObject({ title: 'Waiting', status: 'awaiting_input', pending: [{}] });
  });

  it('SESS-07 a model that is configured no more gives way to the default one', async () => {
    const session = new TestSession();
    await session.accept('patch', { model: 'openai/scripted' });
    await session.rows("UPDATE session SET model = 'openai/gone'");
    await session.evict();
    chat.reply(text('Hi'));
    expect(await session.turn('Hello')).toMatchObject({ reason: 'done' });
  });
});

describe('create', () => {
  it('lists the session at once, and says whether it was in use', async () => {
    const session = new TestSession();
    const first = await session.stub.create({ title: 'Plans' }, session.actor);
    expect(first).toMatchObject({
      ok: true,
      value: { created: true, summary: { title: 'Plans', scope: session.address.scope } },
    });
    expect(await listed(session)).toEqual([session.address.scope]);
    const again = await session.stub.create({ title: 'Other' }, session.actor);
    expect(again).toMatchObject({ ok: true, value: { created: false, summary: { title: 'Plans' } } });
  });

  it.each([{ title: 7 }, { maxSteps: 3 }, { mode: 'nowhere' }])('refuses %j and lists nothing', async (body) => {
    const session = new TestSession();
    expect(await session.stub.create(body, session.actor)).toMatchObject({ ok: false });
    expect(await listed(session)).toEqual([]);
    expect((await session.snapshot()).seq).toBe(0);
  });
});

describe('erase', () => {
  it('G-17 leaves nothing: the scope is unused again, in a new epoch, and off the list', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A secret' }));
    await session.play('turn', { id: 'once', message: 'Go' });
    await session.accept('message', { message: 'Later', delivery: 'queue' });
    const { epoch } = await session.snapshot();
    await session.stub.erase();
    const snapshot = await session.snapshot();
    expect(snapshot).toMatchObject({
      seq: 0,
      turn: 0,
      title: '',
      messages: [],
      pending: [],
      inbox: [],
      lastEnded: null,
      run: null,
    });
    expect(snapshot.epoch).toBeGreaterThan(epoch);
    expect(await session.rows("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")).toEqual([]);
    expect(await listed(session)).toEqual([]);
    await session.evict();
    expect(await session.snapshot()).toMatchObject({ seq: 0, turn: 0, messages: [] });
  });

  it('forgets receipts and stops, too: the same ids begin anew', async () => {
    const session = new TestSession();
    await session.accept('cancel', { target: 'once' });
    await session.stub.erase();
    chat.reply(text('Hi'));
    expect(await session.play('turn', { id: 'once', message: 'Hello' })).toMatchObject({ reason: 'done', turn: 1 });
    expect(await listed(session)).toEqual([session.address.scope]);
  });

  it('ends a turn that runs, and closes the sockets', async () => {
    const session = new TestSession();
    chat.reply(text('So far'), new Gate());
    await session.accept('turn', { message: 'Go' });
    const socket = await session.socket();
    await session.stub.erase();
    expect(await socket.closed).toBe(1001);
    expect(await session.snapshot()).toMatchObject({ status: 'idle', seq: 0, messages: [] });
    expect(await listed(session)).toEqual([]);
  });

  it('of an unused session is no error', async () => {
    const session = new TestSession();
    await session.stub.erase();
    expect((await session.snapshot()).seq).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { CommandType } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, hangUp, isEvent, saidIn, TestSession, text } from './support.ts';

const chat = fakeChat();

/** Gives commands to one session over one transport, and what each answered: its result, or the code of its refusal. */
type Give = (type: CommandType, body?: JsonObject) => Promise<Json>;

async function overRpc(session: TestSession): Promise<Give> {
  return async (type, body = {}) => {
    const answer = await session.command(type, body);
    return 'ok' in answer ? (answer.ok as Json) : answer.refused.code;
  };
}

async function overSocket(session: TestSession): Promise<Give> {
  const socket = await session.socket();
  return async (type, body = {}) => {
    const frame = await socket.command(type, body);
    return (frame.type === 'ack' ? frame.result : frame.code) ?? null;
  };
}

const started = { run: expect.any(String), turn: expect.any(Number), cursor: expect.any(String) };

describe.each([
  ['RPC', overRpc],
  ['a socket', overSocket],
])('over %s', (_, over) => {
  async function open(): Promise<{
    session: TestSession;
    give: Give;
    play: (type: CommandType, body?: JsonObject) => Promise<unknown>;
  }> {
    const session = new TestSession();
    const give = await over(session);
    const play = async (type: CommandType, body?: JsonObject): Promise<unknown> => {
      const receipt = await give(type, body);
      expect(receipt).toEqual(started);
      return session.ended((receipt as { run: string }).run);
    };
    return { session, give, play };
  }

  it('turn, interject, message, inbox and cancel', async () => {
    const { session, give } = await open();
    const gate = new Gate();
    chat.reply(text('So far'), gate);
    const receipt = await give('turn', { message: 'Go' });
    expect(receipt).toEqual(started);
    await gate.reached;
    expect(await give('turn', { message: 'Go' })).toBe('session_locked');
    const item = (await give('interject', { message: 'A' })) as { inbox: string };
    expect(item).toEqual({ inbox: expect.any(String) });
    expect(await give('message', { message: 'B', delivery: 'queue' })).toEqual({ inbox: expect.any(String) });
    expect(await give('inbox', { item: item.inbox, op: 'drop' })).toBe(null);
    expect(await give('inbox', { item: item.inbox, op: 'drop' })).toBe('not_found');
    expect(await give('cancel')).toBe(null);
    expect(await session.ended((receipt as { run: string }).run)).toMatchObject({ reason: 'cancelled' });
    expect(saidIn((await session.snapshot()).inbox.map(({ message }) => message))).toEqual(['user: B']);
  });

  it('answers and deny_all', async () => {
    const { session, give, play } = await open();
    const note = (id: string): ReturnType<typeof call> => call(id, 'write_note', { text: id });
    chat.reply(note('a'), note('b'));
    await play('turn', { message: 'Note' });
    const ids = (await session.snapshot()).pending.map((item) => item.call.id) as [string, string];
    const allow = { approval: { allowed: true } };
    expect(await give('answers', { answers: { [ids[0]]: allow } })).toEqual({ run: null, staged: [ids[0]] });
    expect(await give('answers', { answers: { [ids[0]]: allow } })).toBe('already_answered');
    chat.reply(note('c'));
    expect(await play('answers', { answers: [{ callId: ids[1], decisions: allow }] })).toMatchObject({
      reason: 'awaiting_input',
    });
    expect(await give('deny_all', { reason: 'enough' })).toBe(null);
    expect(await give('deny_all')).toBe('nothing_pending');
    expect(saidIn((await session.snapshot()).messages).at(-1)).toBe('user: [Denied: enough]');
  });

  it('retry, interrupt, resume, partial and patch', async () => {
    const { session, give, play } = await open();
    chat.reply(hangUp);
    expect(await play('turn', { message: 'Tell' })).toMatchObject({ reason: 'failed' });
    const gate = new Gate();
    chat.reply(text('Once'), gate);
    const { run } = (await give('retry')) as { run: string };
    await session.event(isEvent('text_delta', { run }));
    expect(await give('interrupt', { target: run })).toBe(null);
    expect(await session.ended(run)).toMatchObject({ reason: 'interrupted' });
    expect(await give('retry')).toBe('nothing_to_retry');
    expect(await give('partial', { op: 'keep', ifRev: 9 })).toBe('precondition_failed');
    chat.reply(text(' upon'), hangUp);
    expect(await play('resume', { message: { content: 'Twice' }, ifRev: 1 })).toMatchObject({ reason: 'failed' });
    expect(await give('partial', { op: 'keep', ifRev: 2 })).toBe(null);
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: Tell', 'assistant: Twice upon']);
    expect(await give('patch', { title: 'Tales' })).toMatchObject({ title: 'Tales', scope: session.address.scope });
  });
});

describe('a socket', () => {
  it.each([
    ['new', {}],
    ['erase', {}],
    ['toString', {}],
  ])('takes no frame of the type %s', async (type, body) => {
    const session = new TestSession();
    const socket = await session.socket();
    expect(await socket.command(type, body)).toMatchObject({ type: 'refused', code: 'bad_request', status: 400 });
    expect((await session.snapshot()).seq).toBe(0);
  });

  it('answers a command with its ack after the events that the command made', async () => {
    const session = new TestSession();
    const socket = await session.socket();
    await socket.command('patch', { id: 'p', title: 'Plans' });
    const types = socket.frames.map(({ type }) => type).filter((type) => type !== 'presence');
    expect(types).toEqual(['ready', 'state', 'ack']);
  });
});

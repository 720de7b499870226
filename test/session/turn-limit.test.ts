import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomId } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, isEvent, saidIn, type Started, TestSession, text } from './support.ts';

const chat = fakeChat({ LIMIT_TURNS: '1' });

/** Lets time pass in the life of a session. What another one waits for would come to it there: it must wait for nothing. */
function pass(session: TestSession, ms: number): Promise<unknown> {
  return runInDurableObject(session.stub, () => vi.advanceTimersByTimeAsync(ms));
}

const refusal = {
  reason: 'failed',
  errorKind: 'rate_limited',
  error: { class: 'too_many_turns', message: 'A turn of yours is running already: wait for an end or stop one, then retry.' },
};

describe('with LIMIT_TURNS=1', () => {
  const { DIRECTORY } = env;
  let participant: string;
  let running: { readonly session: TestSession; readonly run: string; readonly end: Gate };

  /** A session of the participant whose turn runs until `end` opens. */
  async function busy(): Promise<typeof running> {
    const session = new TestSession({ participant });
    const end = new Gate();
    chat.reply(end, text('At last'));
    const { run } = await session.accept<Started>('turn', { message: 'Take your time' });
    await session.event(isEvent('message_started'));
    return { session, run, end };
  }

  /** Waits, through the tries of a run that may not begin, until it has failed. */
  async function refused(session: TestSession, { run, cursor }: Started): Promise<void> {
    for (const attempt of [1, 2]) {
      await session.event(isEvent('retry_scheduled', { run, attempt, after: 2000 }), cursor);
      await pass(session, 2000);
    }
    expect(await session.ended(run)).toMatchObject({ ...refusal, run });
  }

  /** Ends it, and waits until the list knows. */
  async function finish({ session, run, end }: typeof running): Promise<void> {
    end.open();
    await session.ended(run);
    await session.stub.create({}, session.actor);
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    participant = randomId('somebody');
  });
  afterEach(() => {
    vi.useRealTimers();
    Object.assign(env, { DIRECTORY });
  });

  it('FAIL-09 FAIL-10 a second turn fails before the model is asked, keeps its message, and is retried once the first has ended', async () => {
    running = await busy();
    const session = new TestSession({ participant });
    await refused(session, await session.accept<Started>('turn', { message: 'Me too' }));
    expect(chat.requests).toHaveLength(1);
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: Me too']);
    await finish(running);
    chat.reply(text('Now you'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Now you' });
  });

  it('one that waits goes on by itself when the first ends in time', async () => {
    running = await busy();
    const session = new TestSession({ participant });
    const { run } = await session.accept<Started>('turn', { message: 'Me too' });
    await session.event(isEvent('retry_scheduled', { run }));
    await finish(running);
    chat.reply(text('Now you'));
    await pass(session, 2000);
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Now you' });
  });

  it('no way to begin a turn escapes it: a frame, answers, what waits in the inbox', async () => {
    const session = new TestSession({ participant });
    const socket = await session.socket();
    const begin = async (type: string, body: Parameters<typeof socket.command>[1] = {}): Promise<Started> =>
      (await socket.command(type, body)).result as unknown as Started;
    chat.reply(call('c1', 'ask_user', { question: 'Which?' }));
    expect(await session.turn('Ask me')).toMatchObject({ reason: 'awaiting_input' });
    running = await busy();
    const [pending] = (await session.snapshot()).pending;
    await refused(session, await begin('answers', { answers: { [String(pending?.call.id)]: { answer: 'This' } } }));
    await refused(session, await begin('retry'));
    const started = await begin('turn', { message: 'A frame' });
    const { inbox } = await session.accept<{ inbox: string }>('message', { message: 'Then', delivery: 'queue' });
    await refused(session, started);
    await refused(session, await begin('inbox', { item: inbox, op: 'send' }));
    expect(chat.requests).toHaveLength(2);
    await finish(running);
  });

  it('the model calls of a turn that runs are not asked about again, and it counts while it runs', async () => {
    const session = new TestSession({ participant });
    const gate = new Gate();
    chat.reply(gate, call('c1', 'clock'));
    chat.reply(text('Late'));
    const { run } = await session.accept<Started>('turn', { message: 'What time is it?' });
    await session.event(isEvent('message_started'));
    const other = new TestSession({ participant });
    const started = await other.accept<Started>('turn', { message: 'Me too' });
    await other.event(isEvent('retry_scheduled', { run: started.run }));
    gate.open();
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Late' });
  });

  it('RUN-04 a turn that goes on in a new life of its object keeps its place before those that wait', async () => {
    running = await busy();
    const other = new TestSession({ participant });
    const waiting = await other.accept<Started>('turn', { message: 'Me too' });
    await other.event(isEvent('retry_scheduled', { run: waiting.run }));
    await running.session.kill();
    chat.reply(text('Where was I?'));
    expect(await running.session.ended(running.run)).toMatchObject({ reason: 'done', text: 'Where was I?' });
    await other.accept('cancel');
    expect(await other.ended(waiting.run)).toMatchObject({ reason: 'cancelled' });
  });

  it('SESS-02 other participants are not counted, and a nested session is not: its turn is part of another', async () => {
    running = await busy();
    for (const session of [new TestSession(), new TestSession({ participant, scope: `${randomId('scope')}::sub::child` })]) {
      chat.reply(text('Yes'));
      expect(await session.turn('May I?')).toMatchObject({ reason: 'done' });
    }
    await finish(running);
  });

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('away'))],
    ['says nothing', () => new Promise(() => {})],
  ])('a list that %s stops no turn', async (_, answer) => {
    Object.assign(env, { DIRECTORY: { getByName: () => ({ put: answer, ahead: answer, remove: answer }) } });
    const session = new TestSession({ participant });
    chat.reply(text('Anyway'));
    const { run } = await session.accept<Started>('turn', { message: 'May I?' });
    await session.event(isEvent('message_started'));
    await pass(session, 5000);
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Anyway' });
  });
});

it('without LIMIT_TURNS a turn does not wait for the list', async () => {
  const { DIRECTORY } = env;
  Reflect.deleteProperty(env, 'LIMIT_TURNS');
  const never = (): Promise<never> => new Promise(() => {});
  Object.assign(env, { DIRECTORY: { getByName: () => ({ put: never, ahead: never, remove: never }) } });
  chat.reply(text('At once'));
  expect(await new TestSession().turn('Now')).toMatchObject({ reason: 'done', text: 'At once' });
  Object.assign(env, { DIRECTORY });
});

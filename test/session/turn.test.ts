import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import { atRest, call, fakeChat, finish, isEvent, saidIn, status, TestSession, text, usage, type Started } from './support.ts';

const chat = fakeChat();

describe('turn', () => {
  it('SESS-10 is answered at once, with a cursor that stands before its turn_started', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('Hi'));
    const receipt = await session.accept<Started>('turn', { message: 'Hello' });
    expect(receipt).toEqual({ run: expect.stringMatching(/^run_/), turn: 1, cursor: expect.stringMatching(/^\d+\.\d+$/) });
    gate.open();
    const events = await session.events(atRest, receipt.cursor);
    expect(events.map(({ type }) => type)).toEqual([
      'turn_started',
      'step_started',
      'message_started',
      'text_delta',
      'message_ended',
      'step_ended',
      'turn_ended',
      'state',
    ]);
    expect(events.slice(0, -1).every(({ run, turn, parent }) => run === receipt.run && turn === 1 && parent === null)).toBe(true);
  });

  it("RUN-06 ends as the ended run, which is also the session's lastEnded", async () => {
    const session = new TestSession();
    chat.reply(text('Let me see. '), call('a', 'clock'), usage(100, 10));
    chat.reply(text('It is noon.'), usage(130, 20));
    const ended = await session.turn('What time is it?');
    expect(ended).toMatchObject({
      turn: 1,
      reason: 'done',
      finish: 'stop',
      pending: [],
      usage: { input: 230, output: 30, cacheRead: 0, cacheWrite: 0 },
      error: null,
      errorKind: null,
      partial: null,
      queued: [],
      text: 'It is noon.',
    });
    expect(saidIn(ended.appended)).toEqual([
      'user: What time is it?',
      'assistant: Let me see. <clock>',
      expect.stringMatching(/^user: \[.*\]$/),
      'assistant: It is noon.',
    ]);
    const snapshot = await session.snapshot();
    expect(snapshot).toMatchObject({ status: 'idle', run: ended.run, turn: 1, lastEnded: ended, step: null });
  });

  it('RUN-16 adds its tokens to those of the session, and says how full the window is', async () => {
    const session = new TestSession();
    chat.reply(text('One'), usage(10, 1));
    chat.reply(text('Two'), usage(20, 2));
    await session.turn('First');
    await session.turn('Second');
    expect((await session.snapshot()).usage).toMatchObject({
      session: { input: 30, output: 3, cacheRead: 0, cacheWrite: 0 },
      context: { used: 22 },
    });
    await session.evict();
    expect((await session.snapshot()).usage).toMatchObject({ session: { input: 30, output: 3 }, context: { used: 22 } });
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'refusal'],
  ])('FIN-02 a reply that ended by %s ends its run with the finish %s', async (reason, expected) => {
    const session = new TestSession();
    chat.reply(text('As far as'), finish(reason));
    expect(await session.turn('Go')).toMatchObject({ reason: 'done', finish: expected, text: 'As far as' });
  });

  it('LOCK-02 LOCK-03 a second turn is refused while one runs, and is not run later', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('One'));
    const { run } = await session.accept<Started>('turn', { message: 'First' });
    expect(await session.refusal('turn', { message: 'Second' })).toBe('session_locked');
    gate.open();
    await session.ended(run);
    await session.event(atRest);
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: First', 'assistant: One']);
    expect(chat.requests).toHaveLength(1);
  });

  it('SESS-11 its list of tools only narrows what the mode offers', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.play('turn', { message: 'Hello', tools: ['clock', 'launch_missiles'] });
    expect(chat.requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['clock']);
  });

  it('LOOP-05 SESS-12 its step limit stops it, with every call answered', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'clock'));
    const ended = await session.play('turn', { message: 'Go', maxSteps: 1 });
    expect(ended.reason).toBe('stopped');
    expect(saidIn((await session.snapshot()).messages)).toEqual([
      'user: Go',
      'assistant: <clock>',
      expect.stringMatching(/^user: \[.+\]$/),
    ]);
  });

  it('SESS-12 the step limit of the session is that of its turns, below the ceiling of the operator', async () => {
    const session = new TestSession();
    await session.accept('patch', { maxSteps: 1000 });
    for (let step = 1; step <= 41; step += 1) chat.reply(call(`c${step}`, 'clock'));
    expect((await session.turn('Go')).reason).toBe('stopped');
    expect(chat.requests).toHaveLength(40);
  });

  it('SESS-05 G-22 knows mode, title and conversation after it left memory', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.turn('Hello there');
    const { presence: _, ...before } = await session.snapshot();
    expect(before).toMatchObject({ title: 'Hello there', mode: 'chat' });
    await session.evict();
    expect(await session.snapshot()).toEqual({ ...before, presence: [] });
  });

  it('SESS-02 SESS-20 sessions of other scopes and participants stay apart', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.turn('Hello');
    const { participant, scope } = session.address;
    for (const other of [new TestSession({ participant }), new TestSession({ scope })]) {
      expect(await other.snapshot()).toMatchObject({ messages: [], run: null, turn: 0 });
    }
  });
});

describe('a turn that fails', () => {
  const secrets = ['sk-proj-Abcdefghijklmnop1234', 'internal.provider.example', 'model.test', 'Traceback'];
  const body = JSON.stringify({
    error: { message: `Bad key ${secrets[0]} at https://${secrets[1]}/v1/keys. ${secrets[3]} line 1`, type: 'auth' },
  });

  it.each([
    ['a refusal', [status(401, body)], 'model_error'],
    ['a page that is no JSON', [status(502, `<html>${body}</html>`)], 'model_error'],
    ['an error within the stream', [text('So far'), { type: 'chunk', chunk: JSON.parse(body) } as const], 'model_error'],
    ['a connection that breaks', [text('So far'), { type: 'hang_up' } as const], 'transport_error'],
    ['a rate limit that is too long to wait for', [status(429, body, { 'retry-after': '3600' })], 'rate_limited'],
  ])('FAIL-14 C-16 by %s says so in a sentence of ours, and nothing of the provider gets out', async (_, pieces, kind) => {
    const session = new TestSession();
    chat.reply(...pieces);
    const ended = await session.turn('Go');
    expect(ended).toMatchObject({
      reason: 'failed',
      errorKind: kind,
      error: { class: kind, message: expect.stringMatching(/\.$/) },
    });
    const seen = JSON.stringify([
      ended,
      await session.history(),
      await session.snapshot(),
      await session.stub.messages(null, 10),
      await session.stub.create({}, session.actor),
    ]);
    expect(secrets.filter((secret) => seen.includes(secret))).toEqual([]);
    expect(seen).not.toMatch(/\bat .*\.ts:\d+/);
  });

  it('FAIL-06 FAIL-09 keeps its message, and what was streamed as a partial', async () => {
    const session = new TestSession();
    chat.reply(text('So far'), { type: 'hang_up' });
    const ended = await session.turn('Go');
    const snapshot = await session.snapshot();
    expect(saidIn(snapshot.messages)).toEqual(['user: Go']);
    expect(snapshot.partial).toMatchObject({
      run: ended.run,
      rev: 1,
      by: null,
      message: { content: [{ type: 'text', text: 'So far' }] },
    });
    expect(snapshot).toMatchObject({ status: 'idle', step: null });
  });

  it('LOOP-03 LOCK-05 by misuse in the loop has one turn_ended, and gives its guard back', async () => {
    const session = new TestSession();
    chat.reply(text('So far'), { type: 'hang_up' });
    await session.turn('Go');
    chat.reply(status(400, '{"error":{"message":"Assistant response prefill is not supported by this model."}}'));
    const ended = await session.play('resume', { message: { content: 'So far' } });
    expect(ended).toMatchObject({
      reason: 'failed',
      error: { class: 'unsupported_option' },
      errorKind: 'model_error',
      fallback: 'append_and_ask',
    });
    await session.event(isEvent('turn_ended', { run: ended.run }));
    const ends = (await session.history()).filter(isEvent('turn_ended', { run: ended.run }));
    expect(ends).toHaveLength(1);
    expect(await session.rows("SELECT id FROM runs WHERE status = 'running'")).toEqual([]);
  });
});

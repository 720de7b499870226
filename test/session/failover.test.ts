import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, isEvent, type Piece, status, type Started, TestSession, text, usage } from './support.ts';
import { expectWhole } from './whole.ts';

const chat = fakeChat({ HARNESS_GROQ_KEY: 'k', HARNESS_MODEL: 'scripted, groq/spare', HARNESS_FAILOVER: 'groq/spare' });

const down = status(503, '{"error":{"message":"down for repair at 10.0.0.1"}}');
const busy = status(429, '{"error":{"message":"slow down"}}', { 'retry-after': '2' });

/** The models that were asked, in order. */
const asked = (): unknown[] => chat.requests.map(({ text: body }) => (JSON.parse(body) as { model: unknown }).model);

describe('with HARNESS_FAILOVER', () => {
  afterEach(() => void Reflect.deleteProperty(env, 'HARNESS_ANTHROPIC_KEY'));

  it('FAIL-14 a step is played by the next model, clients are told, and what it took is counted as that model’s', async () => {
    const session = new TestSession();
    chat.reply(down);
    chat.reply(call('c', 'clock'), usage(100, 10));
    chat.reply(text('It is noon.'), usage(130, 20));
    expect(await session.turn('What time is it?')).toMatchObject({ reason: 'done', text: 'It is noon.' });
    expect(asked()).toEqual(['scripted', 'spare', 'scripted']);
    const history = await session.history();
    expect(history.filter(isEvent('warning'))).toEqual([
      expect.objectContaining({
        code: 'failed_over',
        detail: 'openai/scripted failed (model_error). groq/spare is asked instead.',
        model: 'groq/spare',
        turn: 1,
        parent: null,
      }),
    ]);
    expect(JSON.stringify(history)).not.toContain('10.0.0.1');
    const { messages } = await session.snapshot();
    expect(messages.map(({ model }) => model)).toEqual([undefined, 'groq/spare', undefined, 'openai/scripted']);
    expect((await session.stub.usage()).models).toMatchObject([
      { model: 'groq/spare', replies: 1, input: 100 },
      { model: 'openai/scripted', replies: 1, input: 130 },
    ]);
    await expectWhole(session);
  });

  it('ANT-09 the context is as full as the model that answered counts it', async () => {
    Object.assign(env, {
      HARNESS_ANTHROPIC_KEY: 'k',
      HARNESS_MODEL: 'scripted, anthropic/spare',
      HARNESS_FAILOVER: 'anthropic/spare',
    });
    const session = new TestSession();
    const says = (chunk: JsonObject): Piece => ({ type: 'chunk', chunk });
    chat.reply(down);
    chat.reply(
      says({ type: 'message_start', message: { usage: { input_tokens: 100, cache_read_input_tokens: 1000, output_tokens: 1 } } }),
      says({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Here' } }),
      says({ type: 'content_block_stop', index: 0 }),
      says({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }),
      says({ type: 'message_stop' }),
    );
    expect(await session.turn('Go')).toMatchObject({ reason: 'done', text: 'Here' });
    expect((await session.snapshot()).usage.context.used).toBe(1105);
  });

  it('FAIL-14 MW-13 the last model’s failure is the turn’s, and a reply that began is not gone on with by another', async () => {
    const session = new TestSession();
    chat.reply(down);
    chat.reply(status(500, '{}'));
    expect(await session.turn('Go')).toMatchObject({ reason: 'failed', errorKind: 'model_error' });
    await session.accept('patch', { model: 'groq/spare' });
    chat.reply(down);
    expect(await session.turn('Go on')).toMatchObject({ reason: 'failed', errorKind: 'model_error' });
    expect(asked()).toEqual(['scripted', 'spare', 'spare']);
  });
});

describe('a death between two tries', () => {
  afterEach(() => void vi.useRealTimers());

  /** Lets time pass in the life of a session until the model was asked so often. */
  async function passUntil(session: TestSession, requests: number): Promise<void> {
    while (chat.requests.length < requests) await runInDurableObject(session.stub, () => vi.advanceTimersByTimeAsync(500));
  }

  it('MW-14 RUN-04 gives the model no fresh set of them: they are three in all, over three lives', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const session = new TestSession();
    await session.accept('patch', { model: 'groq/spare' });
    for (let n = 0; n < 4; n += 1) chat.reply(busy);
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    for (const attempt of [1, 2]) {
      await session.event(isEvent('retry_scheduled', { run, attempt, after: 2000, model: 'groq/spare' }));
      await session.kill();
      // A life's timers die with it.
      vi.clearAllTimers();
      await passUntil(session, attempt + 1);
    }
    expect(await session.ended(run)).toMatchObject({ reason: 'failed', errorKind: 'rate_limited' });
    expect(chat.requests).toHaveLength(3);
    expect((await session.history()).filter(isEvent('retry_scheduled'))).toHaveLength(2);
  });

  it('FAIL-14 RUN-04 does not go back to the model that was given up, until the next step', async () => {
    const session = new TestSession();
    chat.reply(down);
    chat.reply(new Gate(), text('Lost'));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.event(isEvent('warning', { code: 'failed_over' }));
    await chat.request(2);
    await session.kill();
    chat.reply(call('c', 'clock'));
    chat.reply(text('Here'));
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Here' });
    expect(asked()).toEqual(['scripted', 'spare', 'spare', 'scripted']);
    await expectWhole(session);
  });
});

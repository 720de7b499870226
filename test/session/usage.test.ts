import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/core/index.ts';
import { costOf, ratesOf } from '../../src/models/catalog/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, hangUp, isEvent, type Piece, type Started, status, TestSession, text, usage } from './support.ts';
import { expectWhole } from './whole.ts';

const name = 'openai/gpt-4.1';
const chat = fakeChat({ HARNESS_OPENAI_URL: 'https://api.openai.com/v1', HARNESS_OPENAI_KEY: 'k', HARNESS_MODEL: 'gpt-4.1' });

/** What so many tokens of the model cost. */
function priceOf(input: number, output: number): number {
  const cost = costOf({ ...noUsage, input, output }, name, Date.now());
  if (cost === null || cost === 0) throw new Error('The catalogue of this test has no price for the model');
  return cost;
}

/** The rows of what a session used, by the columns that tests look at. */
function rowsOf(session: TestSession): Promise<Record<string, SqlStorageValue>[]> {
  return session.rows('SELECT turn, whole, model, input, output, cost FROM usage ORDER BY position');
}

const whole = (input: number, output: number, turn = 1) => ({
  turn,
  whole: 1,
  model: name,
  input,
  output,
  cost: priceOf(input, output),
});

/** A turn that has come to a gate after these pieces. */
async function upTo(session: TestSession, ...pieces: readonly Piece[]): Promise<string> {
  const gate = new Gate();
  chat.reply(...pieces, gate);
  const { run } = await session.accept<Started>('turn', { message: 'Go' });
  await gate.reached;
  return run;
}

describe('what a session used', () => {
  it('RUN-16 BUD-03 is a row for each reply: who gave it, its tokens, and the prices of the day', async () => {
    const session = new TestSession();
    chat.reply(call('c', 'clock'), usage(1000, 10));
    chat.reply(text('It is noon.'), usage(1300, 20));
    const ended = await session.turn('What time is it?');
    expect(await rowsOf(session)).toEqual([whole(1000, 10), whole(1300, 20)]);
    const [row] = await session.rows('SELECT * FROM usage');
    const rates = ratesOf({ ...noUsage, input: 1000 }, name, Date.now());
    expect(row).toMatchObject({
      run: ended.run,
      message: ended.appended[1]?.id,
      cache_read: 0,
      cache_write: 0,
      input_rate: rates?.input,
      output_rate: rates?.output,
      cache_read_rate: rates?.cacheRead,
      cache_write_rate: rates?.cacheWrite,
      at: expect.any(Number),
    });
    const snapshot = await session.snapshot();
    const cost = priceOf(1000, 10) + priceOf(1300, 20);
    expect([ended.cost, snapshot.usage.session]).toEqual([cost, { ...noUsage, input: 2300, output: 30, cost }]);
    expect(snapshot.messages.map((message) => [message.model, message.cost])).toEqual([
      [undefined, undefined],
      [name, priceOf(1000, 10)],
      [undefined, undefined],
      [name, priceOf(1300, 20)],
    ]);
    await expectWhole(session);
  });

  it('BUD-03 is kept in the transaction that tells of the reply: a life that finds the one finds the other', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Rows' });
    const counts = await runInDurableObject(session.stub, (_, { storage }) => {
      const seen = new Set<string>();
      const original = storage.transactionSync.bind(storage);
      storage.transactionSync = (work) => {
        const value = original(work);
        const rows = storage.sql.exec('SELECT count(*) AS n FROM usage').one().n;
        const told = JSON.stringify(storage.sql.exec('SELECT body FROM events').toArray()).split('message_ended').length - 1;
        seen.add(`${told} told, ${String(rows)} counted`);
        return value;
      };
      return () => [...seen];
    });
    chat.reply(call('c', 'clock'), usage(1000, 10));
    chat.reply(text('It is noon.'), usage(1300, 20));
    await session.turn('What time is it?');
    expect(counts()).toEqual(['0 told, 0 counted', '1 told, 1 counted', '2 told, 2 counted']);
  });

  it('BUD-03 costs what it cost then, whatever a later catalogue says', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'), usage(1000, 10));
    await session.turn('Go');
    await session.rows('UPDATE usage SET cost = 7, input_rate = 7000');
    await session.kill();
    expect((await session.stub.usage()).models).toEqual([
      { model: name, replies: 1, unpriced: 0, ...noUsage, input: 1000, output: 10, cost: 7 },
    ]);
    chat.reply(text('Hi'), usage(2000, 10));
    expect(await session.turn('Go')).toMatchObject({ cost: priceOf(2000, 10) });
    expect((await session.snapshot()).usage.session.cost).toBeCloseTo(priceOf(1000, 10) + priceOf(2000, 10), 12);
  });

  it('BUD-03 has no cost where a price is not known, and that is never zero', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'), usage(1000, 10));
    await session.turn('Go');
    Object.assign(env, { HARNESS_OPENAI_URL: 'http://model.test/v1' });
    chat.reply(text('Hi'), usage(50, 5));
    expect(await session.turn('Go')).toMatchObject({ cost: null, usage: { input: 50 } });
    const unpriced = { turn: 2, whole: 1, model: name, input: 50, output: 5, cost: null };
    expect(await rowsOf(session)).toEqual([whole(1000, 10), unpriced]);
    const { messages, usage: shown } = await session.snapshot();
    expect([messages.at(-1)?.model, 'cost' in (messages.at(-1) ?? {})]).toEqual([name, false]);
    expect(shown.session).toEqual({ ...noUsage, input: 1050, output: 15, cost: null });
    expect((await session.stub.usage()).models).toMatchObject([{ replies: 2, unpriced: 1, cost: priceOf(1000, 10) }]);
    Object.assign(env, { HARNESS_OPENAI_URL: 'https://api.openai.com/v1' });
    chat.reply(text('Hi'), usage(1000, 10));
    await session.turn('Go');
    expect((await session.snapshot()).usage.session.cost).toBe(null);
    await expectWhole(session);
  });

  it('BUD-03 has none where the provider counted nothing', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    expect(await session.turn('Go')).toMatchObject({ cost: null, usage: noUsage });
    expect(await rowsOf(session)).toEqual([{ turn: 1, whole: 1, model: name, input: null, output: null, cost: null }]);
    expect((await session.stub.usage()).models).toMatchObject([{ replies: 1, unpriced: 1, cost: null }]);
  });

  it('is nothing, and free, before anything was used', async () => {
    const session = new TestSession();
    const nothing = { session: { ...noUsage, cost: 0 }, models: [] };
    expect(await session.stub.usage()).toEqual(nothing);
    await session.accept('patch', { title: 'Named' });
    expect(await session.stub.usage()).toEqual(nothing);
    expect((await session.snapshot()).usage.session).toEqual(nothing.session);
  });
});

describe('a reply that was cut off', () => {
  it.each(['cancel', 'interrupt'] as const)('BUD-09 counts what its provider had counted by the time of the %s', async (stop) => {
    const session = new TestSession();
    const run = await upTo(session, usage(1000, 3), text('Half'));
    await session.accept(stop);
    expect(await session.ended(run)).toMatchObject({ usage: { input: 1000, output: 3 }, cost: priceOf(1000, 3) });
    expect(await rowsOf(session)).toEqual([{ ...whole(1000, 3), whole: 0 }]);
    await expectWhole(session);
  });

  it('BUD-09 counts what its provider had counted before it broke off, after the steps before', async () => {
    const session = new TestSession();
    chat.reply(call('c', 'clock'), usage(500, 5));
    chat.reply(usage(1000, 3), text('Half'), hangUp);
    expect(await session.turn('Go')).toMatchObject({ reason: 'failed', cost: priceOf(500, 5) + priceOf(1000, 3) });
    expect(await rowsOf(session)).toEqual([whole(500, 5), { ...whole(1000, 3), whole: 0 }]);
  });

  it('BUD-09 counts when its tokens are all that came', async () => {
    const session = new TestSession();
    chat.reply(usage(1000, 3), hangUp);
    expect(await session.turn('Go')).toMatchObject({ reason: 'failed', cost: priceOf(1000, 3) });
    expect(await rowsOf(session)).toEqual([{ ...whole(1000, 3), whole: 0 }]);
  });

  it('BUD-03 is of unknown cost where nothing was counted yet', async () => {
    const session = new TestSession();
    const run = await upTo(session, text('Half'));
    await session.event(isEvent('text_delta'));
    await session.accept('cancel');
    expect(await session.ended(run)).toMatchObject({ usage: noUsage, cost: null });
    expect(await rowsOf(session)).toEqual([{ turn: 1, whole: 0, model: name, input: null, output: null, cost: null }]);
  });

  it('is no reply where nothing of it had come: a call that is refused costs nothing', async () => {
    const session = new TestSession();
    chat.reply(status(400, '{}'));
    expect(await session.turn('Go')).toMatchObject({ reason: 'failed', cost: 0 });
    expect(await rowsOf(session)).toEqual([]);
  });

  it('INTR-05 is no reply where an edit was all that it had', async () => {
    const session = new TestSession();
    chat.reply(usage(1000, 3), text('Half'), hangUp);
    await session.turn('Go');
    Object.assign(env, { HARNESS_OPENAI_URL: 'http://model.test/v1' });
    chat.reply(status(400, '{}'));
    expect(await session.play('resume', { message: { content: 'Edited' } })).toMatchObject({ reason: 'failed', cost: 0 });
    chat.reply(text(' and more'), hangUp);
    expect(await session.play('retry')).toMatchObject({ reason: 'failed', cost: null });
    expect(await rowsOf(session)).toHaveLength(2);
  });

  it('BUD-09 counts when its step is discarded later, since it came whole', async () => {
    const session = new TestSession();
    const wrong = Array.from({ length: 4 }, (_, n) => call(`x${n}`, 'no_such_tool'));
    chat.reply(...wrong, usage(1000, 30));
    expect(await session.turn('Go')).toMatchObject({ errorKind: 'tool_retries_exceeded', cost: priceOf(1000, 30) });
    expect(await rowsOf(session)).toEqual([whole(1000, 30)]);
  });
});

describe('a death', () => {
  it('BUD-03 RUN-04 in the middle of a reply leaves one of unknown cost, and the one that is asked for again counts', async () => {
    const session = new TestSession();
    const run = await upTo(session, usage(1000, 3), text('Half'));
    await session.event(isEvent('text_delta'));
    await session.accept('patch', { title: 'All that was said so far is stored' });
    await session.kill();
    chat.reply(text('Whole'), usage(1000, 10));
    expect(await session.ended(run)).toMatchObject({ reason: 'done', usage: { input: 1000, output: 10 }, cost: null });
    expect(await rowsOf(session)).toEqual([
      { turn: 1, whole: 0, model: name, input: null, output: null, cost: null },
      whole(1000, 10),
    ]);
    await expectWhole(session);
  });

  it('RUN-16 RUN-04 after a reply does not count it twice', async () => {
    const session = new TestSession();
    chat.reply(call('w', 'wait', { seconds: 300 }), usage(1000, 10));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.event(isEvent('tool_started'));
    await session.kill();
    await session.snapshot();
    await session.accept('cancel');
    expect(await session.ended(run)).toMatchObject({ usage: { input: 1000, output: 10 }, cost: priceOf(1000, 10) });
    expect(await rowsOf(session)).toEqual([whole(1000, 10)]);
  });

  it('RUN-06 FAIL-15 the end that the next life writes has what the rows have', async () => {
    const session = new TestSession();
    chat.reply(call('w', 'wait', { seconds: 300 }), usage(1000, 10));
    const { run } = await session.accept<Started>('turn', { message: 'Go', id: 'go' });
    await session.event(isEvent('tool_started'));
    await runInDurableObject(session.stub, (_, { storage }) => {
      storage.sql.exec("INSERT INTO stops (target, kind, actor) VALUES ('go', 'cancel', '{\"participant\":\"x\"}')");
    });
    await session.kill();
    expect(await session.ended(run)).toMatchObject({
      reason: 'cancelled',
      usage: { input: 1000, output: 10 },
      cost: priceOf(1000, 10),
    });
  });
});

it('BUD-03 a session that was used before costs were counted has none, and its new turns have', async () => {
  const session = new TestSession();
  chat.reply(text('Hi'), usage(1000, 10));
  await session.turn('Go');
  await session.rows("UPDATE runs SET ended = json_remove(ended, '$.cost')");
  await session.rows('UPDATE session SET cost = NULL');
  await session.kill();
  expect(await session.snapshot()).toMatchObject({ usage: { session: { cost: null } }, lastEnded: { cost: null } });
  chat.reply(text('Hi'), usage(1000, 10));
  expect(await session.turn('Go')).toMatchObject({ cost: priceOf(1000, 10) });
  expect((await session.snapshot()).usage.session).toMatchObject({ input: 2000, cost: null });
});

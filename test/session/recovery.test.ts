import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it } from 'vitest';
import { directoryAddress, stubAt } from '../../src/session/address.ts';
import type { Summary } from '../../src/session/protocol/index.ts';
import { isDeath } from '../../src/session/recovery.ts';
import type { RunRow } from '../../src/session/rows/runs.ts';
import type { DirectoryApi } from '../../src/server/directory.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, hangUp, isEvent, saidIn, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

/** When the platform's alarm of the object is due; null when it has none. */
function alarmOf(session: TestSession): Promise<number | null> {
  return runInDurableObject(session.stub, (_, { storage }) => storage.getAlarm());
}

/** A turn in the middle of its reply, everything that was said of it stored. */
async function streaming(session = new TestSession()): Promise<{ session: TestSession; run: string }> {
  const asked = chat.requests.length;
  chat.reply(text('Half'), new Gate());
  const { run } = await session.accept<Started>('turn', { message: 'Go' });
  await chat.request(asked + 1);
  await session.event(isEvent('text_delta', { run }));
  return { session, run };
}

/** The object dies and lives again, in the middle of the reply that it then asks for. */
async function dieInReply(session: TestSession, run: string): Promise<void> {
  const asked = chat.requests.length;
  chat.reply(text('Half'), new Gate());
  await session.kill();
  await session.snapshot();
  await chat.request(asked + 1);
  await session.event((event) => event.run === run && event.type === 'text_delta', undefined);
}

/** Deltas are stored in blocks, and with whatever is committed next: a death after that has them. */
async function storeDeltas(session: TestSession): Promise<void> {
  await session.accept('patch', { title: 'Stored' });
}

const runRow = (session: TestSession): Promise<{ generation: number; deaths: number; retries: number }[]> =>
  session.rows('SELECT generation, deaths, retries FROM runs ORDER BY turn DESC LIMIT 1');

describe('a run on which the object dies again and again', () => {
  afterEach(() => void Reflect.deleteProperty(env, 'VERSION'));

  it('RUN-15 LOOP-03 ends as failed at the third death without progress, once, and its input can be tried again', async () => {
    const { session, run } = await streaming();
    await dieInReply(session, run);
    await dieInReply(session, run);
    expect(await runRow(session)).toEqual([{ generation: 3, deaths: 2, retries: 0 }]);
    await storeDeltas(session);
    await session.kill();
    expect(await session.ended(run)).toMatchObject({
      reason: 'failed',
      errorKind: 'transport_error',
      error: { class: 'recovery_exhausted' },
    });
    const asked = chat.requests.length;
    expect((await session.history()).filter(isEvent('turn_ended'))).toHaveLength(1);
    expect((await session.snapshot()).partial?.message.content).toEqual([{ type: 'text', text: 'Half' }]);
    chat.reply(text('Whole'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Whole' });
    expect(chat.requests).toHaveLength(asked + 1);
  });

  it('RUN-15 LOOP-03 ends it without reading what is stored of it, where even that is too much for a life', async () => {
    const { session, run } = await streaming();
    await storeDeltas(session);
    const broken = "UPDATE events SET body = 'no JSON' WHERE last = (SELECT max(last) FROM events)";
    await session.rows(broken);
    await session.kill();
    for (let n = 0; n < 3; n += 1)
      expect(
        await session.rows('SELECT 1').then(
          () => 'lives',
          () => 'dies',
        ),
      ).toBe('dies');
    expect(await session.ended(run)).toMatchObject({ reason: 'failed', error: { class: 'recovery_exhausted' } });
    chat.reply(text('Whole'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Whole' });
  });

  it('RUN-15 progress takes the deaths before it back', async () => {
    const { session, run } = await streaming();
    await dieInReply(session, run);
    chat.reply(text('Let me see.'), call('a', 'wait', { seconds: 300 }));
    await session.kill();
    await session.snapshot();
    await session.event(isEvent('tool_started'));
    expect(await runRow(session)).toEqual([{ generation: 3, deaths: 0, retries: 0 }]);
    for (let n = 0; n < 2; n += 1) {
      await session.kill();
      await session.snapshot();
    }
    expect((await runRow(session))[0]).toMatchObject({ deaths: 2 });
    await session.accept('cancel');
    expect(await session.ended(run)).toMatchObject({ reason: 'cancelled' });
  });

  it('RUN-15 a deploy in mid-turn is no death, however many there are', async () => {
    const { session, run } = await streaming();
    for (let n = 0; n < 5; n += 1) {
      Object.assign(env, { VERSION: { id: `deploy ${n}` } });
      await dieInReply(session, run);
    }
    expect(await runRow(session)).toEqual([{ generation: 6, deaths: 0, retries: 0 }]);
    Object.assign(env, { VERSION: { id: 'the last deploy' } });
    chat.reply(text('Whole'));
    await session.kill();
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Whole' });
  });

  it('RUN-15 an eviction waits for the turn that runs', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(text('Half '), gate, text('and half'));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.event(isEvent('text_delta', { run }));
    const evicted = session.evict();
    gate.open();
    await evicted;
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Half and half' });
    expect(await runRow(session)).toEqual([{ generation: 1, deaths: 0, retries: 0 }]);
  });

  it('RUN-15 a life whose sockets are still there did not die either', () => {
    const life = { incarnation: 'life 2', build: '1' };
    const row = { incarnation: 'life 1', build: '1' } as RunRow;
    expect([isDeath(row, life, 0), isDeath(row, life, 1), isDeath({ ...row, build: '0' }, life, 0)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the alarm', () => {
  it('RUN-15 is set before the work, within ten seconds, and gone when nothing runs', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Idle' });
    expect(await alarmOf(session)).toBe(null);
    const before = Date.now();
    const gate = new Gate();
    chat.reply(gate, text('Hi'));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await gate.reached;
    const due = (await alarmOf(session)) ?? Infinity;
    expect(due - before).toBeGreaterThan(0);
    expect(due - Date.now()).toBeLessThan(10_000);
    gate.open();
    await session.ended(run);
    await expect.poll(() => alarmOf(session)).toBe(null);
    expect(await session.count('alarms')).toBe(0);
  });

  it('RUN-15 is set again by the life that takes a lost turn over', async () => {
    const { session, run } = await streaming();
    await runInDurableObject(session.stub, (_, { storage }) => storage.deleteAlarm());
    const gate = new Gate();
    chat.reply(gate, text('Whole'));
    await session.kill();
    expect(((await alarmOf(session)) ?? 0) - Date.now()).toBeGreaterThan(0);
    gate.open();
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Whole' });
    await expect.poll(() => alarmOf(session)).toBe(null);
  });

  it('LOCK-15 while a turn runs renews its row and is set again; the turn goes on behind it', async () => {
    const { session, run } = await streaming();
    await session.rows('UPDATE alarms SET due = 0');
    await session.rows('UPDATE runs SET heartbeat = 0');
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    const [row] = await session.rows<{ heartbeat: number }>('SELECT heartbeat FROM runs');
    expect(Date.now() - (row?.heartbeat ?? 0)).toBeLessThan(60_000);
    expect(((await alarmOf(session)) ?? 0) - Date.now()).toBeGreaterThan(0);
    expect((await session.snapshot()).status).toBe('running');
    await session.accept('cancel', { target: run });
    await session.ended(run);
  });

  it('RUN-15 that is overdue is set a little ahead: one in the past may never fire', async () => {
    const { session, run } = await streaming();
    await session.rows('UPDATE alarms SET due = 1');
    await runInDurableObject(session.stub, async (object, { storage }) => {
      // Not due yet for the object that looks: it only puts the platform's alarm where the rows say.
      storage.sql.exec('UPDATE alarms SET due = ?', Date.now() - 5000);
      await storage.setAlarm(Date.now() + 60_000);
      (object as unknown as { alarm(): void }).alarm();
    });
    expect(((await alarmOf(session)) ?? 0) > Date.now()).toBe(true);
    await session.accept('cancel', { target: run });
    await session.ended(run);
  });

  it('STATE-12 PAUSE-23 there is none while a person is waited for: the object leaves memory, and wakes up to the answer', async () => {
    const session = new TestSession();
    const socket = await session.socket();
    chat.reply(call('a', 'write_note', { text: 'kept' }));
    await session.turn('Go');
    expect((await session.snapshot()).status).toBe('awaiting_input');
    await expect.poll(() => alarmOf(session)).toBe(null);
    expect(await session.count('alarms')).toBe(0);
    await session.evict();
    const { pending } = await session.snapshot();
    chat.reply(text('Saved'));
    const from = socket.frames.length;
    const answers = pending.map((item) => ({ callId: item.call.id, decisions: { approval: { allowed: true } }, values: {} }));
    await socket.command('answers', { answers });
    await socket.frame((frame) => frame.type === 'turn_ended', from);
    expect(await session.count('notes')).toBe(1);
    socket.close();
  });

  it('SESS-19 RUN-15 is still set when a turn has ended and the list does not know: the life that it wakes tells, and then it is gone', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.turn('Go');
    await expect.poll(() => alarmOf(session)).toBe(null);
    // As a death left it between the end of the turn and the telling of it.
    await session.rows("INSERT INTO alarms (name, due) VALUES ('run', 0)");
    await runInDurableObject(session.stub, (_, { storage }) => storage.setAlarm(Date.now() + 60_000));
    const list = stubAt(env.DIRECTORY, directoryAddress(session.address)) as unknown as DirectoryApi;
    const line = async (): Promise<Summary | undefined> => {
      const page = await list.list({ cursor: null, limit: 10, q: null, within: null });
      return page.ok ? page.value.sessions[0] : undefined;
    };
    await list.put({ ...((await line()) as Summary), status: 'running' });
    expect((await line())?.status).toBe('running');
    await session.kill();
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    await expect.poll(async () => (await line())?.status).toBe('idle');
    await expect.poll(() => alarmOf(session)).toBe(null);
  });

  it('RUN-15 is gone with an erased session', async () => {
    const { session } = await streaming();
    await session.stub.erase();
    expect(await alarmOf(session)).toBe(null);
  });
});

describe('a run that goes on', () => {
  it('RUN-04 TOOL-18 keeps counting the tool retries of the turn', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'no_such_tool'), call('b', 'no_such_tool'));
    chat.reply(text('Half'), new Gate());
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await chat.request(2);
    expect((await runRow(session))[0]).toMatchObject({ retries: 2 });
    await session.kill();
    chat.reply(call('c', 'no_such_tool'));
    chat.reply(call('d', 'no_such_tool'));
    expect(await session.ended(run)).toMatchObject({ reason: 'failed', errorKind: 'tool_retries_exceeded' });
  });

  it('RUN-04 LOOP-12 a call that had asked is not asked again, however the step goes on', async () => {
    const session = new TestSession();
    chat.reply(call('q', 'ask_user', { question: 'Which?' }), call('w', 'wait', { seconds: 300 }));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.event(isEvent('tool_waiting'));
    expect((await session.snapshot()).step?.calls.map(({ state }) => state)).toContain('waiting');
    await session.kill();
    await session.snapshot();
    const started = (await session.history()).filter(isEvent('tool_started'));
    expect(started.length).toBeLessThanOrEqual(3);
    const asked = (await session.history()).filter(isEvent('tool_waiting'));
    expect(asked).toHaveLength(1);
    await session.accept('cancel', { target: run });
    await session.ended(run);
  });

  it('INTR-05 RUN-04 continues an edited reply again, from the edit as it was', async () => {
    const session = new TestSession();
    chat.reply(text('One'), hangUp);
    await session.turn('Go');
    chat.reply(text(' lost'), new Gate());
    const { run } = await session.accept<Started>('resume', { message: { content: 'Uno' } });
    await session.event(isEvent('text_delta', { run, text: ' lost' }));
    await storeDeltas(session);
    await session.kill();
    chat.reply(text(' two'));
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Uno two' });
    const { left, messages, partial } = await session.snapshot();
    expect(saidIn(messages)).toEqual(['user: Go', 'assistant: Uno two']);
    expect(saidIn(left.map(({ message }) => message))).toEqual(['assistant: Uno lost']);
    expect(partial).toBe(null);
    expect(chat.requests[2]?.text).toBe(chat.requests[1]?.text);
  });
});

describe('a deploy after which the run cannot be played', () => {
  it('RUN-19 SESS-09 ends it as failed and says why; what was complete stays', async () => {
    const { session, run } = await streaming();
    await session.rows(`UPDATE runs SET choice = replace(choice, '"chat"', '"gone"')`);
    await session.kill();
    expect(await session.ended(run)).toMatchObject({
      reason: 'failed',
      error: { class: 'mode_not_configured', message: expect.stringContaining('not configured any more') },
    });
    chat.reply(text('Whole'));
    expect(await session.turn('Again')).toMatchObject({ reason: 'done' });
  });
});

describe('a retry', () => {
  it('G-12 MW-08 tells the model which calls of the failed attempt ran, in the prompt alone and at every step', async () => {
    const session = new TestSession();
    const wrong = Array.from({ length: 4 }, (_, n) => call(`x${n}`, 'no_such_tool'));
    chat.reply(call('w', 'wait', { seconds: 0 }), call('c', 'clock'), ...wrong);
    expect(await session.turn('Go')).toMatchObject({ reason: 'failed', errorKind: 'tool_retries_exceeded' });
    // No shipped tool has effects without an approval, and then its step is no discarded one: such a tool stands in for one.
    await session.rows(`UPDATE partials SET body = replace(body, '"name":"wait"', '"name":"write_note"')`);
    chat.reply(call('d', 'clock'));
    chat.reply(text('Done'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done' });
    const [, second, third] = chat.requests.map((request) => request.body.messages);
    const notes = [second, third].map((messages) => JSON.stringify(messages).split('Note of the host').length - 1);
    expect(notes).toEqual([1, 1]);
    expect(JSON.stringify(third).startsWith(JSON.stringify(second).slice(0, -1))).toBe(true);
    expect(JSON.stringify(second)).toContain('- write_note');
    expect(JSON.stringify(second)).not.toContain('- clock');
    const { messages } = await session.snapshot();
    expect(JSON.stringify(messages)).not.toContain('Note of the host');
    chat.reply(text('More'));
    await session.turn('Next');
    expect(chat.requests.at(-1)?.text).not.toContain('Note of the host');
  });
});

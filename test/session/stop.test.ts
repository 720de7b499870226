import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, isEvent, saidIn, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

/** A session whose model has said `So far` and waits. */
async function streaming(id?: string): Promise<{ session: TestSession; run: string }> {
  const session = new TestSession();
  chat.reply(text('So far'), new Gate());
  const { run } = await session.accept<Started>('turn', { message: 'Go', ...(id === undefined ? {} : { id }) });
  await session.event(isEvent('text_delta'));
  return { session, run };
}

describe('cancel and interrupt', () => {
  it('CANC-08 C-2 a cancel ends the turn without the reply, which stays to be read', async () => {
    const { session, run } = await streaming();
    const phone = { ...session.actor, client: 'phone' };
    expect(await session.accept('cancel', {}, phone)).toBe(null);
    expect(await session.ended(run)).toMatchObject({ reason: 'cancelled', by: phone, error: null });
    const snapshot = await session.snapshot();
    expect(saidIn(snapshot.messages)).toEqual(['user: Go']);
    expect(snapshot).toMatchObject({
      status: 'idle',
      step: null,
      partial: { by: phone, message: { content: [{ text: 'So far' }] } },
    });
  });

  it('INTR-01 INTR-02 INTR-04 an interrupt gives the reply so far as the partial, and no finish', async () => {
    const { session, run } = await streaming();
    await session.accept('interrupt', {});
    const ended = await session.ended(run);
    expect(ended).toMatchObject({
      reason: 'interrupted',
      finish: null,
      appended: [{ role: 'user' }],
      partial: { role: 'assistant', content: [{ type: 'text', text: 'So far' }] },
      by: session.actor,
    });
    expect((await session.snapshot()).partial?.message).toEqual(ended.partial);
  });

  it.each([
    ['the run', (_id: string, run: string) => run],
    ['the command', (id: string) => id],
  ])('may name %s as its target', async (_, target) => {
    const { session, run } = await streaming('cmd-1');
    await session.accept('cancel', { target: 'somebody else' });
    await session.accept('cancel', { target: target('cmd-1', run) });
    expect(await session.ended(run)).toMatchObject({ reason: 'cancelled' });
  });

  it.each(['cancel', 'interrupt'] as const)('%s of a turn holds even if it comes first: no model is asked', async (kind) => {
    const session = new TestSession();
    await session.accept(kind, { target: 'cmd-1' });
    await session.evict();
    const ended = await session.play('turn', { id: 'cmd-1', message: 'Go' });
    expect(ended).toMatchObject({ reason: kind === 'cancel' ? 'cancelled' : 'interrupted', by: session.actor });
    expect(chat.requests).toHaveLength(0);
    chat.reply(text('Hi'));
    expect(await session.play('turn', { id: 'cmd-2', message: 'Go' })).toMatchObject({ reason: 'done' });
  });

  it.each(['cancel', 'interrupt'] as const)('CANC-09 INTR-20 %s without a turn does nothing, now or later', async (kind) => {
    const session = new TestSession();
    expect(await session.accept(kind, {})).toBe(null);
    chat.reply(text('Hi'));
    expect(await session.turn('Hello')).toMatchObject({ reason: 'done' });
    expect(await session.accept(kind, {})).toBe(null);
    chat.reply(text('Hi'));
    expect(await session.turn('Hello')).toMatchObject({ reason: 'done' });
    expect(await session.count('stops')).toBe(0);
  });

  it('CANC-15 while calls wait it does nothing: they go on waiting', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A' }));
    const { run } = await session.turn('Go');
    await session.accept('cancel', {});
    await session.accept('cancel', { target: run });
    expect(await session.snapshot()).toMatchObject({ status: 'awaiting_input', pending: [{}] });
  });

  it('a cancel outranks an interrupt that came before it', async () => {
    const session = new TestSession();
    await session.accept('interrupt', { target: 'cmd-1' });
    await session.accept('cancel', { target: 'cmd-1' });
    await session.accept('interrupt', { target: 'cmd-1' });
    expect(await session.play('turn', { id: 'cmd-1', message: 'Go' })).toMatchObject({ reason: 'cancelled' });
  });

  it.each(['cancel', 'interrupt'] as const)('%s is a row before it is carried out', async (kind) => {
    const { session, run } = await streaming();
    const [stops, running] = await runInDurableObject(session.stub, async (object: Session, { storage: { sql } }) => {
      const answered = object.command(kind, {}, session.actor);
      const rows = [sql.exec('SELECT target, kind FROM stops').toArray(), sql.exec('SELECT id, status FROM runs').toArray()];
      await answered;
      return rows;
    });
    expect(stops).toEqual([{ target: run, kind }]);
    expect(running).toEqual([{ id: run, status: 'running' }]);
    await session.ended(run);
  });

  it.each([
    ['cancel', 'cancelled'],
    ['interrupt', 'interrupted'],
  ] as const)('%s that was stored holds over a death before it is carried out', async (kind, reason) => {
    const { session, run } = await streaming();
    await session.rows('INSERT INTO stops (target, kind, actor) VALUES (?, ?, ?)', run, kind, JSON.stringify(session.actor));
    await session.kill();
    expect(await session.ended(run)).toMatchObject({ reason, by: session.actor });
    expect(chat.requests).toHaveLength(1);
    expect(await session.snapshot()).toMatchObject({ status: 'idle', step: null });
  });

  it('of a run that has ended stops nothing that comes after it', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    const { run } = await session.play('turn', { id: 'cmd-1', message: 'Hello' });
    await session.accept('cancel', { target: run });
    await session.accept('cancel', { target: 'cmd-1' });
    chat.reply(text('Hi'));
    expect(await session.turn('Hello')).toMatchObject({ reason: 'done' });
    expect(await session.count('stops')).toBe(0);
  });
});

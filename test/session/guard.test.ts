import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { guardTime, releaseGuard, renewGuard, takeGuard } from '../../src/session/rows/guard.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, hangUp, isEvent, type Piece, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

const name = 'work';
const first = { owner: 'first', incarnation: 'life 1' };
const second = { owner: 'second', incarnation: 'life 1' };
const reborn = { owner: 'second', incarnation: 'life 2' };

/** Runs with the tables of a session that is in use. */
async function withTables<T>(work: (sql: SqlStorage) => T): Promise<T> {
  const session = new TestSession();
  await session.accept('patch', { title: 'Guards' });
  return runInDurableObject(session.stub, (_, state) => work(state.storage.sql));
}

const row = (sql: SqlStorage): unknown => sql.exec('SELECT owner, incarnation, generation, expires FROM guard').toArray()[0];

describe('a guard', () => {
  it('LOCK-01 LOCK-13 is one row with its expiry, and nobody else has it meanwhile', () =>
    withTables((sql) => {
      expect(takeGuard(sql, name, first, 1000)).toBe(true);
      expect(row(sql)).toEqual({ ...first, generation: 1, expires: 1000 + guardTime });
      expect(takeGuard(sql, name, second, 1000)).toBe(false);
      expect(takeGuard(sql, 'other', second, 1000)).toBe(true);
    }));

  it('LOCK-06 is not taken twice by its own holder', () =>
    withTables((sql) => {
      takeGuard(sql, name, first, 1000);
      expect(takeGuard(sql, name, first, 1000)).toBe(false);
    }));

  it('LOCK-09 is released by the holder that took it, and by no other', () =>
    withTables((sql) => {
      takeGuard(sql, name, first, 1000);
      takeGuard(sql, name, reborn, 2000);
      expect(releaseGuard(sql, name, first)).toBe(false);
      expect(releaseGuard(sql, name, { ...reborn, incarnation: 'life 1' })).toBe(false);
      expect(row(sql)).toEqual({ ...reborn, generation: 2, expires: 2000 + guardTime });
      expect(releaseGuard(sql, name, reborn)).toBe(true);
      expect(row(sql)).toBe(undefined);
    }));

  it('LOCK-10 C-17 of a dead incarnation is taken over, before its expiry too', () =>
    withTables((sql) => {
      takeGuard(sql, name, first, 1000);
      expect(takeGuard(sql, name, reborn, 1001)).toBe(true);
    }));

  it('LOCK-15 is renewed by its holder alone', () =>
    withTables((sql) => {
      takeGuard(sql, name, first, 1000);
      expect(renewGuard(sql, name, second, 5000)).toBe(false);
      expect(renewGuard(sql, name, first, 5000)).toBe(true);
      expect(row(sql)).toEqual({ ...first, generation: 1, expires: 5000 + guardTime });
    }));

  it.each([null, '', 'soon', '17e', 1.5])(
    'LOCK-11 LOCK-12 cannot have %j as its expiry: a torn value proves nothing',
    (expires) =>
      withTables((sql) => {
        const insert = 'INSERT INTO guard (name, owner, incarnation, generation, expires) VALUES (?, ?, ?, 1, ?)';
        expect(() => sql.exec(insert, name, 'first', 'life 1', expires)).toThrow();
      }),
  );
});

describe('the guard of a run', () => {
  const ends: readonly [string, readonly Piece[], (session: TestSession) => Promise<unknown>][] = [
    ['done', [text('Hi')], async () => {}],
    ['stopped', [call('a', 'clock')], async () => {}],
    ['awaiting_input', [call('a', 'write_note', { text: 'A' })], async () => {}],
    ['failed', [hangUp], async () => {}],
    ['cancelled', [text('So far')], (session) => session.accept('cancel')],
    ['interrupted', [text('So far')], (session) => session.accept('interrupt')],
  ];

  it.each(ends)('LOCK-05 LOCK-16 is held while it runs, and given back when it has %s', async (reason, pieces, end) => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, ...pieces);
    const { run } = await session.accept<Started>('turn', { message: 'Go', maxSteps: 1 });
    await gate.reached;
    expect(await session.rows('SELECT name, owner, generation FROM guard')).toEqual([{ name: 'run', owner: run, generation: 1 }]);
    await end(session);
    gate.open();
    expect(await session.ended(run)).toMatchObject({ reason });
    expect(await session.count('guard')).toBe(0);
  });

  it('FAIL-15 is given back when an event cannot be stored: the turn fails and the next one runs', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Full' });
    await session.rows(
      "CREATE TRIGGER full BEFORE INSERT ON messages WHEN new.body LIKE '%assistant%' BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    chat.reply(text('Hi'));
    expect(await session.turn('Go')).toMatchObject({
      reason: 'failed',
      error: { class: 'internal', message: expect.not.stringContaining('full') },
    });
    expect(await session.count('guard')).toBe(0);
    await session.rows('DROP TRIGGER full');
    chat.reply(text('Hi'));
    expect(await session.turn('Again')).toMatchObject({ reason: 'done' });
  });

  it('LOCK-04 FAIL-15 is given back when not even the end can be stored: the object begins anew', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('Hi'));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await gate.reached;
    await runInDurableObject(session.stub, (_, { storage }) => {
      storage.transactionSync = () => {
        throw new Error('full');
      };
    });
    gate.open();
    await expect.poll(() => session.count('guard').catch(() => -1)).toBe(0);
    expect(await session.ended(run)).toMatchObject({ reason: 'failed', error: { class: 'recovery_exhausted' } });
    chat.reply(text('Hi'));
    expect(await session.turn('Again')).toMatchObject({ reason: 'done' });
    expect((await session.history()).filter(isEvent('turn_ended', { run }))).toHaveLength(1);
  });

  it('a command that cannot be stored is refused, and nothing has changed', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Full' });
    await session.rows("CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'full'); END");
    const before = await session.snapshot();
    expect(await session.refusal('turn', { message: 'Go', id: 'once' })).toBe('unavailable');
    expect(await session.snapshot()).toEqual(before);
    expect([await session.count('messages'), await session.count('guard'), await session.count('receipts')]).toEqual([0, 0, 0]);
    await session.rows('DROP TRIGGER full');
    chat.reply(text('Hi'));
    expect(await session.play('turn', { message: 'Go', id: 'once' })).toMatchObject({ reason: 'done' });
  });
});

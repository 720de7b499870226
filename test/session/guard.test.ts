import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { EndedRun } from '../../src/session/protocol/index.ts';
import { beat, endRun, type Life, openRun, type RunRow, takeOver } from '../../src/session/rows/runs.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, hangUp, isEvent, type Piece, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

const life = (incarnation: string): Life => ({ incarnation, build: '1' });

/** A session whose turn waits for its model, and the run's row, as a life of its own would find it. */
async function running(): Promise<{ session: TestSession; gate: Gate; row: RunRow }> {
  const session = new TestSession();
  const gate = new Gate();
  chat.reply(gate, text('Hi'));
  await session.accept<Started>('turn', { message: 'Go' });
  await gate.reached;
  return { session, gate, row: await inRows(session, rowOf) };
}

function inRows<T>(session: TestSession, work: (sql: SqlStorage) => T): Promise<T> {
  return runInDurableObject(session.stub, (_, state) => work(state.storage.sql));
}

function rowOf(sql: SqlStorage): RunRow {
  const row = openRun(sql);
  if (row === undefined) throw new Error('nothing runs');
  return row;
}

const end = (run: string): EndedRun => ({ run }) as EndedRun;

describe('the row of a run', () => {
  it('LOCK-01 LOCK-13 is the guard: with it, in one statement, are the life that holds it and its heartbeat', async () => {
    const { session, gate, row } = await running();
    expect(row).toMatchObject({ generation: 1, deaths: 0, incarnation: expect.stringMatching(/^life_/), heartbeat: row.started });
    expect(await session.refusal('turn', { message: 'Me too' })).toBe('session_locked');
    gate.open();
    await session.ended(row.id);
    expect(await inRows(session, openRun)).toBe(undefined);
  });

  it('LOCK-10 C-17 is taken over by another life, and then the life before can neither renew nor end it', async () => {
    const { session, gate, row } = await running();
    await inRows(session, (sql) => {
      const taken = takeOver(sql, row, life('life 2'), true, 5000);
      expect(rowOf(sql)).toEqual(taken);
      expect(taken).toMatchObject({ incarnation: 'life 2', generation: 2, heartbeat: 5000, deaths: 1 });
      beat(sql, row.id, row.incarnation, 6000);
      expect(() => endRun(sql, end(row.id), row.incarnation)).toThrow('does not play it');
      expect(rowOf(sql)).toEqual(taken);
      takeOver(sql, taken, row, false, row.started);
    });
    gate.open();
    expect(await session.ended(row.id)).toMatchObject({ reason: 'done' });
  });

  it('LOCK-15 LOCK-09 is renewed and ended by the life that plays it', async () => {
    const { session, row } = await running();
    await inRows(session, (sql) => {
      beat(sql, row.id, row.incarnation, row.heartbeat + 1000);
      expect(rowOf(sql).heartbeat).toBe(row.heartbeat + 1000);
      endRun(sql, end(row.id), row.incarnation);
      expect(openRun(sql)).toBe(undefined);
    });
    await session.kill();
  });

  it.each([null, '', 'soon', '17e', 1.5])(
    'LOCK-11 LOCK-12 cannot have %j as its heartbeat: a torn value proves nothing',
    async (heartbeat) => {
      const { session, gate, row } = await running();
      await inRows(session, (sql) => {
        expect(() => sql.exec('UPDATE runs SET heartbeat = ? WHERE id = ?', heartbeat, row.id)).toThrow();
      });
      gate.open();
      await session.ended(row.id);
    },
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
    expect(await session.rows("SELECT id FROM runs WHERE status = 'running'")).toEqual([{ id: run }]);
    await end(session);
    gate.open();
    expect(await session.ended(run)).toMatchObject({ reason });
    expect(await inRows(session, openRun)).toBe(undefined);
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
    expect(await inRows(session, openRun)).toBe(undefined);
    await session.rows('DROP TRIGGER full');
    chat.reply(text('Hi'));
    expect(await session.turn('Again')).toMatchObject({ reason: 'done' });
  });

  it('LOCK-04 FAIL-15 is taken over when not even the end can be stored: the object begins anew, and the turn goes on', async () => {
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
    chat.reply(text('Hi'));
    gate.open();
    await expect
      .poll(() =>
        session.snapshot().then(
          ({ status }) => status,
          () => 'gone',
        ),
      )
      .toBe('idle');
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Hi' });
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
    expect([await session.count('messages'), await session.count('alarms'), await session.count('receipts')]).toEqual([0, 0, 0]);
    await session.rows('DROP TRIGGER full');
    chat.reply(text('Hi'));
    expect(await session.play('turn', { message: 'Go', id: 'once' })).toMatchObject({ reason: 'done' });
  });
});

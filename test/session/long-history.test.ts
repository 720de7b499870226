import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import { watching } from './statements.ts';
import { call, fakeChat, isEvent, type Started, status, TestSession, text } from './support.ts';

const chat = fakeChat();

/** Of one event, in characters. */
const eventSize = 25_000;

/**
 * A session that has taken so many turns of a question and an answer, and woken up again. Its events are 10 MB for each 400 turns; each reply
 * was cut, and every other one was gone on with.
 */
async function withHistory(turns: number): Promise<TestSession> {
  const session = new TestSession();
  await session.accept('patch', { title: 'History' });
  await runInDurableObject(session.stub, (_, { storage }) => {
    const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)';
    const fill = (insert: string, count: number, ...values: SqlStorageValue[]): void =>
      void storage.sql.exec(`${numbers} ${insert} FROM numbers`, count, ...values);
    const { seq } = storage.sql.exec<{ seq: number }>('SELECT max(last) AS seq FROM events').one();
    storage.transactionSync(() => {
      fill(
        `INSERT INTO messages (position, id, thread, run, v, bytes, body) SELECT n, 'msg_' || n, 1, 'run_' || ((n + 1) / 2), 1, 150,
           json_object('id', 'msg_' || n, 'role', iif(n % 2 = 1, 'user', 'assistant'), 'run', 'run_' || ((n + 1) / 2), 'created', n,
             'content', json_array(json_object('type', 'text', 'text', 'text ' || n)))`,
        2 * turns,
      );
      fill(
        `INSERT INTO runs (id, turn, thread, command, input, actor, choice, status, cancel_on_disconnect, started, seq, ended, position)
           SELECT 'run_' || n, n, 1, 'cmd_' || n, '{"kind":"message","messageId":"msg"}', '{"participant":"p"}',
             '{"mode":"chat","model":null,"maxSteps":null,"tools":null}', 'ended', 0, 1, ?2, json_object('run', 'run_' || n, 'turn', n,
             'reason', 'done', 'appended', json_array(), 'pending', json_array(), 'text', ''), 2 * n - 2`,
        turns,
        seq,
      );
      fill(`INSERT INTO receipts SELECT 'cmd_' || n, '', json_object('run', 'run_' || n, 'turn', n, 'cursor', '')`, turns);
      fill(`INSERT INTO answers SELECT 'call_' || n, 'applied', '{}', '{}', 1`, turns);
      fill(`INSERT INTO stops SELECT 'cmd_' || n, 'cancel', '{}'`, turns);
      fill(`INSERT INTO notes (text, created) SELECT 'note', 1`, turns);
      fill(
        `INSERT INTO usage (run, turn, message, whole, model, input, output, cost, at)
           SELECT 'run_' || n, n, 'msg_' || 2 * n, 1, 'openai/scripted', 10, 1, 0.5, 1`,
        turns,
      );
      fill(
        `INSERT INTO partials (run, thread, message, state, calls, body) SELECT 'run_' || n, 1, 'partial_' || n, iif(2 * n > ?1, 'resumed', 'left'),
           '{}', json_object('run', 'run_' || n, 'message', json_object('id', 'partial_' || n, 'role', 'assistant', 'content', json_array()),
             'rev', 1, 'by', NULL, 'after', 'msg_' || n, 'created', 1)`,
        turns,
      );
      fill(
        `INSERT INTO events (first, last, body) SELECT n + ?2, n + ?2, json_object('seq', n + ?2, 'type', 'warning', 'code', 'test', 'run', NULL,
           'turn', NULL, 'parent', NULL, 'at', 1, 'detail', printf('%.*c', ${eventSize}, 'x'))`,
        turns,
        seq,
      );
      storage.sql.exec('UPDATE session SET turn = ?', turns);
    });
  });
  await session.kill();
  return session;
}

/** What the statements of a session cost while something is done. */
interface Reads {
  /** The rows that each statement read, by its text; but not the one by which a run takes the whole conversation. */
  readonly rows: { readonly [query: string]: number };
  readonly sum: number;
  /** How often the whole conversation was taken. */
  readonly whole: number;
}

const wholeThread = 'SELECT v, body FROM messages WHERE position >= (SELECT thread_start FROM session) ORDER BY position';

async function readsOf(session: TestSession, work: () => Promise<unknown>): Promise<Reads> {
  const executed: { readonly query: string; readonly cursor: { readonly rowsRead: number } }[] = [];
  await watching(({ query }, execute) => {
    const cursor = execute();
    executed.push({ query, cursor });
    return cursor;
  }, work);
  return runInDurableObject(session.stub, () => {
    const rows: { [query: string]: number } = {};
    // The alarm's one row is read when the alarm rings, which on a slow machine it does in the middle.
    const counted = executed.filter(({ query }) => query !== wholeThread && !query.includes('FROM alarms'));
    for (const { query, cursor } of counted) rows[query] = (rows[query] ?? 0) + cursor.rowsRead;
    const sum = Object.values(rows).reduce((total, n) => total + n, 0);
    return { rows, sum, whole: executed.filter(({ query }) => query === wholeThread).length };
  });
}

/** Opens a socket so many events before the newest, or without a cursor. */
async function look(session: TestSession, behind?: number): Promise<void> {
  const { epoch, seq } = await session.snapshot();
  const socket = await session.socket(behind === undefined ? undefined : `${epoch}.${seq - behind}`);
  expect(socket.frames[0]?.snapshot === undefined).toBe(behind !== undefined && behind * eventSize < 8 * 1024 * 1024);
  socket.close();
  await socket.closed;
}

/** Starts a turn whose reply stops after a word, and does something then. */
async function during(session: TestSession, then: () => Promise<unknown>): Promise<void> {
  chat.reply(text('Half'), new Gate());
  const { run, cursor } = await session.accept<Started>('turn', { message: 'Go' });
  await session.event(isEvent('text_delta'), cursor);
  await then();
  await session.ended(run);
}

interface Act {
  readonly what: string;
  /** The most rows it may read, whatever the history. */
  readonly budget: number;
  /** How many runs it plays: each takes the whole conversation once, and nothing else does. */
  readonly runs: number;
  readonly act: (session: TestSession, turns: number) => Promise<unknown>;
}

/** What is done with a session, one after the other. */
const acts: readonly Act[] = [
  { what: 'to wake', budget: 370, runs: 0, act: (session) => session.snapshot() },
  { what: 'to connect', budget: 0, runs: 0, act: (session) => look(session) },
  { what: 'to connect with a cursor', budget: 400, runs: 0, act: (session) => look(session, 200) },
  { what: 'to connect with a cursor that is too far behind', budget: 350, runs: 0, act: (session) => look(session, 490) },
  { what: 'to read the first page', budget: 60, runs: 0, act: (session) => session.stub.messages(null, 50) },
  { what: 'to read an older page', budget: 60, runs: 0, act: (session, turns) => session.stub.messages(`msg_${turns}`, 50) },
  { what: 'to ask for the end of an old run', budget: 5, runs: 0, act: (session) => session.ended('run_3') },
  { what: 'to cancel what ended long ago', budget: 10, runs: 0, act: (session) => session.accept('cancel', { target: 'cmd_3' }) },
  { what: 'to cancel what never was', budget: 10, runs: 0, act: (session) => session.accept('cancel', { target: 'nothing' }) },
  { what: 'to patch', budget: 10, runs: 0, act: (session) => session.accept('patch', { title: 'New', id: 'patch' }) },
  {
    what: 'to pause',
    budget: 70,
    runs: 1,
    act: (session) => {
      chat.reply(call('a', 'write_note', { text: 'x' }), call('b', 'ask_user', { question: 'Which?' }));
      return session.turn('Go');
    },
  },
  {
    what: 'to wake while calls wait',
    budget: 370,
    runs: 0,
    act: async (session) => {
      await session.kill();
      expect((await session.snapshot()).status).toBe('awaiting_input');
    },
  },
  {
    what: 'to answer one of two',
    budget: 25,
    runs: 0,
    act: async (session) => {
      const { pending } = await session.snapshot();
      await session.accept('answers', {
        answers: [{ callId: String(pending[0]?.call.id), decisions: { approval: { allowed: true } } }],
      });
    },
  },
  { what: 'to deny all', budget: 30, runs: 0, act: (session) => session.accept('deny_all') },
  {
    what: 'to cancel a turn that runs',
    budget: 60,
    runs: 1,
    act: (session) => during(session, () => session.accept('cancel', {})),
  },
  {
    what: 'to steer, to edit what waits and to drop it',
    budget: 80,
    runs: 1,
    act: (session) =>
      during(session, async () => {
        const { inbox: item } = await session.accept<{ inbox: string }>('message', { message: 'Wait', delivery: 'queue' });
        await session.accept('inbox', { item, op: 'edit', message: 'No' });
        await session.accept('inbox', { item, op: 'drop' });
        await session.accept('interrupt');
      }),
  },
  {
    what: 'to go on from a reply that was cut, and to try again',
    budget: 120,
    runs: 2,
    act: async (session) => {
      chat.reply(status(400, '{}'));
      expect((await session.play('resume', { message: { content: 'Whole' } })).reason).toBe('failed');
      chat.reply(text(' sentence.'));
      expect((await session.play('retry')).text).toBe('Whole sentence.');
    },
  },
  {
    what: 'to keep a reply that was cut',
    budget: 70,
    runs: 1,
    act: async (session) => {
      await during(session, () => session.accept('interrupt'));
      await session.accept('partial', { op: 'keep' });
    },
  },
  { what: 'to begin a new thread', budget: 15, runs: 0, act: (session) => session.accept('new') },
  {
    what: 'to wake in a new thread',
    budget: 80,
    runs: 0,
    act: async (session) => {
      await session.kill();
      expect((await session.snapshot()).messages).toEqual([]);
    },
  },
];

describe('a session of 20,000 messages, 10,000 turns and 250 MB of events', () => {
  it('reads no more than one of 1,000 messages, and the conversation only to ask the model', { timeout: 300_000 }, async () => {
    const [long, short] = [await withHistory(10_000), await withHistory(500)];
    for (const { what, budget, runs, act } of acts) {
      const expected = await readsOf(short, () => act(short, 500));
      const found = await readsOf(long, () => act(long, 10_000));
      expect(found, what).toEqual(expected);
      expect(found.sum, what).toBeLessThanOrEqual(budget);
      expect(found.whole, what).toBe(runs);
    }
  });
});

describe('replies that were cut and left', () => {
  it('C-2 are shown up to 512 KiB, the newest of them, in memory as from rows', async () => {
    const session = new TestSession();
    const cut: string[] = [];
    for (let n = 1; n <= 8; n += 1) {
      chat.reply(text(`${n} ${'x'.repeat(100_000)}`), new Gate());
      const { run, cursor } = await session.accept<Started>('turn', { message: 'Go' });
      await session.event(isEvent('text_delta'), cursor);
      await session.accept('interrupt');
      await session.ended(run);
      cut.push(run);
    }
    chat.reply(text('Whole.'));
    await session.turn('Go');
    const live = await session.snapshot();
    expect(live.left.map(({ run }) => run)).toEqual(cut.slice(-5));
    await session.evict();
    expect(await session.snapshot()).toEqual(live);
  });
});

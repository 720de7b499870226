import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import type { SessionEvent, Snapshot } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, isEvent, saidIn, type Started, TestSession, text, usage } from './support.ts';
import { expectWhole, storedEvents } from './whole.ts';

const chat = fakeChat();

const tables = [
  'session',
  'messages',
  'runs',
  'alarms',
  'events',
  'receipts',
  'stops',
  'inbox',
  'pending',
  'answers',
  'partials',
  'notes',
  'usage',
];
type Rows = { readonly [table: string]: readonly Record<string, SqlStorageValue>[] };

/** The rows of a session after every transaction from here on: what a death at that point would leave. */
function recordRows(session: TestSession): Promise<Rows[]> {
  return runInDurableObject(session.stub, (_, { storage }) => {
    const states: Rows[] = [];
    const original = storage.transactionSync.bind(storage);
    let depth = 0;
    storage.transactionSync = (work) => {
      depth += 1;
      try {
        return original(work);
      } finally {
        depth -= 1;
        if (depth === 0) states.push(rowsOf(storage.sql));
      }
    };
    return states;
  });
}

function rowsOf(sql: SqlStorage): Rows {
  return Object.fromEntries(tables.map((table) => [table, sql.exec(`SELECT * FROM ${table}`).toArray()]));
}

/** A session that died with these rows. */
async function deadSession(rows: Rows): Promise<TestSession> {
  const session = new TestSession();
  await session.accept('patch', { title: 'x' });
  await runInDurableObject(session.stub, (_, { storage }) => {
    storage.transactionSync(() => {
      for (const table of tables) {
        storage.sql.exec(`DELETE FROM ${table}`);
        for (const row of rows[table] ?? []) {
          const columns = Object.keys(row);
          const places = columns.map(() => '?').join(', ');
          storage.sql.exec(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, ...Object.values(row));
        }
      }
    });
  });
  await session.kill();
  return session;
}

/** A snapshot without what is no row: who is there. */
function rowsPart({ presence: _, ...rest }: Snapshot): Omit<Snapshot, 'presence'> {
  return rest;
}

/** Waits until an event of this type came, with this text if one is given. */
async function begun(session: TestSession, type: string, said?: string): Promise<void> {
  const socket = await session.socket(`${(await session.snapshot()).epoch}.0`);
  await socket.frame((frame) => frame.type === type && (said === undefined || frame.text === said));
  socket.close();
}

/** Waits until nothing runs. */
async function rested(session: TestSession): Promise<Snapshot> {
  for (;;) {
    const snapshot = await session.snapshot();
    if (snapshot.status !== 'running' || snapshot.run === null) return snapshot;
    await session.ended(snapshot.run);
  }
}

/** Answers whatever waits: allows it, or gives a text. */
function allAnswers(snapshot: Snapshot): JsonObject {
  const answers = snapshot.pending.map((item) => ({
    callId: item.call.id,
    decisions: Object.fromEntries(item.needs.flatMap((need) => (need.type === 'approval' ? [[need.id, { allowed: true }]] : []))),
    values: Object.fromEntries(item.needs.flatMap((need) => (need.type === 'question' ? [[need.id, 'blue']] : []))),
  }));
  return { answers };
}

describe('a death', () => {
  it('RUN-15 RUN-04 in the middle of a reply: it is shown and does not count, its step is asked again in the same turn', async () => {
    const session = new TestSession();
    chat.reply(text('Half a '), text('reply'), new Gate());
    const { run } = await session.accept<Started>('turn', { message: 'first input' });
    await begun(session, 'text_delta');
    await session.accept('patch', { title: 'All that was said so far is stored' });
    const before = await session.snapshot();
    await session.kill();
    chat.reply(text('A whole reply'));
    const ended = await session.ended(run);
    expect(ended).toMatchObject({ run, turn: 1, reason: 'done', text: 'A whole reply' });
    const after = await session.snapshot();
    expect(after).toMatchObject({ status: 'idle', epoch: before.epoch + 1, partial: null, turn: 1 });
    expect(saidIn(after.messages)).toEqual(['user: first input', 'assistant: A whole reply']);
    expect(saidIn(after.left.map(({ message }) => message))).toEqual(['assistant: Half a reply']);
    const events = await storedEvents(session);
    const told = events.filter(({ type }) => type !== 'state' && type !== 'text_delta').map(({ type }) => type);
    expect(told).toEqual([
      'turn_started',
      'step_started',
      'message_started',
      'warning',
      'message_discarded',
      'message_started',
      'message_ended',
      'step_ended',
      'turn_ended',
    ]);
    expect(chat.requests[1]?.text).toBe(chat.requests[0]?.text);
    await expectWhole(session);
  });

  it('RUN-06 RUN-16 RUN-07 in a later step: the turn counts all its steps, what they appended and their tokens', async () => {
    const session = new TestSession();
    chat.reply(call('c', 'clock', {}), usage(11, 7));
    chat.reply(text('It is'), new Gate());
    const { run } = await session.accept<Started>('turn', { message: 'first input' });
    await begun(session, 'text_delta');
    await session.kill();
    chat.reply(text('It is noon'), usage(20, 3));
    const ended = await session.ended(run);
    const { messages } = await session.snapshot();
    expect(ended.appended.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    expect(ended).toMatchObject({ reason: 'done', finish: 'stop', usage: { input: 31, output: 10 } });
    expect(saidIn(messages).at(-1)).toBe('assistant: It is noon');
  });

  it('RUN-15 between the admission of a turn and its first event: the turn is played', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'x' });
    const states = await recordRows(session);
    chat.reply(text('Hi'));
    await session.turn('first input');
    const admitted = states.find((rows) => rows.runs?.length === 1 && !JSON.stringify(rows.events).includes('turn_started'));
    if (admitted === undefined) throw new Error('the admission was not recorded');
    chat.reply(text('Now'));
    const dead = await deadSession(admitted);
    const after = await rested(dead);
    expect(after).toMatchObject({ status: 'idle', turn: 1, partial: null, lastEnded: { turn: 1, reason: 'done', text: 'Now' } });
    await expectWhole(dead);
  });

  it('CANC-01 after a cancel was acknowledged: the cancel holds and no model is asked', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(text('Half'), gate);
    const socket = await session.socket();
    await socket.command('turn', { message: 'first input', id: 'first' });
    await begun(session, 'text_delta');
    await socket.command('message', { message: 'second input', delivery: 'queue' });
    await runInDurableObject(session.stub, (_, { storage }) => {
      // The death comes in the tick of the acknowledgement: the run itself has no chance to end.
      storage.sql.exec("INSERT INTO stops (target, kind, actor) VALUES ('first', 'cancel', '{\"participant\":\"x\"}')");
    });
    await session.kill();
    const after = await session.snapshot();
    expect(after).toMatchObject({ status: 'idle', lastEnded: { reason: 'cancelled', by: { participant: 'x' } } });
    expect(after.inbox).toMatchObject([{ held: true }]);
    expect(chat.requests).toHaveLength(1);
  });

  it('STEER-10 with messages waiting: each lands in order and gets its own answer', async () => {
    const session = new TestSession();
    chat.reply(text('Half'), new Gate());
    await session.accept('turn', { message: 'one' });
    await begun(session, 'text_delta');
    await session.accept('interject', { message: 'two', delivery: 'queue' });
    await session.accept('interject', { message: 'three', delivery: 'queue' });
    for (const reply of ['to one', 'to two', 'to three']) chat.reply(text(reply));
    await session.kill();
    const after = await rested(session);
    expect(saidIn(after.messages)).toEqual([
      'user: one',
      'assistant: to one',
      'user: two',
      'assistant: to two',
      'user: three',
      'assistant: to three',
    ]);
    expect(after.inbox).toEqual([]);
    expect(chat.requests).toHaveLength(4);
    expect(chat.requests[2]?.text).not.toContain('three');
    await expectWhole(session);
  });

  it('RUN-04 TOOL-29 in a tool that only reads, or is idempotent: it runs again, and calls that had settled do not', async () => {
    const session = new TestSession();
    chat.reply(call('c', 'clock'), call('w', 'wait', { seconds: 300 }));
    const { run } = await session.accept<Started>('turn', { message: 'first input' });
    await begun(session, 'tool_ended');
    await session.kill();
    await session.snapshot();
    const started = (await session.history()).filter(isEvent('tool_started'));
    expect(started).toHaveLength(3);
    await session.accept('cancel', { target: run });
    expect((await session.ended(run)).reason).toBe('cancelled');
    const ends = (await storedEvents(session)).filter(isEvent('tool_ended'));
    expect(new Set(ends.map((event) => (event.type === 'tool_ended' ? event.id : '')))).toHaveLength(2);
    expect(ends).toHaveLength(2);
    expect(chat.requests).toHaveLength(1);
  });

  it('B13 PAUSE-23 while calls wait loses none of them, nor what was answered already', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'ask_user', { question: 'One?' }), call('b', 'write_note', { text: 'kept' }));
    await session.turn('first input');
    const { answers } = allAnswers(await session.snapshot()) as { answers: JsonObject[] };
    await session.accept('answers', { answers: answers.slice(0, 1) });
    const before = await session.snapshot();
    await session.kill();
    const after = await session.snapshot();
    expect(rowsPart(after)).toEqual(rowsPart(before));
    chat.reply(text('Thanks'));
    expect((await session.play('answers', { answers: answers.slice(1) })).text).toBe('Thanks');
    expect(await session.count('notes')).toBe(1);
  });

  it('G-11 RUN-04 after an answered call ran and before its results were stored: it does not run twice', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'once' }), call('b', 'wait', { seconds: 0 }));
    await session.turn('first input');
    const states = await recordRows(session);
    chat.reply(text('Saved'));
    await session.play('answers', allAnswers(await session.snapshot()));
    const ran = states.find((rows) => rows.notes?.length === 1 && rows.pending?.length === 1 && endedCalls(rows) === 2);
    if (ran === undefined) throw new Error('no state between the call and its step');
    chat.reply(text('Saved once'));
    const dead = await deadSession(ran);
    const after = await rested(dead);
    expect(after).toMatchObject({ status: 'idle', staged: [], pending: [], lastEnded: { reason: 'done', text: 'Saved once' } });
    expect(JSON.stringify(after.lastEnded?.appended)).toContain('Saved.');
    expect(await dead.count('notes')).toBe(1);
    await expectWhole(dead);
  });

  it('G-11 C-8 while an answered call ran: whether it took effect is unknown, and the model is told so', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'perhaps' }));
    await session.turn('first input');
    const states = await recordRows(session);
    chat.reply(text('Saved'));
    await session.play('answers', allAnswers(await session.snapshot()));
    const began = states.find((rows) => rows.pending?.length === 1 && JSON.stringify(rows.events).includes('tool_started'));
    if (began === undefined) throw new Error('no state within the call');
    chat.reply(text('I see'));
    const dead = await deadSession({ ...began, notes: [] });
    const after = await rested(dead);
    expect(after.lastEnded).toMatchObject({ reason: 'done', text: 'I see' });
    expect(JSON.stringify(after.messages)).toContain('Outcome unknown');
    expect(chat.requests.at(-1)?.text).toContain('Outcome unknown');
    expect(await dead.count('notes')).toBe(0);
    const told = (await storedEvents(dead)).find(isEvent('tool_ended', { run: after.run }));
    expect(JSON.stringify(told)).toContain('Outcome unknown');
    await expectWhole(dead);
  });

  it('EVT-35 gives the stream of a run, asked for again, all that is stored of it and its end', async () => {
    const session = new TestSession();
    chat.reply(text('Half'), new Gate());
    const { run, cursor } = await session.accept<Started>('turn', { message: 'first input' });
    await begun(session, 'text_delta');
    await session.kill();
    chat.reply(text('Whole'));
    const stream = await session.stub.follow({ run, cursor, format: 'ndjson' });
    const lines = (await new Response(stream).text()).trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as SessionEvent);
    expect(events[0]?.type).toBe('turn_started');
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', reason: 'done' });
    expect(events.every((event) => event.run === run)).toBe(true);
  });

  it('EVT-35 gives a client that saw what was not stored a snapshot, and one that reads on no event twice', async () => {
    const session = new TestSession();
    chat.reply(text('Unsto'), text('red'), new Gate());
    const socket = await session.socket();
    await socket.command('turn', { message: 'first input' });
    await socket.frame((frame) => frame.type === 'text_delta' && String(frame.text).endsWith('red'));
    const seen = socket.events();
    await session.kill();
    expect(await socket.closed).toBe(1006);
    const { epoch } = await session.snapshot();
    const back = await session.socket(`${epoch - 1}.${seen.at(-1)?.seq}`);
    expect(back.frames[0]).toHaveProperty('snapshot');
    const stored = await storedEvents(session);
    const durable = seen.filter((event) => event.type === 'state');
    expect(durable).toHaveLength(1);
    expect(stored).toEqual(expect.arrayContaining(durable));
  });
});

function endedCalls(rows: Rows): number {
  const events = (rows.events ?? []).flatMap((row) =>
    String(row.body)
      .split('\n')
      .map((line) => JSON.parse(line) as SessionEvent),
  );
  return events.filter((event) => isObject(event as unknown as Json) && event.type === 'tool_ended').length;
}

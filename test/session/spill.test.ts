import { runInDurableObject } from 'cloudflare:test';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallContext } from '../../src/core/call-context.ts';
import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import { byteLength } from '../../src/session/bytes.ts';
import { applyEvent, type EndedRun, type Large, type SessionEvent, type Snapshot } from '../../src/session/protocol/index.ts';
import { putBlob, readBlob } from '../../src/session/rows/blobs.ts';
import { eventsAfter } from '../../src/session/rows/events.ts';
import { noteRan, putAnswer, readAnswer, readPending, readRan, replacePending } from '../../src/session/rows/pending.ts';
import { putReceipt, readReceipt } from '../../src/session/rows/receipts.ts';
import { cellLength, cellLimit, spilled, unspilled } from '../../src/session/rows/spill.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, isEvent, type Started, status, TestSession, text } from './support.ts';

const chat = fakeChat();

/** What the platform lets a row hold, in bytes, by its documents. */
const platformLimit = 2_000_000;

/** Runs on the tables of a session of its own. */
async function onRows<T>(work: (sql: SqlStorage, storage: DurableObjectStorage) => T): Promise<T> {
  const session = new TestSession();
  await session.accept('patch', { title: 'Rows' });
  return runInDurableObject(session.stub, (_, { storage }) => work(storage.sql, storage));
}

/** A text of so many bytes as UTF-8, of characters of all lengths, which JSON writes as more. */
function sized(bytes: number): string {
  const unit = `${'Some words. '.repeat(40)}é日🧵 "quoted" \\ \n \u0001 `;
  const size = byteLength(unit);
  return unit.repeat(Math.floor(bytes / size)) + 'x'.repeat(bytes % size);
}

/** The tables with texts that may be large, and the columns that hold them. */
const cells: { readonly [table: string]: readonly string[] } = {
  messages: ['body'],
  events: ['body'],
  runs: ['input', 'ended'],
  inbox: ['body'],
  pending: ['body', 'ran'],
  answers: ['body'],
  partials: ['body', 'calls'],
  receipts: ['result'],
  blobs: ['piece'],
};

/** The bytes of the largest row of a session's, its large columns together. */
async function largestRow(session: TestSession): Promise<number> {
  let largest = 0;
  for (const [table, columns] of Object.entries(cells)) {
    const sum = columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');
    const [row] = await session.rows<{ bytes: number }>(`SELECT coalesce(max(${sum}), 0) AS bytes FROM ${table}`);
    largest = Math.max(largest, row?.bytes ?? 0);
  }
  return largest;
}

const megabytes = 1024 * 1024;
const sizes: readonly [string, number][] = [
  ['2 MB - 1', 2 * megabytes - 1],
  ['2 MB', 2 * megabytes],
  ['2 MB + 1', 2 * megabytes + 1],
  ['5 MB', 5 * megabytes],
];

describe('a text cell', () => {
  const kinds: readonly [string, string][] = [
    ['ASCII', 'x'],
    ['control characters', '\u0001'],
    ['what JSON escapes', '"'],
    ['lone surrogates', '\ud83e'],
    ['three bytes each', '日'],
    ['four bytes each', '🧵'],
  ];

  it.each(kinds)('G-19 holds JSON texts of %s at the limit and beside it, and gives them back exactly', async (_, character) => {
    await onRows((sql) => {
      for (const length of [cellLimit - 1, cellLimit, cellLimit + 1, 3 * cellLimit, 3 * cellLimit + 1]) {
        const json = `"${'x'.repeat((length - 2) % 12)}${JSON.stringify(character.repeat(length)).slice(1, length - 1)}`;
        const whole = json.slice(0, length);
        expect(whole).toHaveLength(length);
        const cell = spilled(sql, whole);
        expect(cell === whole).toBe(length <= cellLimit);
        expect(unspilled(sql, cell) === whole).toBe(true);
        expect(cellLength(cell)).toBe(length);
      }
      const { bytes } = sql.exec<{ bytes: number }>('SELECT max(octet_length(piece)) AS bytes FROM blobs').one();
      expect(bytes).toBeLessThan(platformLimit);
    });
  });

  it('G-19 two cells of the worst case are below what a row holds', () => {
    expect(2 * byteLength('日'.repeat(cellLimit)) + 65_536).toBeLessThan(platformLimit);
  });

  it('G-19 is read as what was put, whatever it is', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...kinds.map(([, character]) => character)).map((character) => character.repeat(cellLimit + 1)),
      fc.constantFrom('@', '@5:', `@5:${'0'.repeat(64)}`),
    );
    await onRows((sql) => {
      fc.assert(
        fc.property(texts, texts, (head, tail) => {
          const whole = (head + tail).toWellFormed();
          expect(unspilled(sql, spilled(sql, whole)) === whole).toBe(true);
        }),
        { numRuns: 50 },
      );
    });
  });

  it('G-19 is stored once for equal texts, and given out to nobody', async () => {
    await onRows((sql) => {
      const count = (): number => sql.exec<{ n: number }>('SELECT count(*) AS n FROM blobs').one().n;
      const cell = spilled(sql, 'x'.repeat(cellLimit + 1));
      const before = count();
      expect(spilled(sql, 'x'.repeat(cellLimit + 1))).toBe(cell);
      expect(count()).toBe(before);
      expect(readBlob(sql, cell)).toBe(undefined);
      expect(readBlob(sql, cell.slice(-64))).toBe(undefined);
    });
  });

  it('G-19 of which a piece is missing is an error, never a shorter text', async () => {
    await onRows((sql) => {
      const cell = spilled(sql, 'x'.repeat(3 * cellLimit));
      sql.exec('DELETE FROM blobs WHERE n = 0');
      expect(() => unspilled(sql, cell)).toThrow('missing');
    });
  });
});

describe('a value that is given out', () => {
  it('G-19 is there whole or not at all: where its writing broke off it is written again', async () => {
    await onRows((sql) => {
      const hash = 'a'.repeat(64);
      const blob = { mediaType: 'text/plain', text: '\u0001'.repeat(1_000_000) };
      const original = sql.exec.bind(sql);
      for (let failing = 1; failing <= 3; failing += 1) {
        let inserts = 0;
        sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
          if (query.startsWith('INSERT') && (inserts += 1) === failing) throw new Error('disk is full');
          return original(query, ...values);
        }) as typeof sql.exec;
        expect(() => putBlob(sql, hash, blob)).toThrow('disk is full');
        expect(readBlob(sql, hash)).toBe(undefined);
      }
      sql.exec = original;
      putBlob(sql, hash, blob);
      expect(readBlob(sql, hash)).toEqual(blob);
    });
  });
});

describe.each(sizes)('rows with values of %s', (_, bytes) => {
  it('PAUSE-04 G-19 hold a call that waits, what came of it, and its answer', async () => {
    await onRows((sql, storage) => {
      const value = sized(bytes);
      const pending = {
        call: { type: 'tool_call', id: 'call_1', name: 'n', input: {} },
        needs: [{ type: 'question', id: 'q', text: 'Which?', choices: null }],
        state: { so: [value] },
      } as const;
      const outcome = { content: [{ type: 'text', text: value }], value: null, meta: [], error: false } as const;
      const answer = { callId: 'call_1', decisions: {}, values: { q: value } };
      storage.transactionSync(() => {
        replacePending(sql, [pending]);
        noteRan(sql, { call_1: outcome });
        putAnswer(sql, { answer, state: 'staged', by: { participant: 'p' }, at: 1 });
      });
      expect(readPending(sql)).toEqual([pending]);
      expect(readRan(sql)).toEqual({ call_1: outcome });
      expect(readAnswer(sql, 'call_1')?.answer).toEqual(answer);
    });
  });

  it('G-19 hold what a command answered', async () => {
    await onRows((sql) => {
      const result = { run: null, staged: Array.from({ length: 100 }, () => sized(bytes / 100)) };
      putReceipt(sql, 'cmd_1', 'digest', result);
      expect(readReceipt(sql, 'cmd_1')).toEqual({ digest: 'digest', result });
    });
  });
});

/** The text that a reference stands for, as the session gives it out; a text is itself. */
async function whole(session: TestSession, value: unknown): Promise<string> {
  if (typeof value === 'string') return value;
  const outcome = await session.stub.blob((value as Large).hash);
  if (!outcome.ok) throw new Error(outcome.problem.code);
  return String(outcome.value.content);
}

/** What the parts of a message say, results and their parts included, each whole. */
async function saidWhole(session: TestSession, content: unknown): Promise<string> {
  const parts = content as readonly JsonObject[];
  const texts = await Promise.all(
    parts.map((part) => (part.type === 'tool_result' ? saidWhole(session, part.content) : whole(session, part.text))),
  );
  return texts.join('');
}

/** A snapshot as two of them are compared: of its messages the newest `count`. */
function compared({ presence: _p, more: _m, messages, ...rest }: Snapshot, count: number): Json {
  return { ...rest, messages: messages.slice(-count) } as unknown as Json;
}

/**
 * What must hold of a session at rest that holds large values: in a new life its snapshot is the same, a snapshot and the events after it are
 * the same too, and no row is larger than the platform has them.
 */
async function checkLarge(session: TestSession, before: Snapshot): Promise<Snapshot> {
  const live = await session.snapshot();
  await session.kill();
  const woken = await session.snapshot();
  expect({ ...woken, presence: [] }).toEqual({ ...live, presence: [] });
  const socket = await session.socket(`${before.epoch}.${before.seq}`);
  const ready = socket.frames[0]?.snapshot as Snapshot | undefined;
  if (ready === undefined) await socket.frame((frame) => frame.seq === woken.seq);
  const folded = socket.events().reduce(applyEvent, ready ?? before);
  expect(compared(folded, woken.messages.length)).toEqual(compared(woken, woken.messages.length));
  socket.close();
  expect(await largestRow(session)).toBeLessThan(platformLimit);
  return woken;
}

/** Every event that is stored. */
function storedEvents(session: TestSession): Promise<SessionEvent[]> {
  return runInDurableObject(session.stub, (_, { storage }) => [...eventsAfter(storage.sql, 0)]);
}

/** Notes whose reading gives a result of exactly so many bytes; gives that result. */
async function noted(session: TestSession, bytes: number): Promise<string> {
  const count = 20;
  const head = `${new Date(0).toISOString()}: `;
  const each = Math.floor(bytes / count) - byteLength(head) - 1;
  const last = bytes - (count - 1) * (each + byteLength(head) + 1) - byteLength(head);
  const texts = Array.from({ length: count }, (_, n) => sized(n === count - 1 ? last : each));
  await runInDurableObject(session.stub, (_, { storage }) => {
    for (const note of texts) storage.sql.exec('INSERT INTO notes (text, created) VALUES (?, 0)', note);
  });
  const result = texts.map((note) => head + note).join('\n');
  expect(byteLength(result)).toBe(bytes);
  return result;
}

describe.each(sizes)('a session with a value of %s', { timeout: 120_000 }, (_, bytes) => {
  it('G-19 takes it as a message, asks the model with it, and keeps every byte', async () => {
    const session = new TestSession();
    const before = await session.snapshot();
    const message = sized(bytes);
    chat.reply(text('Read.'));
    const started = await session.accept<Started>('turn', { message, id: 'first' });
    expect((await session.ended(started.run)).reason).toBe('done');
    expect(chat.requests[0]?.body.messages.at(-1)?.content === message).toBe(true);
    const after = await checkLarge(session, before);
    const { appended } = after.lastEnded as EndedRun;
    expect((await saidWhole(session, appended[0]?.content)) === message).toBe(true);
    expect(await session.accept('turn', { message, id: 'first' })).toEqual(started);
  });
});

describe.each(sizes.slice(2))('a session with a value of %s', { timeout: 120_000 }, (_, bytes) => {
  afterEach(() => void vi.restoreAllMocks());

  it('TOOL-08 G-19 takes it as the result of a call, and as a reply', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Notes' });
    const before = await session.snapshot();
    const [result, reply] = [await noted(session, bytes), sized(bytes)];
    chat.reply(call('a', 'read_notes'));
    chat.reply(text(reply));
    const ended = await session.turn('Go');
    expect(ended.reason).toBe('done');
    expect((await whole(session, ended.text)) === reply).toBe(true);
    expect(chat.requests[1]?.body.messages.at(-1)?.content === result).toBe(true);
    const after = await checkLarge(session, before);
    const { appended } = after.lastEnded as EndedRun;
    expect((await saidWhole(session, appended[2]?.content)) === result).toBe(true);
    expect((await saidWhole(session, appended[3]?.content)) === reply).toBe(true);
    chat.reply(text('Yes.'));
    await session.turn('Is it all there?');
    expect(chat.requests[2]?.body.messages.slice(-3, -1).map(({ content }) => content === result || content === reply)).toEqual([
      true,
      true,
    ]);
  });

  it('PAUSE-04 PAUSE-23 G-19 takes it as the state of a call that waits, and as the answer', async () => {
    const session = new TestSession();
    const before = await session.snapshot();
    const [state, answer] = [{ asked: true, more: sized(bytes) }, sized(bytes)];
    const ask = CallContext.prototype.needsInput;
    vi.spyOn(CallContext.prototype, 'needsInput').mockImplementation(function (this: CallContext, needs) {
      return ask.call(this, needs, state);
    });
    const states = vi.spyOn(CallContext.prototype, 'state');
    chat.reply(call('q', 'ask_user', { question: 'Which?' }));
    expect((await session.turn('Go')).reason).toBe('awaiting_input');
    const paused = await checkLarge(session, before);
    expect(paused.pending[0]?.state).toEqual({ ref: expect.stringMatching(/^[0-9a-f]{64}$/) });
    chat.reply(text('Thanks.'));
    const answers = [{ callId: String(paused.pending[0]?.call.id), values: { answer } }];
    expect((await session.play('answers', { answers })).reason).toBe('done');
    expect(JSON.stringify(states.mock.results.at(-1)?.value) === JSON.stringify(state)).toBe(true);
    expect(chat.requests[1]?.body.messages.at(-1)?.content === answer).toBe(true);
    await checkLarge(session, paused);
  });
});

describe('a session with large values', { timeout: 120_000 }, () => {
  const large = sized(2 * megabytes + 1);

  afterEach(() => void vi.restoreAllMocks());

  it('G-19 takes them as a reply that streams', async () => {
    const session = new TestSession();
    const before = await session.snapshot();
    const points = [...large];
    const cut = (n: number): number => Math.floor((n * points.length) / 50);
    chat.reply(...Array.from({ length: 50 }, (_, n) => text(points.slice(cut(n), cut(n + 1)).join(''))));
    const ended = await session.turn('Go');
    expect(ended.reason).toBe('done');
    expect((await whole(session, ended.text)) === large).toBe(true);
    await checkLarge(session, before);
  });

  it('TOOL-13 G-19 takes them as progress, in one value, in a text and in many', async () => {
    const session = new TestSession();
    const before = await session.snapshot();
    const report = CallContext.prototype.progress;
    const many = Array.from({ length: 50 }, (_, n) => ({ n, value: large.slice(n * 10, 100_000) }));
    vi.spyOn(CallContext.prototype, 'progress').mockImplementation(async function (this: CallContext) {
      for (const value of [{ value: large }, large, ...many]) await report.call(this, value);
    });
    chat.reply(call('a', 'wait', { seconds: 0.001 }));
    chat.reply(text('I waited.'));
    expect((await session.turn('Go')).reason).toBe('done');
    await checkLarge(session, before);
    const told = (await storedEvents(session)).flatMap((event) => (event.type === 'tool_progress' ? [event.value] : []));
    expect(told.some((value) => isObject(value) && value.value === large)).toBe(true);
    expect(told.some((value) => value === large)).toBe(true);
  });

  it('FAIL-10 G-19 asks again with them in a later life', async () => {
    const session = new TestSession();
    const before = await session.snapshot();
    chat.reply(status(400, '{}'));
    expect((await session.turn(large)).reason).toBe('failed');
    await session.kill();
    chat.reply(text('Now.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Now.' });
    expect(chat.requests[1]?.body.messages.at(-1)?.content === large).toBe(true);
    await checkLarge(session, before);
  });

  it('INTR-05 C-2 G-19 keeps a reply that was cut, and goes on from it in a later life', async () => {
    const session = new TestSession();
    const before = await session.snapshot();
    chat.reply(text(large), new Gate());
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.event(isEvent('text_delta'));
    await session.accept('interrupt');
    expect((await session.ended(run)).reason).toBe('interrupted');
    const cut = await checkLarge(session, before);
    expect((await saidWhole(session, cut.partial?.message.content)) === large).toBe(true);
    chat.reply(status(400, '{}'));
    expect((await session.play('resume', { message: { content: large } })).reason).toBe('failed');
    await session.kill();
    chat.reply(text(' The end.'));
    const ended = await session.play('retry');
    expect((await whole(session, ended.text)) === `${large} The end.`).toBe(true);
    await checkLarge(session, cut);
  });

  it('STEER-10 G-19 keeps them in the inbox over a death, and plays them in order', async () => {
    const session = new TestSession();
    chat.reply(call('q', 'ask_user', { question: 'Which?' }));
    await session.turn('Go');
    const before = await session.snapshot();
    for (const n of [1, 2]) await session.accept('message', { message: `${n}${large}`, delivery: 'queue' });
    const waiting = await checkLarge(session, before);
    expect(waiting.inbox).toHaveLength(2);
    for (const n of [1, 2]) chat.reply(text(`To ${n}.`));
    const socket = await session.socket();
    await session.accept('deny_all');
    await socket.frame((frame) => (frame.lastEnded as EndedRun | undefined)?.text === 'To 2.');
    socket.close();
    await socket.closed;
    const asked = chat.requests.slice(1).map(({ body }) => body.messages.at(-1)?.content);
    expect([asked[0] === `1${large}`, asked[1] === `2${large}`, asked.length]).toEqual([true, true, 2]);
    await checkLarge(session, waiting);
  });
});

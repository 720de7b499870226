import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type JsonObject, resultsId, toolCalls } from '../../src/core/index.ts';
import {
  applyEvent,
  type CommandType,
  type EndedRun,
  type SessionEvent,
  type Snapshot,
} from '../../src/session/protocol/index.ts';
import { eventsAfter } from '../../src/session/rows/events.ts';
import { LargeValues } from '../../src/session/large.ts';
import { unusedSnapshot } from '../../src/session/state.ts';
import { type Watch, watching } from './statements.ts';
import { call, type ChatRequest, fakeChat, type Piece, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

/** The most bytes of a statement, and the most values that it binds, by the platform's documents. */
const statementLimits = { bytes: 100_000, values: 100 } as const;

/** An input that no cell holds. */
const large = 'first input '.repeat(25_000);

/** What the model says: an answer to a large input; else it asks for two calls, one of which needs leave, and then it is done. */
function replyTo({ messages }: ChatRequest): readonly Piece[] {
  if (messages.some(({ content }) => content === large)) return [text('Read.')];
  return messages.some(({ role }) => role === 'tool')
    ? [text('All '), text('done.')]
    : [text('Let me '), text('see.'), call('a', 'read_notes'), call('b', 'write_note', { text: 'a note' })];
}

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const answer = vi.mocked(globalThis.fetch).getMockImplementation();
  if (answer === undefined) throw new Error('The network is not faked');
  vi.mocked(globalThis.fetch).mockImplementation((url, init) => {
    chat.reply(...replyTo(JSON.parse(String(init?.body)) as ChatRequest));
    return answer(url, init);
  });
});

/** Every row of a session's, as a text; empty for one that was never used. */
function dump(session: TestSession): Promise<string> {
  return runInDurableObject(session.stub, (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
    );
    return tables
      .toArray()
      .map(({ name }) => `${name} ${JSON.stringify(sql.exec(`SELECT * FROM "${name}"`).toArray())}`)
      .join('\n');
  });
}

/** Sends a command until it is accepted, as a client does that heard nothing. A refusal must have changed nothing. */
async function insist<T>(session: TestSession, type: CommandType, body: JsonObject): Promise<T> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const before = await dump(session).catch(() => null);
    const answer = await session.command(type, body).catch(() => null);
    if (answer !== null && 'ok' in answer) return answer.ok as T;
    if (answer === null) continue;
    expect(answer.refused.code).toBe('unavailable');
    if (before !== null) expect(await dump(session)).toBe(before);
  }
  throw new Error(`${type} was not accepted`);
}

/** Waits for the end of a run, over the object's death. */
async function endOf(session: TestSession, run: string): Promise<EndedRun> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const ended = await session.ended(run).catch(() => null);
    if (ended !== null) return ended;
  }
  throw new Error('The run did not end');
}

/** Brings one input to its answer, whatever has to be sent again: the turn, its answers, and retries of what failed. */
async function playOut(session: TestSession, message: string): Promise<void> {
  const { run } = await insist<Started>(session, 'turn', { message, id: 'first' });
  let ended = await endOf(session, run);
  for (let n = 1; !(await isAnswered(session)); n += 1) {
    expect(n).toBeLessThan(6);
    expect(['failed', 'awaiting_input']).toContain(ended.reason);
    const answers = ended.pending.map((item) => ({ callId: item.call.id, decisions: { approval: { allowed: true } } }));
    const { run: next } =
      ended.pending.length > 0
        ? await insist<Started>(session, 'answers', { answers, id: `answers ${n}` })
        : await insist<Started>(session, 'retry', { id: `retry ${n}` });
    ended = await endOf(session, next);
  }
}

/** True when the newest message is an answer; a run whose last event could not be stored has failed with it. */
async function isAnswered(session: TestSession): Promise<boolean> {
  // Reading fails too where it stores a value that is given out as a reference.
  const { messages } = await session.snapshot().catch(() => session.snapshot());
  const newest = messages.at(-1);
  return newest?.role === 'assistant' && toolCalls(newest).length === 0;
}

/** What must hold of a session at rest, whatever failed. */
async function checkWhole(session: TestSession): Promise<void> {
  const events = await runInDurableObject(session.stub, (_, { storage }) => [...eventsAfter(storage.sql, 0)] as SessionEvent[]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const runs = await session.rows<{ id: string; status: string }>('SELECT id, status FROM runs ORDER BY turn');
  const ends = events.flatMap((event) => (event.type === 'turn_ended' && event.parent === null ? [event.run] : []));
  expect(ends).toEqual(runs.map(({ id }) => id));
  expect(runs.every(({ status }) => status === 'ended')).toBe(true);
  // It goes once the list has the session's line; where that failed, when it rings.
  await runDurableObjectAlarm(session.stub);
  await expect.poll(() => session.count('alarms')).toBe(0);

  const given = new LargeValues(session.address.scope, () => {});
  const live = await session.snapshot();
  expect(live).toMatchObject({ status: 'idle', pending: [], staged: [], inbox: [], step: null });
  const blank = unusedSnapshot(session.address.scope, live.epoch, live.mode, live.usage.context.window);
  expect(given.travel(events.reduce<Snapshot>(applyEvent, blank))).toEqual(live);
  expect(live.messages.filter((message) => JSON.stringify(message).includes('first input'))).toHaveLength(1);
  for (const [index, message] of live.messages.entries()) {
    const calls = toolCalls(message).map(({ id }) => id);
    if (calls.length === 0) continue;
    const results = live.messages[index + 1];
    expect(results?.id).toBe(resultsId(message.id));
    expect(results?.content.map((part) => (part.type === 'tool_result' ? part.callId : ''))).toEqual(calls);
  }
  expect(await session.count('notes')).toBeLessThanOrEqual(1);
  await session.kill();
  expect(await session.snapshot()).toEqual(live);
}

describe('storage that fails at a statement', () => {
  it.each<[string, string, (query: string) => boolean]>([
    ['any statement of a turn with calls, a pause and its answers', 'first input', () => true],
    ['the pieces of an input that no cell holds', large, (query) => query.includes('blobs')],
  ])(
    'RUN-15 FAIL-15 at %s leaves nothing half written: the input is answered, each run ends once',
    { timeout: 600_000 },
    async (_, message, mayFail) => {
      const queries: string[] = [];
      const listing: Watch = ({ query }, execute) => {
        queries.push(query);
        return execute();
      };
      const whole = new TestSession();
      await watching(listing, () => playOut(whole, message));
      await checkWhole(whole);
      expect(queries.filter(mayFail).length).toBeGreaterThan(10);

      for (const [failing, at] of queries.entries()) {
        if (!mayFail(at)) continue;
        let n = -1;
        const failingOnce: Watch = (_statement, execute) => {
          n += 1;
          if (n === failing) throw new Error('disk is full');
          return execute();
        };
        const session = new TestSession();
        await watching(failingOnce, () => playOut(session, message))
          .then(() => checkWhole(session))
          .catch((error: unknown) => {
            throw new Error(`At statement ${failing} of ${queries.length}: ${at}`, { cause: error });
          });
      }
    },
  );

  it.each(['first input', large])('P5 no statement is longer, or binds more values, than the platform takes', async (message) => {
    const watch: Watch = ({ query, values }, execute) => {
      expect(new TextEncoder().encode(query).length).toBeLessThan(statementLimits.bytes);
      expect(values.length).toBeLessThanOrEqual(statementLimits.values);
      return execute();
    };
    await watching(watch, () => playOut(new TestSession(), message));
  });
});

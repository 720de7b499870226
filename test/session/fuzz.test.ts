import { runInDurableObject } from 'cloudflare:test';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommandType, statusOf } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { internal, samples, wildBody, wildText } from './hostile.ts';
import {
  call,
  fakeChat,
  type FakeChat,
  type Frame,
  isEvent,
  type Started,
  TestSession,
  type TestSocket,
  text,
} from './support.ts';

const chat = fakeChat({ LIMIT_COMMANDS: '1000000' });
const types = Object.keys(samples) as CommandType[];

/** A frame of a client gone mad: almost a command, or nothing like one; its id is good, used before, wrong, or not there. */
const frame: fc.Arbitrary<string> = fc
  .record({
    like: fc.constantFrom(...types),
    type: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.oneof(wildText, fc.constantFrom(...types)) },
    ),
    id: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'c', 'd') },
      { weight: 1, arbitrary: fc.option(wildText, { nil: null }) },
    ),
  })
  .chain(({ like, type, id }) => wildBody(like, { type: type ?? like, ...(id === null ? {} : { id }) }));

/** Two lives of an object are two instances. */
async function life(session: TestSession): Promise<object> {
  const lives: object[] = [];
  await runInDurableObject(session.stub, (instance) => void lives.push(instance));
  return lives[0] as object;
}

/** Everything that is kept: every row of every table, and what a screen shows but for who looks. */
async function kept(session: TestSession): Promise<string> {
  const rows = await runInDurableObject(session.stub, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 3) <> '_cf' ORDER BY name")
      .toArray();
    return tables.map(({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()]);
  });
  return JSON.stringify([rows, { ...(await session.snapshot()), presence: [] }]);
}

/** Sends frames as they are, and gives the answers. What is sent after them is answered after them, so none is missing. */
async function answers(socket: TestSocket, frames: readonly string[]): Promise<Frame[]> {
  const from = socket.frames.length;
  for (const sent of frames) socket.send(sent);
  await socket.command('no command', { id: 'the end' });
  const all = socket.frames.slice(from).filter(({ type }) => type === 'ack' || type === 'refused');
  return all.filter(({ id }) => id !== 'the end');
}

function expectRefusal({ code, detail, status, id: _, ...rest }: Frame): void {
  expect([code, status]).toEqual([code, statusOf[code as keyof typeof statusOf]]);
  expect(['internal', 'unavailable', 'rate_limited']).not.toContain(code);
  const said = JSON.stringify([detail, rest]);
  expect(said).not.toMatch(internal);
  expect(said.length).toBeLessThan(10_000);
}

/**
 * Plays mad frames against sessions that `prepare` makes, anew after each time that something was accepted. Gives how often nothing was, so that
 * nothing may have changed.
 */
async function play(prepare: () => Promise<TestSession>): Promise<number> {
  let refusedAll = 0;
  let session: TestSession | null = null;
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
      session ??= await prepare();
      const socket = await session.socket();
      const before = { life: await life(session), kept: await kept(session) };
      const got = await answers(socket, frames);
      expect(got).toHaveLength(frames.length);
      const refusals = got.filter(({ type }) => type === 'refused');
      for (const refusal of refusals) expectRefusal(refusal);
      expect(await life(session)).toBe(before.life);
      socket.close();
      if (refusals.length === got.length) {
        refusedAll += 1;
        expect(await kept(session)).toBe(before.kept);
      } else {
        await session.accept('cancel');
        session = null;
      }
    }),
    { numRuns: 25 },
  );
  return refusedAll;
}

/** Sessions in the states that a command may find, each with something to spoil. */
const states: { readonly [state: string]: (session: TestSession, chat: FakeChat) => Promise<unknown> } = {
  'that was never used': async () => {},
  'at rest, with a reply that was cut and a message that is held': async (session) => {
    const gate = new Gate();
    chat.reply(text('So far'), gate);
    const { run } = await session.accept<Started>('turn', { message: 'Hello' });
    await session.event(isEvent('text_delta'));
    await session.accept('interject', { message: 'Later', delivery: 'queue' });
    await session.accept('interrupt');
    await session.ended(run);
  },
  'that waits for answers': async (session) => {
    chat.reply(call('c1', 'ask_user', { question: 'Which?', choices: ['one', 'two'] }), call('c2', 'write_note', { text: 'x' }));
    expect((await session.turn('Ask me')).reason).toBe('awaiting_input');
  },
  'that runs': async (session) => {
    chat.reply(new Gate());
    await session.accept('turn', { message: 'Go' });
    await session.event(isEvent('message_started'));
  },
};

describe('a client gone mad', () => {
  it.each(Object.entries(states))(
    'gets typed refusals over a socket that stays open, and leaves a session %s as it was',
    async (_, prepare) => {
      const refusedAll = await play(async () => {
        const session = new TestSession();
        await prepare(session, chat);
        return session;
      });
      expect(refusedAll).toBeGreaterThan(0);
    },
  );

  it('has its texts kept as they are, whatever is in them: the session wakes as it fell asleep', async () => {
    await fc.assert(
      fc.asyncProperty(wildText, async (value) => {
        const session = new TestSession();
        const socket = await session.socket();
        socket.send({ type: 'presence', label: value.slice(0, 80) });
        chat.reply(text(value), call('c1', 'ask_user', { question: `Which: ${value.slice(0, 200)}?` }));
        const message = {
          content: [
            { type: 'text', text: value },
            { type: 'text', text: '.' },
          ],
        };
        const { run } = (await socket.command('turn', { message })).result as unknown as Started;
        const { reason, pending } = await session.ended(run);
        expect(reason).toBe('awaiting_input');
        await socket.command('message', { message, delivery: 'queue' });
        await socket.command('patch', { title: value });
        await socket.command('cancel', { target: value });
        await socket.command('answers', { answers: { [String(pending[0]?.call.id)]: { answer: value }, [value]: {} } });
        await socket.command('deny_all', { reason: value });
        const before = await session.snapshot();
        expect(before.messages[0]?.content[0]).toEqual({ type: 'text', text: value });
        await session.evict();
        expect(await session.snapshot()).toEqual(before);
        socket.close();
      }),
      { numRuns: 10 },
    );
  });
});

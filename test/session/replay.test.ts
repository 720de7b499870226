import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { applyEvent, formatCursor, type SessionEvent, type Snapshot } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, type Frame, reasoning, type Started, TestSession, type TestSocket, text } from './support.ts';

const chat = fakeChat();

/** A client as the page is one: a snapshot, and the events that it has folded into it. */
class Client {
  snapshot: Snapshot | null = null;
  #socket: TestSocket | null = null;
  #read = 0;

  get cursor(): string | undefined {
    return this.snapshot === null ? undefined : formatCursor(this.snapshot);
  }

  async join(session: TestSession): Promise<void> {
    if (this.#socket !== null) return;
    this.#socket = await session.socket(this.cursor);
    this.#read = 0;
  }

  /** Waits for the event `seq`, and takes in what came: all of it, or a part, as if the rest had been lost on the way. */
  async catchUp(seq: number, part = 1): Promise<void> {
    if (this.#socket === null) return;
    const reached = (frame: Frame): boolean => frame.seq === seq || (frame.snapshot as JsonObject | undefined)?.seq === seq;
    if (this.snapshot?.seq === seq) return;
    const last = await this.#socket.frame(reached, this.#read);
    const fresh = this.#socket.frames.slice(this.#read, this.#socket.frames.indexOf(last) + 1);
    for (const frame of fresh.slice(0, Math.ceil(fresh.length * part))) this.#take(frame);
    this.#read += fresh.length;
  }

  /** The connection is lost. */
  drop(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  /** What the socket was sent of events, in order. */
  get seqs(): number[] {
    return this.#socket?.events().map(({ seq }) => seq) ?? [];
  }

  #take(frame: Frame): void {
    if (frame.type === 'ready' && frame.snapshot !== undefined) this.snapshot = frame.snapshot as unknown as Snapshot;
    else if (typeof frame.seq === 'number' && this.snapshot !== null)
      this.snapshot = applyEvent(this.snapshot, frame as unknown as SessionEvent);
  }
}

/** A snapshot as two clients can compare it. */
function shown(snapshot: Snapshot | null): Json {
  return JSON.parse(JSON.stringify({ ...snapshot, presence: [] })) as Json;
}

function answersTo(snapshot: Snapshot): JsonObject[] {
  return snapshot.pending.map((item) => ({
    callId: item.call.id,
    decisions: Object.fromEntries(item.needs.flatMap((need) => (need.type === 'approval' ? [[need.id, { allowed: true }]] : []))),
    values: Object.fromEntries(item.needs.flatMap((need) => (need.type === 'question' ? [[need.id, 'blue']] : []))),
  }));
}

/** Waits until the text of a reply was told up to this ending: then the reply waits at its gate. */
async function said(session: TestSession, ending: string): Promise<void> {
  const socket = await session.socket(`${(await session.snapshot()).epoch}.0`);
  await socket.frame((frame) => typeof frame.text === 'string' && frame.text.endsWith(ending));
  socket.close();
}

/** A session's life in stages: between two of them nothing moves, in the middle of a reply or at rest. `resting` tells which. */
function stages(session: TestSession): readonly { readonly resting: boolean; play(): Promise<void> }[] {
  const gates = Array.from({ length: 5 }, () => new Gate());
  const [thinking, speaking, going, cutting, stopping] = gates as [Gate, Gate, Gate, Gate, Gate];
  let run = '';
  const start = async (type: 'turn' | 'answers' | 'resume', body: JsonObject): Promise<void> => {
    run = (await session.accept<Started>(type, body)).run;
  };
  chat.reply(
    reasoning('Hm. '),
    reasoning('Let me see.'),
    thinking,
    text('I ask '),
    text('you.'),
    call('w', 'wait', { seconds: 0.002 }),
    call('q', 'ask_user', { question: 'Which colour?', choices: ['blue', 'red'] }),
    call('n', 'write_note', { text: 'a note' }),
  );
  chat.reply(text('Sav'), speaking, text('ed.'), call('w2', 'wait', { seconds: 0.002 }));
  chat.reply(text('Steered, '), going, text('then.'));
  chat.reply(text('Cut '), text('here'), cutting);
  chat.reply(text('Stop '), stopping);
  chat.reply(text('went on.'));
  return [
    { resting: false, play: async () => (await start('turn', { message: 'go' }), await said(session, 'see.')) },
    { resting: true, play: async () => (thinking.open(), void (await session.ended(run))) },
    {
      resting: true,
      play: async () => void (await session.accept('answers', { answers: answersTo(await session.snapshot()).slice(0, 1) })),
    },
    {
      resting: false,
      play: async () => {
        const { pending, staged } = await session.snapshot();
        const open = answersTo({ ...(await session.snapshot()), pending }).filter(
          ({ callId }) => !staged.some((one) => one.callId === callId),
        );
        await start('answers', { answers: open });
        await said(session, 'Sav');
      },
    },
    {
      resting: false,
      play: async () => {
        await session.accept('interject', { message: 'rather this' });
        await session.accept('interject', { message: 'and later that', delivery: 'queue' });
        const { inbox } = await session.snapshot();
        await session.accept('inbox', { item: String(inbox.at(-1)?.id), op: 'drop' });
        speaking.open();
        await said(session, 'Steered, ');
      },
    },
    { resting: true, play: async () => (going.open(), void (await session.ended(run))) },
    { resting: false, play: async () => (await start('turn', { message: 'again' }), await said(session, 'here')) },
    { resting: true, play: async () => (await session.accept('cancel'), void (await session.ended(run))) },
    { resting: false, play: async () => (await start('turn', { message: 'once more' }), await said(session, 'Stop ')) },
    { resting: true, play: async () => (await session.accept('interrupt'), void (await session.ended(run))) },
    {
      resting: true,
      play: async () => {
        await start('resume', { message: { content: [{ type: 'text', text: 'Edited and ' }] } });
        await session.ended(run);
      },
    },
    { resting: true, play: async () => void (await session.accept('new')) },
  ];
}

/** What happens after a stage: a client that leaves has taken in `part` of what came; null: it stays, or stays away. */
const step = fc.record({
  clients: fc.array(fc.option(fc.record({ part: fc.constantFrom(0, 0.2, 0.5, 0.8, 1), away: fc.nat({ max: 3 }) })), {
    minLength: 3,
    maxLength: 3,
  }),
  object: fc.constantFrom('lives', 'lives', 'is evicted', 'is killed'),
});

describe('EVT-35 a client that comes back', () => {
  it('EVT-35 B14 sees what one sees that never left, and what a fresh one is given, wherever it left and whatever became of the object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 12 }), async (steps) => {
        const session = new TestSession();
        const clients = [new Client(), new Client(), new Client()];
        const backAt = [0, 0, 0];
        const witness = new Client();
        await witness.join(session);
        for (const [n, stage] of stages(session).entries()) {
          for (const [c, client] of clients.entries()) if ((backAt[c] ?? 0) <= n) await client.join(session);
          await stage.play();
          const now = await session.snapshot();
          await witness.catchUp(now.seq);
          expect(shown(witness.snapshot)).toEqual(shown(now));

          const fate = steps[n];
          for (const [c, client] of clients.entries()) {
            const leaves = fate?.clients[c] ?? null;
            await client.catchUp(now.seq, leaves?.part ?? 1);
            if (leaves === null) continue;
            client.drop();
            backAt[c] = Math.max(backAt[c] ?? 0, n + 1 + leaves.away);
          }
          if (!stage.resting || fate === undefined || fate.object === 'lives') continue;
          if (fate.object === 'is evicted') await session.evict();
          else {
            await session.kill();
            for (const client of [witness, ...clients]) client.drop();
          }
          expect(shown(await session.snapshot())).toEqual(shown(now));
          for (const client of [witness, ...clients]) if (fate.object === 'is killed') await client.join(session);
        }
        const last = await session.snapshot();
        const fresh = new Client();
        for (const client of [...clients, fresh]) {
          await client.join(session);
          await client.catchUp(last.seq);
          expect(shown(client.snapshot)).toEqual(shown(last));
          expect(client.seqs).toEqual(client.seqs.map((_, index) => (client.seqs[0] ?? 0) + index));
          client.drop();
        }
        witness.drop();
      }),
      { numRuns: 8, endOnFailure: true },
    );
  }, 180_000);

  it('EVT-35 gets exactly the events after its cursor, for every cursor there is', async () => {
    const session = new TestSession();
    const all = stages(session);
    for (const stage of all.slice(0, 6)) await stage.play();
    const { seq, epoch } = await session.snapshot();
    const whole = await session.socket(`${epoch}.0`);
    await whole.frame((frame) => frame.seq === seq);
    const events = whole.events();
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    for (let from = 0; from < seq; from += 1) {
      const socket = await session.socket(`${epoch}.${from}`);
      await socket.frame((frame) => frame.seq === seq);
      expect(socket.frames[0]).toMatchObject({ type: 'ready', cursor: `${epoch}.${from}`, version: { wire: 1 } });
      expect(socket.events()).toEqual(events.slice(from));
      socket.close();
    }
    const atEnd = await session.socket(`${epoch}.${seq}`);
    await atEnd.frame((frame) => frame.type === 'presence');
    expect(atEnd.events()).toEqual([]);
    expect(atEnd.frames[0]).not.toHaveProperty('snapshot');
  });

  it.each([
    ['another epoch', (epoch: number, seq: number) => `${epoch + 1}.${seq}`],
    ['an epoch of before', (epoch: number, seq: number) => `${epoch - 1}.${seq}`],
    ['the future', (epoch: number, seq: number) => `${epoch}.${seq + 1}`],
    ['nowhere', () => 'what'],
    ['a negative place', (epoch: number) => `${epoch}.-1`],
  ])('EVT-35 with a cursor of %s gets a snapshot, over a socket and a stream', async (_, cursorOf) => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.turn('Hello');
    const now = await session.snapshot();
    const cursor = cursorOf(now.epoch, now.seq);
    const socket = await session.socket(cursor);
    const ready = socket.frames[0] as Frame;
    expect(ready.cursor).toBe(formatCursor(now));
    expect(shown(ready.snapshot as unknown as Snapshot)).toEqual(shown(now));
    const reader = (await session.stub.follow({ cursor, format: 'sse' })).getReader();
    const chunk = new TextDecoder().decode((await reader.read()).value);
    expect(chunk.startsWith(`id: ${formatCursor(now)}\nevent: snapshot\ndata: {"scope"`)).toBe(true);
    socket.close();
    await session.kill();
  });

  it('an unused session is read and joined without a write', async () => {
    const session = new TestSession();
    const snapshot = await session.snapshot();
    expect(snapshot).toMatchObject({ status: 'idle', seq: 0, run: null, messages: [], title: '' });
    const socket = await session.socket();
    expect(shown((socket.frames[0] as Frame).snapshot as unknown as Snapshot)).toEqual(shown(snapshot));
    const again = await session.socket(formatCursor(snapshot));
    expect(again.frames[0]).not.toHaveProperty('snapshot');
    expect((await session.stub.messages(null, 10)) as unknown).toEqual({ ok: true, value: { messages: [], more: false } });
    expect(await session.refusal('cancel', { target: 7 })).toBe('bad_request');
    expect(await session.rows('SELECT name FROM sqlite_master')).toEqual([]);
  });
});

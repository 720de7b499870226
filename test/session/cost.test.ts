import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import type { Snapshot, StoredMessage } from '../../src/session/protocol/index.ts';
import { call, fakeChat, type Started, TestSession, type TestSocket, text } from './support.ts';

const chat = fakeChat();

/** Counts the rows that a session writes from here on. */
function countWrites(session: TestSession): Promise<() => number> {
  return runInDurableObject(session.stub, (_, { storage }) => {
    const { sql } = storage;
    const original = sql.exec.bind(sql);
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
      const cursor = original(query, ...values);
      cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
    return () => cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
  });
}

/** A time between two pieces of a reply: what is due in it happens, and nobody waits. */
class Pause extends Gate {
  readonly #ms: number;

  constructor(ms: number) {
    super();
    this.#ms = ms;
  }

  override async wait(): Promise<void> {
    vi.advanceTimersByTime(this.#ms);
  }
}

/** Plays a turn over a socket and waits until both sockets have seen its end. */
async function turnOver(sockets: readonly TestSocket[], message: string): Promise<void> {
  const [active] = sockets;
  if (active === undefined) throw new Error('A turn is taken over a socket');
  const { run } = (await active.command('turn', { message })).result as unknown as Started;
  await Promise.all(
    sockets.map((socket) =>
      socket.frame((frame) => frame.type === 'state' && (frame.lastEnded as { run?: string } | null)?.run === run),
    ),
  );
}

const sizeOf = (socket: TestSocket): number => JSON.stringify(socket.frames).length;

describe('what a turn costs', () => {
  afterEach(() => void vi.useRealTimers());

  // A turn that takes longer also says each 8 s that it lives: two rows, and the alarm, which here does not come.
  it.each([
    [5, 17],
    [100, 17],
    [500, 19],
    [2000, 27],
  ])('a turn of %i deltas, 5 ms apart, writes %i rows of the session’s, its indexes included', async (deltas, budget) => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Cost' });
    const writes = await countWrites(session);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    chat.reply(...Array.from({ length: deltas }, (_, n) => [text(`${n} `), new Pause(5)]).flat());
    const { reason } = await session.play('turn', { message: 'go', id: 'go' });
    vi.useRealTimers();
    // The alarm's row goes once the list has the session's line.
    await expect.poll(() => session.count('alarms')).toBe(0);
    expect([reason, writes()]).toEqual(['done', budget]);
  });

  it('turn 40 sends as much as turn 1, to a client that only reads, and to the one that asks', { timeout: 60_000 }, async () => {
    const session = new TestSession();
    const sockets = [await session.socket(), await session.socket()];
    const [active, passive] = sockets as [TestSocket, TestSocket];
    const sizes: { active: number; passive: number }[] = [];
    for (let n = 1; n <= 40; n += 1) {
      const [before, beforePassive] = [sizeOf(active), sizeOf(passive)];
      chat.reply(text('An answer of some length. '.repeat(40)));
      await turnOver(sockets, `question ${String(n).padStart(2, '0')} ${'x'.repeat(200)}`);
      sizes.push({ active: sizeOf(active) - before, passive: sizeOf(passive) - beforePassive });
    }
    const [first, last] = [sizes[1], sizes[39]];
    console.log(
      `bytes of a turn to a passive socket: turn 1 ${sizes[0]?.passive}, turn 2 ${first?.passive}, turn 40 ${last?.passive}`,
    );
    expect((last?.passive ?? 0) / (sizes[0]?.passive ?? 1)).toBeLessThanOrEqual(1.2);
    expect((last?.active ?? 0) / (sizes[0]?.active ?? 1)).toBeLessThanOrEqual(1.2);
  });

  it('nothing is left when a session is idle or waits: no alarm, and it can leave memory', async () => {
    const session = new TestSession();
    const socket = await session.socket();
    chat.reply(text('Hi'));
    const alarm = (): Promise<number | null> => runInDurableObject(session.stub, (_, state) => state.storage.getAlarm());
    await turnOver([socket], 'go');
    await expect.poll(alarm).toBeNull();
    await session.evict();
    chat.reply(call('q', 'ask_user', { question: 'Which?' }));
    await turnOver([socket], 'ask');
    await expect.poll(alarm).toBeNull();
    await session.evict();
    expect((await session.snapshot()).status).toBe('awaiting_input');
    await socket.command('deny_all');
    expect(socket.frames.at(-1)).toMatchObject({ type: 'ack' });
  });
});

describe('the newest page', () => {
  /** A session with messages put into its rows, woken up again. */
  async function withMessages(texts: readonly string[]): Promise<TestSession> {
    const session = new TestSession();
    await session.accept('patch', { title: 'Page' });
    await runInDurableObject(session.stub, (_, { storage }) => {
      storage.transactionSync(() => {
        for (const [n, value] of texts.entries()) {
          const message: StoredMessage = {
            id: `msg_${n}`,
            role: n % 2 === 0 ? 'user' : 'assistant',
            content: [{ type: 'text', text: value }],
            run: null,
            created: n,
          };
          const body = JSON.stringify(message);
          const bytes = new TextEncoder().encode(body).length;
          storage.sql.exec(
            'INSERT INTO messages (id, thread, run, v, bytes, body) VALUES (?, 1, NULL, 1, ?, ?)',
            message.id,
            bytes,
            body,
          );
        }
      });
    });
    await session.kill();
    return session;
  }

  const bytesOf = (messages: readonly StoredMessage[]): number => new TextEncoder().encode(JSON.stringify(messages)).length;

  it('holds at most 200 messages, in memory as from rows, and says that there are more', async () => {
    const session = await withMessages(Array.from({ length: 250 }, (_, n) => `text ${n}`));
    const woken = await session.snapshot();
    expect([woken.messages.length, woken.more, woken.messages[0]?.id]).toEqual([200, true, 'msg_50']);
    chat.reply(text('new'));
    await session.turn('go');
    const live = await session.snapshot();
    expect([live.messages.length, live.more, live.messages[0]?.id]).toEqual([200, true, 'msg_52']);
    await session.evict();
    expect(await session.snapshot()).toEqual(live);
  });

  it('holds at most 512 KiB, counted as they travel, in memory as from rows', async () => {
    const session = await withMessages(Array.from({ length: 20 }, () => '日'.repeat(20_000)));
    const woken = await session.snapshot();
    expect(woken.messages.length).toBe(8);
    expect(bytesOf(woken.messages)).toBeLessThanOrEqual(512 * 1024);
    chat.reply(text('日'.repeat(20_000)));
    await session.turn('日'.repeat(20_000));
    const live = await session.snapshot();
    expect(bytesOf(live.messages)).toBeLessThanOrEqual(512 * 1024);
    expect(live.more).toBe(true);
    await session.evict();
    expect(await session.snapshot()).toEqual(live);
  });

  it('holds one message that is larger than a page', async () => {
    const session = await withMessages(['small', 'x'.repeat(600_000)]);
    expect((await session.snapshot()).messages.map(({ id }) => id)).toEqual(['msg_1']);
    expect((await session.snapshot()).more).toBe(true);
  });

  it('is followed backwards to the first message, each once and in order', async () => {
    const session = await withMessages(Array.from({ length: 57 }, (_, n) => `text ${n}`));
    const found: string[] = [];
    let before: string | null = null;
    for (;;) {
      const page = await session.stub.messages(before, 10);
      if (!page.ok) throw new Error(page.problem.code);
      const ids = page.value.messages.map(({ id }) => id);
      found.unshift(...ids);
      before = ids[0] ?? null;
      if (!page.value.more) break;
      expect(ids).toHaveLength(10);
    }
    expect(found).toEqual(Array.from({ length: 57 }, (_, n) => `msg_${n}`));
    expect(await session.stub.messages('msg_99', 10)).toMatchObject({ ok: false, problem: { code: 'not_found' } });
  });
});

describe('a snapshot', () => {
  it('RUN-15 in the middle of a step holds what is streamed so far; the events after its seq complete it', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(text('So '), text('far'), gate, text(' and on'));
    const watcher = await session.socket();
    await watcher.command('turn', { message: 'go' });
    await watcher.frame((frame) => frame.type === 'text_delta' && String(frame.text).endsWith('far'));
    const middle: Snapshot = await session.snapshot();
    expect(middle.step?.content).toEqual([{ type: 'text', text: 'So far' }]);
    expect(middle.status).toBe('running');
    const late = await session.socket(`${middle.epoch}.${middle.seq}`);
    gate.open();
    await late.frame((frame) => frame.type === 'state' && frame.lastEnded !== undefined);
    const said = late.events().flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));
    expect(said.join('')).toBe(' and on');
  });
});

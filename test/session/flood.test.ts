import { env } from 'cloudflare:workers';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { identityHeader } from '../../src/session/api.ts';
import { Client, overdue, unheardLimit } from '../../src/session/client.ts';
import { FloodLimit } from '../../src/session/flood.ts';
import type { SessionEvent } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { fakeChat, type Frame, type Started, TestSession, type TestSocket, text } from './support.ts';

const chat = fakeChat();

/** The text of the deltas among events. */
function textOf(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
}

const kinds = (socket: TestSocket, type: string): Frame[] => socket.frames.filter((frame) => frame.type === type);

describe('FloodLimit', () => {
  it('admits up to its limit at once, then says how long to wait', () => {
    const limit = new FloodLimit(2, 1000);
    expect([limit.admit(0), limit.admit(10), limit.admit(20), limit.admit(999)]).toEqual([null, null, 980, 1]);
    expect([limit.admit(1000), limit.admit(1001), limit.admit(1010)]).toEqual([null, 9, null]);
  });

  it('never admits more than its limit in any period, and never makes anybody wait who need not', () => {
    const steps = fc.array(fc.nat({ max: 400 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (most, pauses) => {
        const limit = new FloodLimit(most, 1000);
        const admitted: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const recent = admitted.filter((at) => at > now - 1000).length;
          const wait = limit.admit(now);
          expect(wait === null).toBe(recent < most);
          if (wait === null) admitted.push(now);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** A socket that keeps count of what it was given and is never read. */
class DeafSocket {
  kept = 0;
  code: number | null = null;
  send = (text: string): void => void (this.kept += text.length);
  serializeAttachment = (): void => {};
  close = (code: number): void => void (this.code = code);
  readonly client = new Client(this as unknown as WebSocket, 300, 0, {
    participant: 'ann',
    role: 'member',
    expires: null,
    client: 'c',
    cancels: [],
  });
}

describe('what waits for those who do not read', () => {
  it('is bounded for each: one that is not heard of is closed before it was sent more than it may be behind', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 3_000_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const socket = new DeafSocket();
        for (const length of lengths) if (socket.code === null) socket.client.send('x'.repeat(length));
        const sum = lengths.reduce((total, length) => total + length, 0);
        expect(socket.code).toBe(sum > unheardLimit ? 1013 : null);
        expect(socket.kept).toBeLessThanOrEqual(unheardLimit);
      }),
      { numRuns: 30 },
    );
  });

  it('begins anew when it is heard of, and what it was welcomed with is not held against it', () => {
    const socket = new DeafSocket();
    const { client } = socket;
    const half = 'x'.repeat(unheardLimit / 2);
    for (const _ of [1, 2, 3]) client.welcome(half);
    for (const _ of [1, 2]) client.send(half);
    expect([socket.code, client.unheard]).toEqual([null, 5 * half.length]);
    client.hear(1);
    expect(client.unheard).toBe(0);
    for (const _ of [1, 2]) client.send(half);
    expect(socket.code).toBeNull();
  });

  it('is bounded for all together: whoever is furthest behind goes first, and no more than must', () => {
    const behind = fc.array(fc.nat({ max: 100 }), { maxLength: 30 });
    fc.assert(
      fc.property(behind, fc.nat({ max: 500 }), (lengths, limit) => {
        const clients = lengths.map((unheard) => ({ unheard }));
        const gone = overdue(clients, limit);
        const kept = clients.filter((client) => !gone.includes(client));
        const sum = (of: readonly { unheard: number }[]): number => of.reduce((total, { unheard }) => total + unheard, 0);
        expect(sum(kept)).toBeLessThanOrEqual(limit);
        for (const { unheard } of gone) expect(Math.max(0, ...kept.map((client) => client.unheard))).toBeLessThanOrEqual(unheard);
        const last = gone.at(-1);
        if (last !== undefined) expect(sum([...kept, last])).toBeGreaterThan(limit);
      }),
      { numRuns: 300 },
    );
  });
});

describe('two hundred sockets on one session', () => {
  it('EVT-29 EVT-35 those that behave hear the whole run in order, and each that does not is answered or closed by itself', async () => {
    const session = new TestSession();
    const [begun, flooded] = [new Gate(), new Gate()];
    const numbers = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, n) => `${from + n} `);
    chat.reply(...numbers(0, 100).map(text), begun, ...numbers(100, 200).map(text), flooded, ...numbers(200, 300).map(text));
    const good: TestSocket[] = [];
    for (let n = 0; n < 197; n += 1) good.push(await session.socket());
    const [speaker] = good as [TestSocket];
    const { cursor, run } = (await speaker.command('turn', { message: 'Count' })).result as unknown as Started;
    await speaker.frame((frame) => frame.type === 'text_delta');

    // One that nobody reads, one that sends nonsense, one that says who it is again and again, one that comes and goes; two that read a stream.
    const identity = JSON.stringify({ participant: session.address.participant, role: 'member', expires: null });
    const deaf = await session.stub.fetch('http://session/socket', {
      headers: { upgrade: 'websocket', [identityHeader]: identity },
    });
    const [garbage, vain] = [await session.socket(), await session.socket()];
    const stalled = await session.stub.follow({ cursor, run, format: 'ndjson' });
    await (await session.stub.follow({ cursor, run, format: 'sse' })).cancel();
    begun.open();
    for (let n = 0; n < 601; n += 1) garbage.send('{"type":');
    for (let n = 0; n < 299; n += 1) vain.send({ type: 'presence', editing: n % 2 === 0 });
    for (let n = 0; n < 30; n += 1) (await session.socket(n % 2 === 0 ? undefined : cursor)).close();
    expect(await garbage.closed).toBe(1013);
    expect(kinds(garbage, 'refused')).toHaveLength(600);
    expect((await vain.command('cancel', { target: 'another run' })).type).toBe('ack');
    flooded.open();

    const whole = numbers(0, 300).join('');
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: whole });
    const { seq, presence } = await session.snapshot();
    for (const socket of good) {
      await socket.frame((frame) => frame.seq === seq);
      const events = socket.events();
      expect(events.map((event) => event.seq)).toEqual(numbers(1, seq + 1).map(Number));
      expect(textOf(events)).toBe(whole);
    }
    const late = (await new Response(stalled).text()).trim().split('\n');
    expect(textOf(late.map((line) => JSON.parse(line) as SessionEvent))).toBe(whole);
    expect(kinds(vain, 'refused')).toEqual([]);
    expect([deaf.status, presence.length]).toEqual([101, 199]);
  });
});

describe('a flood', () => {
  const limits = { LIMIT_COMMANDS: '4', LIMIT_SESSION: '6' };
  beforeEach(() => void Object.assign(env, limits));
  afterEach(() => {
    for (const name of Object.keys(limits)) Reflect.deleteProperty(env, name);
    vi.restoreAllMocks();
  });
  const told = { type: 'refused', code: 'rate_limited', status: 429, retryAfter: expect.any(Number) };

  it('of one socket is refused there, with the time to wait, and no other socket of the participant is', async () => {
    const session = new TestSession();
    const [wild, calm] = [await session.socket(), await session.socket()];
    for (let n = 0; n < 4; n += 1) wild.send('nonsense');
    expect(await wild.command('patch', { title: 'Wild' })).toMatchObject(told);
    expect(await calm.command('patch', { title: 'Calm' })).toMatchObject({ type: 'ack' });
  });

  it('that goes on when it was told to wait closes its socket with 1013, and nothing else', async () => {
    const session = new TestSession();
    const [wild, calm] = [await session.socket(), await session.socket()];
    for (let n = 0; n < 20; n += 1) wild.send('nonsense');
    expect(await wild.closed).toBe(1013);
    expect(kinds(wild, 'refused')).toHaveLength(8);
    expect(await calm.command('patch', { title: 'Calm' })).toMatchObject({ type: 'ack' });
    await (await session.socket()).command('patch', { title: 'Back' });
    expect((await session.snapshot()).title).toBe('Back');
  });

  it('of commands on one session is refused over every transport, and a stop is not', async () => {
    const session = new TestSession();
    const [one, two] = [await session.socket(), await session.socket()];
    for (let n = 0; n < 2; n += 1) {
      for (const socket of [one, two]) expect(await socket.command('patch', { title: `${n}` })).toMatchObject({ type: 'ack' });
      await session.accept('patch', { title: `${n} over HTTP` });
    }
    expect(await one.command('patch', { title: 'more' })).toMatchObject(told);
    expect(await session.refuse('turn', { message: 'more' })).toMatchObject({
      code: 'rate_limited',
      retryAfter: expect.any(Number),
    });
    expect((await session.snapshot()).title).toBe('1 over HTTP');
    await session.accept('cancel', { target: 'a run' });
    expect(await two.command('interrupt')).toMatchObject({ type: 'ack' });
    await new TestSession({ participant: session.address.participant }).accept('patch', { title: 'elsewhere' });
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    await session.accept('patch', { title: 'a minute later' });
  });
});

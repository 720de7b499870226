import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { fakeChat, type Frame, type Started, TestSession, type TestSocket, text } from './support.ts';
import { Gate } from '../../src/testing/index.ts';

const chat = fakeChat();
afterEach(() => void vi.useRealTimers());

const refusals = (socket: TestSocket): Frame[] => socket.frames.filter((frame) => frame.type === 'refused');
const clientsOf = (frame: Frame): JsonObject[] => frame.clients as JsonObject[];

/** Resolves once the object has handled everything that was sent before. */
async function handled(socket: TestSocket): Promise<void> {
  await socket.command('cancel', { target: 'nothing' });
}

describe('a socket', () => {
  it('begins with ready: version, cursor and a snapshot when it brought no cursor', async () => {
    const session = new TestSession();
    await session.accept('patch', { title: 'Here' });
    const socket = await session.socket();
    const { epoch, seq } = await session.snapshot();
    expect(socket.frames[0]).toMatchObject({
      type: 'ready',
      version: { wire: 1, build: expect.any(String) },
      cursor: `${epoch}.${seq}`,
      snapshot: { title: 'Here', seq },
    });
  });

  it('is told of each command exactly once: ack with its result, or refused with code, detail and status', async () => {
    const session = new TestSession();
    const socket = await session.socket();
    chat.reply(text('Hi'));
    const ack = await socket.command('turn', { id: 'one', message: 'Hello' });
    expect(ack).toEqual({ type: 'ack', id: 'one', result: { run: expect.any(String), turn: 1, cursor: expect.any(String) } });
    await session.ended((ack.result as JsonObject).run as string);
    expect(await socket.command('turn', { id: 'one', message: 'Hello' })).toEqual(ack);
    expect(await socket.command('retry', { id: 'two' })).toMatchObject({
      type: 'refused',
      id: 'two',
      code: 'nothing_to_retry',
      status: 409,
    });
    expect(await socket.command('cancel', { id: 'three' })).toEqual({ type: 'ack', id: 'three', result: null });
    const answers = socket.frames.filter((frame) => frame.type === 'ack' || frame.type === 'refused');
    expect(answers.map(({ id }) => id)).toEqual(['one', 'one', 'two', 'three']);
    expect(chat.requests).toHaveLength(1);
  });

  it.each<[string, string | JsonObject, string | null]>([
    ['no JSON', 'turn!', null],
    ['a list', '[1]', null],
    ['a text', '"turn"', null],
    ['null', 'null', null],
    ['an empty frame', '', null],
    ['no type', { id: 'a' }, 'a'],
    ['an unknown type', { type: 'erase', id: 'a' }, 'a'],
    ['a property of every object as its type', { type: 'constructor', id: 'a' }, 'a'],
    ['a command without an id', { type: 'cancel' }, null],
    ['an id that is no text', { type: 'cancel', id: 7 }, null],
    ['an id that is too long', { type: 'cancel', id: 'x'.repeat(129) }, 'x'.repeat(129)],
    ['a body that is not right', { type: 'turn', id: 'a', message: 7 }, 'a'],
    ['a field that does not belong', { type: 'cancel', id: 'a', messages: [] }, 'a'],
    ['a presence that is not right', { type: 'presence', label: 7 }, null],
  ])('refuses %s and stays open', async (_, frame, id) => {
    const socket = await new TestSession().socket();
    socket.send(frame);
    expect(await socket.frame(({ type }) => type === 'refused')).toMatchObject({ id, code: 'bad_request', status: 400 });
    await handled(socket);
    expect(refusals(socket)).toHaveLength(1);
  });

  it('is closed with 1003 when it sends binary', async () => {
    const socket = await new TestSession().socket();
    socket.sendBytes(new Uint8Array([123, 125]));
    expect(await socket.closed).toBe(1003);
  });

  it.each([
    ['characters', 'x'.repeat(1024 * 1024 + 1)],
    ['bytes', '日'.repeat(400_000)],
  ])('is closed with 1009 when a frame is above 1 MiB in %s', async (_, frame) => {
    const socket = await new TestSession().socket();
    socket.send(frame);
    expect(await socket.closed).toBe(1009);
  });

  it('takes a frame of just 1 MiB', async () => {
    const socket = await new TestSession().socket();
    const empty = JSON.stringify({ type: 'turn', id: 'a', message: 7, pad: '' }).length;
    socket.send({ type: 'turn', id: 'a', message: 7, pad: 'x'.repeat(1024 * 1024 - empty) });
    expect(await socket.frame(({ type }) => type === 'refused')).toMatchObject({ code: 'bad_request' });
  });

  it('is closed with 1008 when its identity has expired, and told nothing more', async () => {
    const session = new TestSession();
    const later = Date.now() + 60_000;
    const [dead, deadToo, alive] = [
      await session.socket(undefined, { expires: later }),
      await session.socket(undefined, { expires: later }),
      await session.socket(),
    ];
    vi.spyOn(Date, 'now').mockReturnValue(later);
    dead.send({ type: 'cancel', id: 'a' });
    expect(await dead.closed).toBe(1008);
    await alive.command('patch', { title: 'secret' });
    expect(await deadToo.closed).toBe(1008);
    for (const socket of [dead, deadToo]) expect(JSON.stringify(socket.frames)).not.toContain('secret');
  });

  it('whose identity has expired is shown to nobody, and is closed with the first thing that happens to anybody', async () => {
    const session = new TestSession();
    const later = Date.now() + 60_000;
    const [idle, alive] = [await session.socket(undefined, { participant: 'ann', expires: later }), await session.socket()];
    expect((await session.snapshot()).presence).toHaveLength(2);
    vi.spyOn(Date, 'now').mockReturnValue(later);
    const from = alive.frames.length;
    alive.send({ type: 'presence', label: 'Still here' });
    expect(await idle.closed).toBe(1008);
    expect((await session.snapshot()).presence).toMatchObject([{ label: 'Still here' }]);
    expect(clientsOf(await alive.frame((frame) => frame.type === 'presence', from))).toHaveLength(1);
  });

  it('is answered a ping without waking the object', async () => {
    const session = new TestSession();
    const socket = await session.socket();
    await session.evict();
    socket.send('{"type":"ping"}');
    expect(await socket.frame(({ type }) => type === 'pong')).toEqual({ type: 'pong' });
    const woken = await runInDurableObject(session.stub, (_, state) =>
      state.getWebSocketAutoResponseTimestamp(state.getWebSockets()[0] as WebSocket),
    );
    expect(woken).toBeInstanceOf(Date);
  });

  it('shows who is there, with label and editing, and no more when somebody has gone', async () => {
    const session = new TestSession();
    const first = await session.socket();
    const second = await session.socket(undefined, { participant: 'bob' });
    const both = clientsOf(await first.frame((frame) => frame.type === 'presence' && clientsOf(frame).length === 2));
    expect(new Set(both.map(({ participant }) => participant))).toEqual(new Set(['bob', session.address.participant]));
    second.send({ type: 'presence', label: 'Bob’s phone', editing: true });
    const shown = await first.frame((frame) => frame.type === 'presence' && JSON.stringify(frame).includes('editing'));
    expect(clientsOf(shown).find(({ participant }) => participant === 'bob')).toMatchObject({
      label: 'Bob’s phone',
      editing: true,
    });
    expect((await session.snapshot()).presence).toEqual(clientsOf(shown));
    const from = first.frames.length;
    second.close();
    expect(clientsOf(await first.frame((frame) => frame.type === 'presence', from))).toMatchObject([
      { participant: session.address.participant },
    ]);
    expect(first.frames.every((frame) => frame.type !== 'presence' || frame.seq === undefined)).toBe(true);
  });

  it('that says of itself what was known already troubles nobody, and one that changes troubles them once in a while', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const session = new TestSession();
    const [vain, other] = [await session.socket(), await session.socket()];
    const pause = (): Promise<unknown> => runInDurableObject(session.stub, () => vi.advanceTimersByTimeAsync(60_000));
    const heard = async (...labels: string[]): Promise<number> => {
      await pause();
      const from = other.frames.length;
      for (const label of labels) vain.send({ type: 'presence', label });
      await handled(vain);
      await pause();
      await handled(other);
      return other.frames.slice(from).filter(({ type }) => type === 'presence').length;
    };
    expect([await heard('a'), await heard('a', 'a'), await heard('b', 'c', 'd', 'e')]).toEqual([1, 0, 2]);
    expect((await session.snapshot()).presence.map(({ label }) => label)).toContain('e');
  });

  it('of a viewer is refused every command, and reads on', async () => {
    const session = new TestSession();
    const [viewer, member] = [await session.socket(undefined, { role: 'viewer' }), await session.socket()];
    for (const type of ['turn', 'cancel', 'patch', 'partial', 'inbox', 'answers']) {
      expect(await viewer.command(type, { message: 'x' })).toMatchObject({ type: 'refused', code: 'forbidden', status: 403 });
    }
    await member.command('patch', { title: 'Seen' });
    expect(await viewer.frame((frame) => frame.title === 'Seen')).toMatchObject({ type: 'state' });
  });

  it('that floods is told when to try again, whatever it sends', async () => {
    const socket = await new TestSession().socket();
    for (let n = 0; n < 301; n += 1) socket.send(n % 2 === 0 ? 'nonsense' : { type: 'cancel', id: `c${n}` });
    const refusal = await socket.frame((frame) => frame.code === 'rate_limited');
    expect(refusal).toMatchObject({ type: 'refused', status: 429, retryAfter: expect.any(Number) });
    expect(socket.frames.filter(({ type }) => type === 'ack' || type === 'refused')).toHaveLength(301);
  });

  it('knows its actor after the object has slept, and hears the next event', async () => {
    const session = new TestSession();
    const [socket, other] = [await session.socket(), await session.socket()];
    socket.send({ type: 'presence', label: 'Tablet' });
    await handled(socket);
    await session.evict();
    chat.reply(text('Awake'));
    await other.command('turn', { message: 'Wake up' });
    await socket.frame((frame) => frame.type === 'text_delta' && frame.text === 'Awake');
    await session.evict();
    chat.reply(text('Again'));
    await socket.command('turn', { message: 'By the tablet' });
    await socket.frame((frame) => frame.text === 'Again');
    expect((await session.snapshot()).messages[2]?.by).toEqual({
      participant: session.address.participant,
      client: 'Tablet',
      role: 'member',
    });
    expect((await session.snapshot()).presence).toHaveLength(2);
  });

  it('RUN-14 that is lost stops nothing', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(text('On '), gate, text('and on'));
    const socket = await session.socket();
    const ack = await socket.command('turn', { message: 'go' });
    socket.close();
    const other = await session.socket();
    await other.frame((frame) => frame.type === 'presence' && clientsOf(frame).length === 1);
    gate.open();
    expect(await session.ended((ack.result as unknown as Started).run)).toMatchObject({ reason: 'done', text: 'On and on' });
  });

  it('CANC-14 that is lost cancels the run whose command said so', async () => {
    const session = new TestSession();
    chat.reply(text('On'), new Gate());
    const socket = await session.socket();
    const ack = await socket.command('turn', { message: 'go', cancelOnDisconnect: true });
    socket.close();
    expect(await session.ended((ack.result as unknown as Started).run)).toMatchObject({
      reason: 'cancelled',
      by: { participant: session.address.participant },
    });
  });

  it('B15 a run is cancelled by a client that came back', async () => {
    const session = new TestSession();
    chat.reply(text('On'), new Gate());
    const socket = await session.socket();
    const ack = await socket.command('turn', { message: 'go' });
    await socket.frame((frame) => frame.type === 'text_delta');
    socket.close();
    const back = await session.socket((ack.result as unknown as Started).cursor);
    await back.command('cancel');
    const ends = await back.frame((frame) => frame.type === 'turn_ended');
    expect(ends.reason).toBe('cancelled');
    expect(back.events().filter(({ type }) => type === 'turn_ended')).toHaveLength(1);
  });

  it('EVT-29 of which nothing is heard does not hold the run up: it is closed with 1013 and comes back by its cursor', async () => {
    const session = new TestSession();
    const [lazy, busy] = [await session.socket(), await session.socket()];
    const big = text('y'.repeat(600_000));
    for (let n = 0; n < 15; n += 1) {
      chat.reply(big);
      await busy.command('turn', { message: 'Go', id: `t${n}` });
      await busy.frame((frame) => frame.type === 'state' && (frame.lastEnded as JsonObject | undefined)?.turn === n + 1);
      await session.accept('new', {});
    }
    expect(await lazy.closed).toBe(1013);
    const { epoch, seq } = await session.snapshot();
    const back = await session.socket(`${epoch}.${lazy.events().at(-1)?.seq}`);
    await back.frame((frame) => frame.seq === seq || (frame.snapshot as JsonObject | undefined)?.seq === seq);
  });

  it('EVT-29 of many that are silent those furthest behind are closed with 1013, once all together are behind too much', async () => {
    const session = new TestSession();
    const silent: TestSocket[] = [];
    while (silent.length < 7) silent.push(await session.socket());
    const busy = await session.socket();
    const play = async (length: number): Promise<void> => {
      chat.reply(text('y'.repeat(length)));
      await session.turn('Go');
      await handled(busy);
      await session.accept('new');
    };
    for (let n = 0; n < 8; n += 1) await play(600_000);
    const closed: TestSocket[] = [];
    for (const socket of silent) void socket.closed.then(() => closed.push(socket));
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    await handled(busy);
    await play(1);
    await handled(busy);
    expect(closed.length).toBe(1);
  });

  it('is read no attachment of while it is sent events, until the object has slept', async () => {
    const session = new TestSession();
    const sockets = await Promise.all(Array.from({ length: 10 }, () => session.socket()));
    const [first] = sockets as [TestSocket];
    const read = vi.spyOn(WebSocket.prototype, 'deserializeAttachment');
    for (const title of ['a', 'b', 'c']) await first.command('patch', { title });
    expect(read).not.toHaveBeenCalled();
    await session.evict();
    await first.command('patch', { title: 'd' });
    await first.command('patch', { title: 'e' });
    for (const socket of sockets) await socket.frame((frame) => frame.title === 'e');
    expect(read).toHaveBeenCalledTimes(10);
    read.mockRestore();
  });

  it('serialises what it broadcasts once, however many read', async () => {
    const session = new TestSession();
    const sockets = await Promise.all(Array.from({ length: 10 }, () => session.socket()));
    await handled(sockets[0] as TestSocket);
    const stringify = vi.spyOn(JSON, 'stringify');
    await session.accept('patch', { title: 'only once' });
    const made = stringify.mock.results.filter(
      ({ value }) => String(value).startsWith('{"type":"state"') || String(value).includes('"title":"only once"'),
    ).length;
    stringify.mockRestore();
    for (const socket of sockets) await socket.frame((frame) => frame.title === 'only once');
    expect(made).toBeLessThan(10);
  });

  it('is closed with 1001 when the session is erased, and finds it unused in a new epoch', async () => {
    const session = new TestSession();
    chat.reply(text('On'), new Gate());
    const socket = await session.socket();
    const ack = await socket.command('turn', { message: 'go' });
    const { epoch } = await session.snapshot();
    await session.stub.erase();
    expect(await socket.closed).toBe(1001);
    const after = await session.snapshot();
    expect(after).toMatchObject({ status: 'idle', seq: 0, messages: [], lastEnded: null });
    expect(after.epoch).toBeGreaterThan(epoch);
    const back = await session.socket((ack.result as unknown as Started).cursor);
    expect(back.frames[0]).toHaveProperty('snapshot');
    expect(await session.rows('SELECT name FROM sqlite_master')).toEqual([]);
  });

  it('two hundred join, and all hear', { timeout: 60_000 }, async () => {
    const session = new TestSession();
    const sockets: TestSocket[] = [];
    const start = performance.now();
    for (let n = 0; n < 200; n += 1) sockets.push(await session.socket());
    console.log(`200 sockets joined in ${Math.round(performance.now() - start)} ms`);
    await session.accept('patch', { title: 'to all' });
    await Promise.all(sockets.map((socket) => socket.frame((frame) => frame.title === 'to all')));
    const bytes = sockets.map((socket) => JSON.stringify(socket.frames).length).reduce((sum, size) => sum + size, 0);
    console.log(`200 sockets were sent ${Math.round(bytes / 1e6)} MB`);
    expect(bytes).toBeLessThan(50e6);
    for (const socket of sockets) socket.close();
  });
});

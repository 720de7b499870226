import { effect } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../src/core/json.ts';
import { noUsage } from '../../src/core/usage.ts';
import { userText } from '../../src/core/message.ts';
import type { ServerFrame, Snapshot } from '../../src/session/protocol/wire.ts';
import { editItem, send, stop } from '../../src/ui/state/actions.ts';
import type { Refusal } from '../../src/ui/state/outbox.ts';
import { SessionStore, type TextStore } from '../../src/ui/state/session.ts';
import { FakeNetwork } from './fake-wire.ts';

const idle: Snapshot = {
  scope: 's',
  title: '',
  mode: 'chat',
  model: null,
  status: 'idle',
  epoch: 7,
  seq: 0,
  thread: 0,
  run: null,
  turn: 0,
  messages: [],
  more: false,
  step: null,
  pending: [],
  staged: [],
  inbox: [],
  partial: null,
  left: [],
  plan: null,
  tasks: [],
  files: { rev: 0 },
  usage: { session: { ...noUsage, cost: 0 }, context: { used: 0, window: null } },
  lastEnded: null,
  presence: [],
};

function memory(): TextStore {
  const texts = new Map<string, string>();
  return {
    get: (key) => texts.get(key) ?? null,
    set: (key, text) => void (text === null ? texts.delete(key) : texts.set(key, text)),
  };
}

/** A store whose server and pictures the test plays. */
class Table {
  readonly network = new FakeNetwork();
  readonly refusals: Refusal[] = [];
  builds = 0;
  /** The large values asked for, and how each request ends. */
  readonly blobs: { readonly href: string; readonly answer: PromiseWithResolvers<Json> }[] = [];
  readonly asked: string[] = [];
  readonly cursors: (string | null)[] = [];
  readonly store: SessionStore;
  #ids = 0;
  #pictures: (() => void)[] = [];

  constructor(tabStore: TextStore = memory()) {
    this.store = new SessionStore({
      scope: 's',
      open: (cursor) => (events) => {
        this.cursors.push(cursor());
        return this.network.open(events);
      },
      older: async (before) => {
        this.asked.push(before);
        return { messages: [{ ...userText('m_0', 'before'), run: 'run_0', created: 0 }], more: false };
      },
      blob: (href) => {
        const answer = Promise.withResolvers<Json>();
        this.blobs.push({ href, answer });
        return answer.promise;
      },
      now: () => 1000,
      random: () => 0,
      newId: () => `c-${(this.#ids += 1)}`,
      schedule: (run) => this.#pictures.push(run),
      tabStore,
      label: 'test',
      onLost: () => {},
      onRefused: (refusal) => this.refusals.push(refusal),
      onNewBuild: () => {
        this.builds += 1;
      },
    });
    this.store.start();
  }

  /** The server lets the newest connection in. */
  ready(snapshot?: Snapshot, build = 'test'): void {
    this.network.last.events.opened();
    const cursor = `${snapshot?.epoch ?? 7}.${snapshot?.seq ?? 0}`;
    this.say({ type: 'ready', version: { wire: 1, build }, cursor, ...(snapshot === undefined ? {} : { snapshot }) });
  }

  say(...frames: readonly ServerFrame[]): void {
    for (const frame of frames) this.network.last.events.text(JSON.stringify(frame));
  }

  picture(): void {
    const due = this.#pictures;
    this.#pictures = [];
    for (const run of due) run();
  }

  /** What the newest connection was sent, but pings and presence. */
  commands(): readonly { readonly type: string; readonly id: string }[] {
    return this.network.last.sent
      .map((text) => JSON.parse(text) as { type: string; id: string })
      .filter(({ type }) => type !== 'presence' && type !== 'ping');
  }
}

const head = { run: 'run_1', turn: 1, parent: null };
const asked = { ...userText('m_1', 'hello'), run: 'run_1', created: 1 };
const began: readonly ServerFrame[] = [
  { type: 'state', seq: 1, run: null, turn: null, parent: null, messages: [asked] },
  { type: 'turn_started', seq: 2, ...head },
  { type: 'step_started', seq: 3, ...head, n: 1 },
  { type: 'message_started', seq: 4, ...head, id: 'm_2' },
  { type: 'text_delta', seq: 5, ...head, id: 'm_2', text: 'Hel' },
];

/** A reply whose text is too large to travel; it is read from JSON, as from a socket. */
function largeReply(seq: number): ServerFrame {
  const text = { preview: 'Once upon', bytes: 70_000, hash: 'abc', href: '/api/sessions/s/blobs/abc' };
  const message = { id: 'm_2', role: 'assistant', content: [{ type: 'text', text }] };
  const frame = { type: 'message_ended', seq, ...head, id: 'm_2', message, usage: noUsage, finish: 'stop' };
  return JSON.parse(JSON.stringify(frame)) as ServerFrame;
}

describe('a session in a tab', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('shows the snapshot, then the events folded in, once a picture', () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began);
    expect(table.store.snapshot.value?.seq).toBe(0);
    table.picture();
    expect(table.store.snapshot.value?.seq).toBe(5);
    expect(table.store.rowIds.value).toEqual(['m_1', 'm_2']);
    expect(table.store.live.value?.content).toEqual([{ type: 'text', text: 'Hel' }]);
  });

  it('comes back with its cursor and takes no event twice', () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began);
    table.network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    expect(table.cursors).toEqual([null, '7.5']);
    table.ready();
    table.say(...began, { type: 'text_delta', seq: 6, ...head, id: 'm_2', text: 'lo' });
    table.picture();
    expect(table.store.live.value?.content).toEqual([{ type: 'text', text: 'Hello' }]);
  });

  it('asks for a new snapshot when an event is missing', () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began.slice(0, 2), { type: 'text_delta', seq: 9, ...head, id: 'm_2', text: 'x' });
    expect(table.network.wires).toHaveLength(2);
    expect(table.cursors).toEqual([null, null]);
  });

  it('shows nothing between the end of a turn and the state it leaves', () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began);
    table.picture();
    table.say({ type: 'turn_ended', seq: 6, ...head, reason: 'cancelled', usage: noUsage, error: null, finish: null });
    table.picture();
    expect(table.store.live.value).not.toBeNull();
    const partial = {
      run: 'run_1',
      message: { id: 'm_2', role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Hel' }] },
      rev: 1,
      by: null,
      after: 'm_1',
      created: 2,
    };
    table.say({ type: 'state', seq: 7, run: null, turn: null, parent: null, status: 'idle', partial });
    table.picture();
    expect(table.store.live.value).toBeNull();
    expect(table.store.snapshot.value?.partial?.rev).toBe(1);
  });

  it('sends a command again on the next connection under its id, and no more once it is answered', async () => {
    const table = new Table();
    table.ready(idle);
    const answered = send(table.store, 'hello', 'auto');
    expect(table.commands()).toEqual([{ type: 'message', id: 'c-1', message: 'hello', delivery: 'auto' }]);
    table.network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    table.ready();
    expect(table.commands()).toHaveLength(1);
    expect(table.commands()[0]?.id).toBe('c-1');
    table.say({ type: 'ack', id: 'c-1', result: { run: 'run_1', turn: 1, cursor: '7.0' } });
    expect(await answered).toMatchObject({ ok: true });
    table.store.nudge();
    table.network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    table.ready();
    expect(table.commands()).toEqual([]);
  });

  it('shows words as on their way until they are echoed', () => {
    const table = new Table();
    table.ready(idle);
    void send(table.store, 'hello', 'auto');
    expect(table.store.outbox.value.map((sent) => sent.state)).toEqual(['sending']);
    table.say({ type: 'ack', id: 'c-1', result: { run: 'run_1', turn: 1, cursor: '7.0' } });
    table.picture();
    expect(table.store.outbox.value.map((sent) => sent.state)).toEqual(['accepted']);
    table.say(...began);
    table.picture();
    expect(table.store.outbox.value).toEqual([]);
  });

  it('lets go of words with their answer, in one picture with their echo', () => {
    const table = new Table();
    table.ready(idle);
    void send(table.store, 'hello', 'auto');
    const shown: [number, number][] = [];
    effect(() => {
      shown.push([table.store.outbox.value.length, table.store.snapshot.value?.messages.length ?? 0]);
    });
    table.say(...began, { type: 'ack', id: 'c-1', result: { run: 'run_1', turn: 1, cursor: '7.0' } });
    expect(shown).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('gives words that were waiting when the tab reloaded, and loses none', () => {
    const kept = memory();
    const before = new Table(kept);
    void send(before.store, 'offline', 'auto');
    before.store.stop();
    const after = new Table(kept);
    expect(after.store.outbox.value.map((sent) => sent.text)).toEqual(['offline']);
    after.ready(idle);
    expect(after.commands().map(({ id }) => id)).toEqual(['c-1']);
  });

  it('names the run that it stops, so that a late stop cannot end a later turn', () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began);
    table.picture();
    void stop(table.store);
    expect(table.commands()).toEqual([{ type: 'cancel', id: 'c-1', target: 'run_1' }]);
  });

  it('changes the words of a waiting message and lets its attachments be', () => {
    const table = new Table();
    const image = { type: 'image', mediaType: 'image/png', blob: 'h' } as const;
    const message = { id: 'm', role: 'user', content: [{ type: 'text', text: 'Lok' }, image] } as const;
    const item = { id: 'item_1', message, delivery: 'steer', held: false, by: { participant: 'p' } } as const;
    table.ready({ ...idle, inbox: [item] });
    void editItem(table.store, item, { text: 'Look' });
    expect(table.commands()).toEqual([
      { type: 'inbox', id: 'c-1', item: 'item_1', op: 'edit', message: { content: [{ type: 'text', text: 'Look' }, image] } },
    ]);
  });

  it('keeps refused words and says why a refused command was refused', async () => {
    const table = new Table();
    table.ready(idle);
    const answered = send(table.store, 'hello', 'auto');
    table.say({ type: 'refused', id: 'c-1', code: 'rate_limited', detail: 'Slow down.', status: 429 });
    expect(await answered).toMatchObject({ ok: false, refusal: { code: 'rate_limited' } });
    expect(table.store.outbox.value.map((sent) => sent.state)).toEqual(['refused']);
    table.say({ type: 'refused', id: null, code: 'bad_request', detail: 'No frame.', status: 400 });
    expect(table.refusals.map(({ code }) => code)).toEqual(['bad_request']);
  });

  it('loads the page before the earliest message, once at a time', async () => {
    const table = new Table();
    table.ready({ ...idle, messages: [asked], more: true });
    await Promise.all([table.store.loadEarlier(), table.store.loadEarlier()]);
    expect(table.asked).toEqual(['m_1']);
    expect(table.store.rowIds.value).toEqual(['m_0', 'm_1']);
    await table.store.loadEarlier();
    expect(table.asked).toHaveLength(1);
  });

  describe('an edit', () => {
    const call = { type: 'tool_call', id: 'c1', name: 'write_file', input: { path: 'a.ts', content: 'x' } } as const;
    const change = { path: 'a.ts', from: null, before: null, after: 'h', added: 1, removed: 0, diff: '@@ -0,0 +1 @@\n+x\n' };
    const ended = (seq: number, value: Json): ServerFrame =>
      ({
        type: 'tool_ended',
        seq,
        ...head,
        id: 'c1',
        outcome: { content: [{ type: 'text', text: 'Created.' }], value, meta: [], error: false },
      }) as const;
    const calls: readonly ServerFrame[] = [
      {
        type: 'message_ended',
        seq: 6,
        ...head,
        id: 'm_2',
        message: { id: 'm_2', role: 'assistant', content: [call] },
        usage: noUsage,
        finish: 'tool_calls',
      },
    ];

    it('FILES-08 keeps the lines that it reported, which no message has', () => {
      const table = new Table();
      table.ready(idle);
      table.say(...began, ...calls, ended(7, { changes: [change] }), ended(7, { changes: [] }));
      table.say({ type: 'step_ended', seq: 8, ...head, n: 1 });
      table.picture();
      const [edit] = table.store.edits.value.get('c1') ?? [];
      expect(edit).toMatchObject({ path: 'a.ts', what: 'created', added: 1, source: 'done' });
      table.say({ type: 'step_started', seq: 9, ...head, n: 2 });
      table.picture();
      expect(table.store.edits.value.get('c1')?.[0]).toBe(edit);
    });

    it('has its lines from a snapshot, too, while its step goes on', () => {
      const outcome = { content: [], value: { changes: [change] }, meta: [], error: false };
      const view = { id: 'c1', name: 'write_file', input: call.input, json: '', state: 'done' as const, progress: null, outcome };
      const table = new Table();
      table.ready({
        ...idle,
        status: 'running',
        run: 'run_1',
        step: { id: 'm_2', content: [call], attributes: {}, calls: [view] },
      });
      expect(table.store.edits.value.get('c1')).toHaveLength(1);
    });

    it('fetches lines that are too large to travel', async () => {
      const table = new Table();
      table.ready(idle);
      const large = { preview: '{', bytes: 70_000, hash: 'abc', href: '/api/sessions/s/blobs/abc' };
      table.say(...began, ...calls, ended(7, large));
      table.picture();
      expect(table.store.edits.value.size).toBe(0);
      table.blobs[0]?.answer.resolve({ changes: [change] });
      await vi.advanceTimersByTimeAsync(0);
      table.picture();
      expect(table.store.edits.value.get('c1')).toHaveLength(1);
    });
  });

  it('shows the beginning of a large text, then the whole, which it fetches once', async () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began, largeReply(6), { type: 'step_ended', seq: 7, ...head, n: 1 });
    table.picture();
    const asked = table.store.rowById.value.get('m_1');
    expect(table.store.rowById.value.get('m_2')).toMatchObject({ content: [{ type: 'text', text: 'Once upon…' }] });
    const cut = table.store.rowById.value.get('m_2');
    table.say({ type: 'step_started', seq: 8, ...head, n: 2 });
    table.picture();
    expect(table.store.rowById.value.get('m_2')).toBe(cut);
    expect(table.blobs.map(({ href }) => href)).toEqual(['/api/sessions/s/blobs/abc']);
    table.blobs[0]?.answer.resolve('Once upon a time');
    await vi.advanceTimersByTimeAsync(0);
    table.picture();
    expect(table.store.rowById.value.get('m_2')).toMatchObject({ content: [{ type: 'text', text: 'Once upon a time' }] });
    expect(table.store.rowById.value.get('m_1')).toBe(asked);
    expect(table.blobs).toHaveLength(1);
  });

  it('asks again for a large text that did not come only after it was away', async () => {
    const table = new Table();
    table.ready(idle);
    table.say(...began, largeReply(6));
    table.picture();
    table.blobs[0]?.answer.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(0);
    table.say({ type: 'step_ended', seq: 7, ...head, n: 1 });
    table.picture();
    expect(table.blobs).toHaveLength(1);
    expect(table.store.isWhole(table.store.snapshot.value?.messages[1] ?? {})).toBe(false);
    table.network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    table.ready();
    table.say({ type: 'step_started', seq: 8, ...head, n: 2 });
    table.picture();
    expect(table.blobs).toHaveLength(2);
  });

  it('tells of a new build, and never for the first one', () => {
    const table = new Table();
    table.ready(idle);
    table.network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    table.ready(undefined, 'newer');
    expect(table.builds).toBe(1);
  });

  it('counts as away from the loss until the server has let it in again', () => {
    const table = new Table();
    expect(table.store.lostAt.value).toBe(1000);
    table.ready(idle);
    expect(table.store.lostAt.value).toBeNull();
    table.network.last.events.closed(1006);
    expect(table.store.phase.value).toBe('waiting');
    vi.advanceTimersByTime(1000);
    table.network.last.events.opened();
    expect(table.store.lostAt.value).not.toBeNull();
    table.ready();
    expect(table.store.phase.value).toBe('live');
  });
});

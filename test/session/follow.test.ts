import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FollowOptions } from '../../src/session/api.ts';
import { type FollowSource, followStream, Signal } from '../../src/session/follow.ts';
import { formatCursor, parseCursor, type SessionEvent } from '../../src/session/protocol/index.ts';
import { unusedSnapshot } from '../../src/session/state.ts';

/** Counts who waits. */
class CountingSignal extends Signal {
  waiting = 0;

  override async wait(ms: number, leave?: AbortSignal): Promise<boolean> {
    this.waiting += 1;
    const fired = await super.wait(ms, leave);
    this.waiting -= 1;
    return fired;
  }
}

/** A session as a follower sees it: a list of events. */
class Source implements FollowSource {
  readonly signal = new CountingSignal();
  readonly events: SessionEvent[] = [];
  readonly over = new Set<string>();
  now = 3;
  /** How many events were read so far. */
  taken = 0;

  epoch(): number {
    return this.now;
  }

  after(text: string | null): Iterable<SessionEvent> | null {
    const cursor = parseCursor(text);
    if (cursor === null || cursor.epoch !== this.now) return null;
    return this.#from(cursor.seq);
  }

  *#from(seq: number): Iterable<SessionEvent> {
    for (const event of this.events.slice(seq)) {
      this.taken += 1;
      yield event;
    }
  }

  snapshot() {
    return { ...unusedSnapshot('work', this.now, 'chat', null), seq: this.events.length };
  }

  isOver(run: string): boolean {
    return this.over.has(run);
  }

  tell(type: 'step_started' | 'turn_ended', run = 'run_1', parent: string | null = null): void {
    const head = { seq: this.events.length + 1, run, turn: 1, parent };
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    if (type === 'step_started') this.events.push({ type, ...head, n: 1 });
    else this.events.push({ type, ...head, reason: 'done', usage, error: null, finish: 'stop' });
    this.signal.fire();
  }

  follow(options: Partial<FollowOptions> = {}, onCancel = (): void => {}): Reader {
    return new Reader(followStream(this, this.signal, { cursor: '3.0', format: 'ndjson', ...options }, onCancel));
  }
}

class Reader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The next chunk as text; null at the end. */
  async next(): Promise<string | null> {
    const { done, value } = await this.#reader.read();
    return done ? null : new TextDecoder().decode(value);
  }

  /** The seqs of the next chunk of NDJSON; null at the end. */
  async seqs(): Promise<number[] | null> {
    let text = (await this.next()) ?? '';
    // A long chunk comes in several reads.
    while (text !== '' && !text.endsWith('\n')) text += (await this.next()) ?? '';
    if (text === '') return null;
    const lines = text.trim().split('\n');
    return lines.map((line) => (JSON.parse(line) as SessionEvent).seq);
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

describe('followStream', () => {
  let source = new Source();
  beforeEach(() => {
    vi.useFakeTimers();
    source = new Source();
  });
  afterEach(() => void vi.useRealTimers());

  it('EVT-04 writes server-sent events whose id is the cursor and whose data is the event', async () => {
    source.tell('step_started');
    source.tell('step_started');
    const text = await source.follow({ format: 'sse' }).next();
    expect(text).toBe(source.events.map((event) => `id: 3.${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  });

  it('EVT-35 begins with a snapshot when there is no cursor, or one that cannot be resumed, and goes on after it', async () => {
    source.tell('step_started');
    for (const cursor of [null, '2.1', 'nonsense']) {
      const stream = source.follow({ format: 'sse', cursor });
      const snapshot = source.snapshot();
      expect(await stream.next()).toBe(`id: ${formatCursor(snapshot)}\nevent: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`);
      const next = stream.next();
      source.tell('step_started');
      expect(await next).toMatch(new RegExp(`^id: 3.${source.events.length}\n`));
      await stream.cancel();
    }
  });

  it('EVT-35 gives only what is after the cursor, each once, and waits for what comes', async () => {
    for (let n = 0; n < 3; n += 1) source.tell('step_started');
    const stream = source.follow({ cursor: '3.1' });
    expect(await stream.seqs()).toEqual([2, 3]);
    const next = stream.seqs();
    source.tell('step_started');
    expect(await next).toEqual([4]);
  });

  it('of a run it gives that run’s events alone, nested ones too, and ends with its own turn_ended', async () => {
    source.tell('turn_ended', 'run_0');
    source.tell('step_started');
    source.tell('turn_ended', 'run_1', 'call_1');
    source.tell('step_started');
    source.tell('turn_ended');
    source.tell('step_started', 'run_2');
    const stream = source.follow({ run: 'run_1' });
    expect(await stream.seqs()).toEqual([2, 3, 4, 5]);
    expect(await stream.seqs()).toBeNull();
  });

  it('of a run that is over, and of one that never was, it ends at once', async () => {
    source.over.add('run_9');
    expect(await source.follow({ run: 'run_9' }).next()).toBeNull();
  });

  it('sends a comment every 15 s while nothing happens', async () => {
    const stream = source.follow({ format: 'sse' });
    for (let n = 0; n < 2; n += 1) {
      const next = stream.next();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await next).toBe(': waiting\n\n');
    }
    const next = stream.next();
    await vi.advanceTimersByTimeAsync(14_999);
    source.tell('step_started');
    expect(await next).toContain('id: 3.1');
  });

  it('writes an empty line every 15 s where a comment is none, so that a reader who has gone is noticed', async () => {
    const stream = source.follow();
    const next = stream.next();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await next).toBe('\n');
  });

  it('EVT-29 keeps no more than a batch for a reader that stops, however large the events are', async () => {
    const stream = source.follow();
    for (let n = 0; n < 100; n += 1) source.tell('step_started', 'x'.repeat(50_000));
    const taken = source.taken;
    const first = await stream.seqs();
    expect(first?.length).toBe(6);
    expect(source.taken - taken).toBeLessThan(10);
  });

  it('of a run it reads past any number of events of others at once', async () => {
    for (let n = 0; n < 600; n += 1) source.tell('step_started', 'run_0');
    source.tell('turn_ended');
    expect(await source.follow({ run: 'run_1' }).seqs()).toEqual([601]);
  });

  it('EVT-29 a reader that stops reading holds nothing up: it reads on from where it was', async () => {
    const stream = source.follow();
    for (let n = 0; n < 1000; n += 1) source.tell('step_started');
    const read: number[] = [];
    while (read.length < 1000) read.push(...((await stream.seqs()) ?? []));
    expect(read).toEqual(source.events.map(({ seq }) => seq));
  });

  it('ends when the epoch becomes another, without an event of the new one', async () => {
    source.tell('step_started');
    const stream = source.follow();
    expect(await stream.seqs()).toEqual([1]);
    const next = stream.next();
    source.now = 4;
    source.tell('step_started');
    expect(await next).toBeNull();
  });

  it('CANC-14 tells when its reader goes away, and nothing waits for it from then on', async () => {
    const gone = vi.fn();
    const stream = source.follow({ run: 'run_1' }, gone);
    const next = stream.next();
    await vi.advanceTimersByTimeAsync(0);
    expect(source.signal.waiting).toBe(1);
    await stream.cancel();
    await next;
    expect([gone.mock.calls.length, source.signal.waiting]).toEqual([1, 0]);
  });
});

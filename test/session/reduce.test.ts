import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noUsage } from '../../src/core/index.ts';
import {
  applyEvent,
  leftLimit,
  type PartialReply,
  type SessionEvent,
  type StateChange,
  type StoredMessage,
} from '../../src/session/protocol/index.ts';
import { unusedSnapshot } from '../../src/session/state.ts';

const blank = unusedSnapshot('work', 1, 'chat', null);
const head = { run: 'run_1', turn: 1, parent: null };
const state = (seq: number, changes: StateChange): SessionEvent => ({
  type: 'state',
  seq,
  run: null,
  turn: null,
  parent: null,
  ...changes,
});
const message = (id: string, said: string): StoredMessage => ({
  id,
  role: 'user',
  content: [{ type: 'text', text: said }],
  run: null,
  created: 1,
});
const reply: StoredMessage = {
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello' }],
  run: 'run_1',
  created: 2,
  finish: 'stop',
  usage: noUsage,
};

/** A turn, from its admission to its end. */
const turn: readonly SessionEvent[] = [
  state(1, { status: 'running', title: 'Hi', messages: [message('msg_0', 'Hi')] }),
  { type: 'turn_started', seq: 2, ...head },
  { type: 'step_started', seq: 3, ...head, n: 1 },
  { type: 'message_started', seq: 4, ...head, id: 'msg_1' },
  { type: 'text_delta', seq: 5, ...head, id: 'msg_1', text: 'Hel' },
  { type: 'text_delta', seq: 6, ...head, id: 'msg_1', text: 'lo' },
  { type: 'message_ended', seq: 7, ...head, id: 'msg_1', message: reply, usage: noUsage, finish: 'stop' },
  { type: 'step_ended', seq: 8, ...head, n: 1 },
  { type: 'turn_ended', seq: 9, ...head, reason: 'done', usage: noUsage, error: null, finish: 'stop' },
  state(10, { status: 'idle' }),
];

describe('applyEvent', () => {
  it('B14 EVT-35 changes nothing for an event that was applied before, wherever the repetition begins', () => {
    const once = turn.reduce(applyEvent, blank);
    expect(once.messages).toEqual([message('msg_0', 'Hi'), reply]);
    fc.assert(
      fc.property(fc.nat({ max: 10 }), fc.nat({ max: 10 }), (until, from) => {
        const seen = turn.slice(0, until);
        expect([...seen, ...seen.slice(from)].reduce(applyEvent, blank)).toEqual(seen.reduce(applyEvent, blank));
      }),
      { numRuns: 100 },
    );
  });

  it('EVT-22 a type that it does not know moves the seq alone', () => {
    const unknown = { type: 'weather', seq: 1, run: null, turn: null, parent: null, messages: [] } as unknown as SessionEvent;
    expect(applyEvent(blank, unknown)).toEqual({ ...blank, seq: 1 });
  });

  it('EVT-33 a nested turn changes neither status nor turn', () => {
    const running = turn.slice(0, 4).reduce(applyEvent, blank);
    const nested = { run: 'run_1', turn: 9, parent: 'call_1' };
    const events: SessionEvent[] = [
      { type: 'turn_started', seq: 5, ...nested },
      { type: 'turn_ended', seq: 6, ...nested, reason: 'done', usage: noUsage, error: null, finish: 'stop' },
    ];
    expect(events.reduce(applyEvent, running)).toEqual({ ...running, seq: 6 });
  });

  it('a turn that could not start is known by its end', () => {
    const ended: SessionEvent = {
      type: 'turn_ended',
      seq: 1,
      ...head,
      reason: 'failed',
      usage: noUsage,
      error: null,
      finish: null,
    };
    expect(applyEvent(blank, ended)).toMatchObject({ run: 'run_1', turn: 1 });
  });

  it('puts changed messages in their place, and begins anew with another thread', () => {
    const two = applyEvent(blank, state(1, { messages: [message('a', 'one'), message('b', 'two')] }));
    const changed = applyEvent(two, state(2, { messages: [message('a', 'other'), message('c', 'three')] }));
    expect(changed.messages).toEqual([message('a', 'other'), message('b', 'two'), message('c', 'three')]);
    const anew = applyEvent({ ...changed, run: 'run_1' }, state(3, { thread: 2, messages: [] }));
    expect(anew).toMatchObject({ thread: 2, messages: [], left: [], run: null });
  });

  it('C-2 keeps the newest of what was left behind, once for each run', () => {
    const partial = (n: number): PartialReply => ({ run: `run_${n}`, message: reply, rev: 1, by: null, after: null, created: n });
    let snapshot = blank;
    for (let n = 0; n < leftLimit + 5; n += 1) snapshot = applyEvent(snapshot, state(n + 1, { left: [partial(n)] }));
    expect(snapshot.left.map(({ created }) => created)).toEqual(Array.from({ length: leftLimit }, (_, n) => n + 5));
    expect(applyEvent(snapshot, state(999, { left: [partial(30)] })).left).toHaveLength(leftLimit);
  });

  it('a reply that was discarded is gone; another in progress stays', () => {
    const streaming = turn.slice(0, 6).reduce(applyEvent, blank);
    const discard = (id: string): SessionEvent => ({ type: 'message_discarded', seq: 7, ...head, id, reason: 'test' });
    expect(applyEvent(streaming, discard('msg_1')).step).toBeNull();
    expect(applyEvent(streaming, discard('msg_9')).step).toEqual(streaming.step);
  });
});

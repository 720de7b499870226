import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { DeltaJoiner, type Draft, joinLimit, joinWindow } from '../../src/session/joiner.ts';
import { largeLimit } from '../../src/session/large.ts';

const head = { run: 'run_1', turn: 1, parent: null };
const textDelta = (text: string, id = 'msg_1'): Draft => ({ type: 'text_delta', ...head, id, text });
const reasoningDelta = (text: string, id = 'msg_1'): Draft => ({ type: 'reasoning_delta', ...head, id, text });
const inputDelta = (json: string, id = 'call_1'): Draft => ({ type: 'tool_input_delta', ...head, id, json });
const progress = (value: Json, id = 'call_1'): Draft => ({ type: 'tool_progress', ...head, id, value });

/** What a list of deltas says: the same however they are joined. */
function said(events: readonly Draft[]): string[] {
  const said: { key: string; text: string }[] = [];
  for (const event of events) {
    const [key, text] = partOf(event);
    const last = said.at(-1);
    if (last?.key === key) last.text += text;
    else said.push({ key, text });
  }
  return said.map(({ key, text }) => `${key}=${text}`);
}

function partOf(event: Draft): readonly [string, string] {
  if (event.type === 'text_delta' || event.type === 'reasoning_delta') return [`${event.type} ${event.id}`, event.text];
  if (event.type === 'tool_input_delta') return [`${event.type} ${event.id}`, event.json];
  if (event.type === 'tool_progress') return [`${event.type} ${event.id}`, String(event.value)];
  throw new Error(`${event.type} is no delta`);
}

describe('DeltaJoiner', () => {
  let sent: Draft[] = [];
  let joiner = new DeltaJoiner(() => {});

  beforeEach(() => {
    vi.useFakeTimers();
    sent = [];
    joiner = new DeltaJoiner((event) => sent.push(event));
  });
  afterEach(() => void vi.useRealTimers());

  it('EVT-12 sends the first delta at once and joins those that follow until the window ends', () => {
    joiner.add(textDelta('a'));
    expect(sent).toEqual([textDelta('a')]);
    for (const text of ['b', 'c', 'd']) joiner.add(textDelta(text));
    vi.advanceTimersByTime(joinWindow - 1);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([textDelta('a'), textDelta('bcd')]);
  });

  it('SHELL-05 joins the text of progress to no more than travels whole', () => {
    const pieces = Array.from({ length: 40 }, (_, n) => `${n}${'€'.repeat(4000)}`);
    for (const piece of pieces) joiner.add(progress(piece));
    joiner.flush();
    expect(said(sent)).toEqual([`tool_progress call_1=${pieces.join('')}`]);
    expect(sent.length).toBeLessThan(pieces.length / 4);
    const sizes = sent.map((event) => new TextEncoder().encode(partOf(event)[1]).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(largeLimit);
  });

  it('EVT-12 goes on joining while deltas come, and sends at once again after a pause', () => {
    joiner.add(textDelta('a'));
    joiner.add(textDelta('b'));
    vi.advanceTimersByTime(joinWindow);
    joiner.add(textDelta('c'));
    expect(said(sent)).toEqual(['text_delta msg_1=ab']);
    vi.advanceTimersByTime(2 * joinWindow);
    joiner.add(textDelta('d'));
    expect(sent).toEqual(['a', 'b', 'c', 'd'].map((text) => textDelta(text)));
  });

  it.each([
    ['the text of another message', textDelta('x', 'msg_2')],
    ['reasoning', reasoningDelta('x')],
    ['the same part of a nested run', { ...textDelta('x'), parent: 'call_9' }],
    ['the arguments of a call', inputDelta('x')],
  ])('EVT-01 EVT-30 sends what is held before %s, which is not kept waiting', (_, other) => {
    joiner.add(textDelta('a'));
    joiner.add(textDelta('b'));
    joiner.add(other);
    expect(sent).toEqual([textDelta('a'), textDelta('b'), other]);
  });

  it('EVT-18 joins progress that is text; of other progress the newest stands', () => {
    for (const value of ['a', 'b', 'c']) joiner.add(progress(value));
    vi.advanceTimersByTime(joinWindow);
    for (const done of [1, 2, 3]) joiner.add(progress({ done }));
    vi.advanceTimersByTime(joinWindow);
    expect(sent).toEqual([progress('a'), progress('bc'), progress({ done: 1 }), progress({ done: 3 })]);
  });

  it('G-19 sends what is held before it grows past what a row holds', () => {
    const piece = 'x'.repeat(10_000);
    for (let n = 0; n < 100; n += 1) joiner.add(textDelta(piece));
    joiner.flush();
    expect(said(sent)).toEqual([`text_delta msg_1=${piece.repeat(100)}`]);
    expect(Math.max(...sent.map((event) => JSON.stringify(event).length))).toBeLessThan(2 * joinLimit);
  });

  it('leaves no timer behind once it was flushed', () => {
    joiner.add(textDelta('a'));
    joiner.add(textDelta('b'));
    joiner.flush();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('EVT-12 loses nothing, keeps the order and holds nothing longer than the window', () => {
    const id = fc.constantFrom('one', 'two');
    const piece = fc.string({ minLength: 1, maxLength: 3 });
    const delta = fc.oneof(
      fc.tuple(piece, id).map(([text, message]) => textDelta(text, message)),
      fc.tuple(piece, id).map(([text, message]) => reasoningDelta(text, message)),
      fc.tuple(piece, id).map(([text, call]) => inputDelta(text, call)),
      fc.tuple(piece, id).map(([text, call]) => progress(text, call)),
    );
    const act = fc.oneof({ weight: 6, arbitrary: delta }, { weight: 3, arbitrary: fc.nat({ max: 60 }) }, fc.constant('flush'));
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        sent = [];
        let now = 0;
        const added: { event: Draft; at: number }[] = [];
        for (const one of acts) {
          if (typeof one === 'number') {
            vi.advanceTimersByTime(one);
            now += one;
          } else if (one === 'flush') joiner.flush();
          else if (typeof one === 'object') {
            joiner.add(one);
            added.push({ event: one, at: now });
          }
          const due = added.filter(({ at }) => at + joinWindow <= now).map(({ event }) => event);
          expect(lengthOf(sent)).toBeGreaterThanOrEqual(lengthOf(due));
        }
        joiner.flush();
        expect(said(sent)).toEqual(said(added.map(({ event }) => event)));
      }),
      { numRuns: 300 },
    );
  });
});

function lengthOf(events: readonly Draft[]): number {
  return events.reduce((length, event) => length + partOf(event)[1].length, 0);
}

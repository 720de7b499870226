import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acked,
  echoed,
  frameOf,
  type Outbox,
  refusedBy,
  restoreOutbox,
  sending,
  storeOutbox,
  unanswered,
} from '../../src/ui/state/outbox.ts';

const words = sending('c-1', 'message', { message: 'hello', delivery: 'auto' }, 'hello', 1);
const stop = sending('c-2', 'cancel', { target: 'run_1' }, null, 2);
const refusal = { code: 'session_locked', detail: 'A turn runs.', status: 409 };
const nothing = { runs: new Set<string>(), items: new Set<string>() };

describe('the outbox', () => {
  it('makes a frame of the type, the id and the body', () => {
    expect(JSON.parse(frameOf(words))).toEqual({ type: 'message', id: 'c-1', message: 'hello', delivery: 'auto' });
  });

  it('sends again what has no answer, in its order and under the same ids', () => {
    const outbox = acked([words, stop], 'c-2', null);
    expect(unanswered([words, stop])).toEqual([words, stop]);
    expect(unanswered(outbox)).toEqual([words]);
  });

  it('never sends again what was answered, however often', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('ack', 'refuse', 'echo'), { minLength: 1, maxLength: 6 }), (answers) => {
        let outbox: Outbox = [words, stop];
        for (const answer of answers) {
          if (answer === 'ack') outbox = acked(outbox, 'c-1', { run: 'run_1' });
          if (answer === 'refuse') outbox = refusedBy(outbox, 'c-1', refusal);
          if (answer === 'echo') outbox = echoed(outbox, { runs: new Set(['run_1']), items: new Set() });
        }
        const resent = unanswered(outbox).some((sent) => sent.id === 'c-1');
        expect(resent).toBe(answers.every((answer) => answer === 'echo'));
      }),
      { numRuns: 100 },
    );
  });

  it('shows accepted words until the session does', () => {
    const accepted = acked([words], 'c-1', { run: 'run_1', turn: 1, cursor: '1.0' });
    expect(echoed(accepted, nothing)).toEqual(accepted);
    expect(echoed(accepted, { ...nothing, runs: new Set(['run_1']) })).toEqual([]);
  });

  it('knows an inbox item that has landed already', () => {
    const accepted = acked([words], 'c-1', { inbox: 'inbox_1' });
    expect(echoed(accepted, nothing)).toHaveLength(1);
    expect(echoed(accepted, { ...nothing, items: new Set(['inbox_1']) })).toEqual([]);
  });

  it('keeps refused words for the reader, and drops a refused stop', () => {
    const outbox = refusedBy(refusedBy([words, stop], 'c-1', refusal), 'c-2', refusal);
    expect(outbox).toEqual([{ ...words, state: 'refused', refusal }]);
  });

  it('outlives a reload, and takes nothing from a broken store', () => {
    expect(restoreOutbox(storeOutbox([words, stop]))).toEqual([words, stop]);
    expect(restoreOutbox(null)).toEqual([]);
    expect(restoreOutbox('{"a":1}')).toEqual([]);
    expect(restoreOutbox('[null, {"id": 3}]')).toEqual([]);
  });
});

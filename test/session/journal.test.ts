import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import first from '../../migrations/session/0001.sql';
import { randomId } from '../../src/core/index.ts';
import type { Draft } from '../../src/session/joiner.ts';
import { type Broken, Journal, type Listener, type Work } from '../../src/session/journal.ts';
import type { SessionEvent } from '../../src/session/protocol/index.ts';

const head = { run: 'run_1', turn: 1, parent: null };
const delta = (text: string): Draft => ({ type: 'text_delta', ...head, id: 'msg_1', text });
const step = (n: number): Draft => ({ type: 'step_started', ...head, n });
const warning = (detail: string): Draft => ({ type: 'warning', ...head, code: 'test', detail });

/** A journal on the storage of an object of its own, and what it told. */
interface Bench {
  readonly journal: Journal;
  readonly heard: SessionEvent[];
  readonly sql: SqlStorage;
  /** How many rows of events there are. */
  rows(): number;
}

function withJournal<T>(
  work: (bench: Bench) => T,
  listener: (event: SessionEvent, sql: SqlStorage) => void = () => {},
  broken: Broken = (error) => {
    throw error;
  },
): Promise<T> {
  return runInDurableObject(env.DIRECTORY.getByName(randomId('journal')), async (_, { storage }) => {
    await storage.deleteAll();
    const { sql } = storage;
    sql.exec(first);
    const heard: SessionEvent[] = [];
    const hear: Listener = (event) => {
      heard.push(event);
      listener(event, sql);
    };
    const journal = new Journal(storage, 0, hear, broken);
    return work({ journal, heard, sql, rows: () => sql.exec<{ n: number }>('SELECT count(*) AS n FROM events').one().n });
  });
}

/** Adds one event in a change of its own. */
const tell = (journal: Journal, event: Draft): void => journal.transact((work) => work.emit(event));

const after = (journal: Journal, seq: number): SessionEvent[] => [...(journal.after({ epoch: 7, seq }, 7) ?? [])];

describe('Journal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('numbers all events one after the other, deltas and changes alike', async () => {
    await withJournal(({ journal, heard }) => {
      tell(journal, step(1));
      for (const text of ['a', 'b', 'c']) journal.live(delta(text));
      journal.transact((work) => {
        work.emit(step(2));
        expect(work.seq()).toBe(4);
        work.emit(step(3));
      });
      expect(heard.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
        '1 step_started',
        '2 text_delta',
        '3 text_delta',
        '4 step_started',
        '5 step_started',
      ]);
    });
  });

  it('EVT-28 tells of a change only when its rows are there, and runs effects after that, in order', async () => {
    const order: string[] = [];
    await withJournal(
      ({ journal }) => {
        journal.transact((work) => {
          work.after(() => order.push('first effect'));
          work.emit(step(1));
          work.after(() => order.push('second effect'));
        });
      },
      (event, sql) => {
        const stored = sql.exec('SELECT 1 FROM events WHERE last = ?', event.seq).toArray().length;
        order.push(`${event.type}, ${stored} stored`);
      },
    );
    expect(order).toEqual(['step_started, 1 stored', 'first effect', 'second effect']);
  });

  it('leaves nothing of a change that throws: no row, no event, no effect, no gap', async () => {
    await withJournal(({ journal, heard, sql, rows }) => {
      const effect = vi.fn();
      const failing = (work: Work): void => {
        sql.exec("INSERT INTO notes (text, created) VALUES ('x', 1)");
        work.emit(step(1));
        work.after(effect);
        throw new Error('refused');
      };
      expect(() => journal.transact(failing)).toThrow('refused');
      expect([heard.length, rows(), sql.exec('SELECT * FROM notes').toArray().length]).toEqual([0, 0, 0]);
      expect(effect).not.toHaveBeenCalled();
      tell(journal, step(2));
      expect(heard.map(({ seq }) => seq)).toEqual([1]);
    });
  });

  it('EVT-12 stores a block of deltas after a second, or with the next change', async () => {
    await withJournal(({ journal, rows }) => {
      journal.live(delta('a'));
      vi.advanceTimersByTime(999);
      expect(rows()).toBe(0);
      vi.advanceTimersByTime(1);
      expect(rows()).toBe(1);
      journal.live(delta('b'));
      tell(journal, step(1));
      expect(rows()).toBe(2);
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it('EVT-12 stores a block of deltas as soon as it is large', async () => {
    await withJournal(({ journal, rows }) => {
      journal.live(delta('x'.repeat(40_000)));
      journal.live({ type: 'reasoning_delta', ...head, id: 'msg_1', text: 'x'.repeat(40_000) });
      expect(rows()).toBe(1);
    });
  });

  it('keeps the block of deltas when the change that would have stored it throws', async () => {
    await withJournal(({ journal, heard }) => {
      journal.live(delta('a'));
      expect(() =>
        journal.transact((work) => {
          work.emit(step(1));
          throw new Error('refused');
        }),
      ).toThrow();
      tell(journal, step(2));
      expect(after(journal, 0)).toEqual(heard);
      expect(heard.map(({ type }) => type)).toEqual(['text_delta', 'step_started']);
    });
  });

  it('EVT-12 keeps a block that could not be stored where readers find it, and stores it a second later', async () => {
    await withJournal(({ journal, heard, sql, rows }) => {
      const original = sql.exec;
      for (const text of ['a', 'x'.repeat(70_000)]) {
        const before = rows();
        sql.exec = () => {
          throw new Error('disk is full');
        };
        journal.live(delta(text));
        vi.advanceTimersByTime(1000);
        sql.exec = original;
        expect(after(journal, 0)).toEqual(heard);
        expect(rows()).toBe(before);
        vi.advanceTimersByTime(1000);
        expect(rows()).toBe(before + 1);
        expect(after(journal, 0)).toEqual(heard);
      }
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it('EVT-28 a change that was stored and could not be told is no failed change: it breaks this life', async () => {
    const broken = vi.fn();
    const effect = vi.fn();
    const failing = (): void => {
      throw new Error('cannot be told');
    };
    await withJournal(
      ({ journal, rows }) => {
        const value = journal.transact((work) => {
          work.emit(step(1));
          work.after(effect);
          return 'stored';
        });
        expect([value, rows(), journal.seq]).toEqual(['stored', 1, 1]);
        expect(broken).toHaveBeenCalledExactlyOnceWith(new Error('cannot be told'));
        journal.live(delta('a'));
        expect(broken).toHaveBeenCalledTimes(2);
      },
      failing,
      broken,
    );
    expect(effect).not.toHaveBeenCalled();
  });

  it('G-19 stores one event that is larger than a row, and leaves nothing of one that cannot be stored', async () => {
    await withJournal(({ journal, heard, sql, rows }) => {
      const large = warning('日'.repeat(1_000_000));
      tell(journal, large);
      journal.live({ type: 'tool_progress', ...head, id: 'call_1', value: { text: 'x'.repeat(3_000_000) } });
      expect(rows()).toBe(2);
      expect(after(journal, 0)).toEqual(heard);
      const pieces = (): number => sql.exec<{ n: number }>('SELECT count(*) AS n FROM blobs').one().n;
      const before = pieces();
      const original = sql.exec.bind(sql);
      sql.exec = ((query: string, ...values: SqlStorageValue[]) => {
        if (query.includes('INTO events')) throw new Error('disk is full');
        return original(query, ...values);
      }) as typeof sql.exec;
      expect(() => tell(journal, warning('é'.repeat(1_000_000)))).toThrow('disk is full');
      sql.exec = original;
      expect([pieces(), rows()]).toEqual([before, 2]);
    });
  });

  it('EVT-12 writes few rows for many deltas: a thousand over ten seconds are at most eleven', async () => {
    await withJournal(({ journal, rows }) => {
      for (let n = 0; n < 1000; n += 1) {
        journal.live(delta('x'));
        vi.advanceTimersByTime(10);
      }
      tell(journal, step(1));
      expect(rows()).toBeLessThanOrEqual(11);
    });
  });

  it('G-19 stores a change whose events are together larger than a row', async () => {
    await withJournal(({ journal, heard, rows }) => {
      journal.transact((work) => {
        for (let n = 0; n < 5; n += 1) work.emit(warning('日'.repeat(300_000)));
      });
      expect(rows()).toBe(5);
      expect(after(journal, 0)).toEqual(heard);
    });
  });

  it('EVT-35 gives exactly the events after any cursor, stored or not, as they were told', async () => {
    const act = fc.oneof(
      { weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 4 }).map((text) => ({ kind: 'delta' as const, text })) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }).map((count) => ({ kind: 'change' as const, count })) },
      { weight: 1, arbitrary: fc.constant({ kind: 'refused' as const }) },
      { weight: 2, arbitrary: fc.nat({ max: 1500 }).map((ms) => ({ kind: 'wait' as const, ms })) },
    );
    await withJournal(({ journal, heard }) => {
      const play = (acts: readonly (typeof act extends fc.Arbitrary<infer A> ? A : never)[]): void => {
        for (const one of acts) {
          if (one.kind === 'delta') journal.live(delta(one.text));
          else if (one.kind === 'wait') vi.advanceTimersByTime(one.ms);
          else if (one.kind === 'change') {
            journal.transact((work) => {
              for (let n = 1; n <= one.count; n += 1) work.emit(step(n));
            });
          } else {
            expect(() =>
              journal.transact((work) => {
                work.emit(step(0));
                throw new Error('refused');
              }),
            ).toThrow('refused');
          }
        }
      };
      fc.assert(
        fc.property(fc.array(act, { maxLength: 20 }), fc.nat(), (acts, pick) => {
          play(acts);
          expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, index) => index + 1));
          const cursor = pick % (heard.length + 1);
          expect(after(journal, cursor)).toEqual(heard.slice(cursor));
        }),
        { numRuns: 60 },
      );
      journal.flush();
      expect(after(journal, 0)).toEqual(heard);
    });
  });

  it('EVT-35 cannot resume a cursor of another epoch, of the future, or too far behind', async () => {
    await withJournal(({ journal, sql }) => {
      tell(journal, step(1));
      expect(journal.after({ epoch: 6, seq: 0 }, 7)).toBeNull();
      expect(journal.after({ epoch: 8, seq: 0 }, 7)).toBeNull();
      expect(journal.after({ epoch: 7, seq: 2 }, 7)).toBeNull();
      expect([...(journal.after({ epoch: 7, seq: 1 }, 7) ?? [])]).toEqual([]);
      for (let n = 0; n < 17; n += 1) tell(journal, warning('x'.repeat(512 * 1024)));
      expect(journal.after({ epoch: 7, seq: 1 }, 7)).toBeNull();
      expect(after(journal, 3)).toHaveLength(15);
      expect(sql.exec('SELECT last FROM events').toArray()).toHaveLength(18);
    });
  });
});

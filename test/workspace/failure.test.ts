import { expect, it } from 'vitest';
import type { FileChange } from '../../src/tools/index.ts';
import { byHand, type Bench, dump, inconsistencies, make, makeBench, noise, tree, withBench, write } from './support.ts';

/** SQL of which one statement fails. */
function failingAt(sql: SqlStorage, failing: { at: number; seen: number }): SqlStorage {
  return new Proxy(sql, {
    get(target, property) {
      if (property !== 'exec') return Reflect.get(target, property) as unknown;
      return (query: string, ...values: SqlStorageValue[]) => {
        failing.seen += 1;
        if (failing.seen === failing.at) throw new Error('disk is full');
        return target.exec(query, ...values);
      };
    },
  });
}

const large = noise(300_000);

const scenes: readonly [string, (bench: Bench) => Promise<unknown>][] = [
  [
    'a change of several files',
    (bench) => {
      const changes: readonly FileChange[] = [
        write('a/b', 'new', { ifRev: 1 }),
        { type: 'write', path: 'n/large', bytes: large },
        { type: 'link', path: 'l', target: 'a' },
        { type: 'move', from: 'd', to: 'e/f' },
        { type: 'delete', path: 'gone' },
        { type: 'folder', path: 'z' },
      ];
      return bench.files.change(changes, { call: 'call_1', turn: 2 });
    },
  ],
  ['an undo of a turn', (bench) => bench.files.undo({ turn: 1 })],
  ['an upload', (bench) => bench.files.write('up', new Blob([large]).stream(), { executable: true, ifRev: null }, byHand)],
];

it.each(scenes)(
  'FILES-06 %s, with storage that fails at any statement, is done as a whole or not at all',
  async (_, act) => {
    const prepare = async (bench: Bench): Promise<void> => {
      await make(bench, [write('a/b', 'old'), write('gone', 'x')]);
      await make(bench, [write('d/x', '1'), write('d/y', '2'), { type: 'delete', path: 'a/b' }, write('a/b', 'old')], {
        call: 'c',
        turn: 1,
      });
      bench.sql.exec("UPDATE files SET rev = 1 WHERE path = 'a/b'");
    };
    const whole = await withBench(async (bench) => {
      await prepare(bench);
      const before = await tree(bench);
      const counting = { at: 0, seen: 0 };
      const counted = makeBench(bench.storage, { sql: (sql) => failingAt(sql, counting) });
      await act(counted);
      return { before, after: await tree(bench), statements: counting.seen };
    });
    expect(whole.after).not.toEqual(whole.before);
    expect(whole.statements).toBeGreaterThan(8);

    for (let at = 1; at <= whole.statements; at += 1) {
      await withBench(async (bench) => {
        await prepare(bench);
        const rows = dump(bench.sql);
        const failing = makeBench(bench.storage, { sql: (sql) => failingAt(sql, { at, seen: 0 }) });
        const outcome = await act(failing).catch((error: unknown) => String(error));
        const left = await tree(bench);
        if (outcome === 'Error: disk is full') {
          expect(left).toEqual(whole.before);
          expect(failing.told).toEqual([]);
        } else expect(left).toEqual(whole.after);
        // What an upload had noted is noted still, for the next sweep; a new life does it.
        await failing.objects.sweep();
        await failing.objects.sweep();
        expect(inconsistencies(bench.sql)).toEqual([]);
        if (outcome === 'Error: disk is full') expect(dump(bench.sql)).toBe(rows);
      });
    }
  },
  120_000,
);

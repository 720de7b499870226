import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FileChange } from '../../src/tools/index.ts';
import { Model } from './model.ts';
import { type Bench, dump, inconsistencies, makeBench, tree, withBench, write } from './support.ts';

type Step =
  | { readonly type: 'change'; readonly changes: readonly FileChange[]; readonly turn: number | null }
  | { readonly type: 'undo'; readonly what: { readonly path: string } | { readonly turn: number } };

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

const change: fc.Arbitrary<FileChange> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ path, text: fc.constantFrom('', 'x', 'y'), executable: fc.constantFrom(undefined, true, false) })
      .map(written),
  },
  { weight: 1, arbitrary: path.map((at): FileChange => ({ type: 'link', path: at, target: 'a' })) },
  { weight: 2, arbitrary: path.map((at): FileChange => ({ type: 'folder', path: at })) },
  { weight: 3, arbitrary: path.map((at): FileChange => ({ type: 'delete', path: at })) },
  { weight: 3, arbitrary: fc.tuple(path, path).map(([from, to]): FileChange => ({ type: 'move', from, to })) },
);

function written({ path: at, text, executable }: { path: string; text: string; executable: boolean | undefined }): FileChange {
  return write(at, text, executable === undefined ? {} : { executable });
}

const turn = fc.constantFrom(1, 2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      changes: fc.array(change, { minLength: 1, maxLength: 3 }),
      turn: fc.option(turn),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('undo' as const),
      what: fc.oneof(
        path.map((at) => ({ path: at })),
        turn.map((n) => ({ turn: n })),
      ),
    }),
  },
);
const steps = fc.array(step, { minLength: 1, maxLength: 25 });

async function take({ files }: Bench, one: Step): Promise<boolean> {
  if (one.type === 'undo') return (await files.undo(one.what)).ok;
  return (await files.change(one.changes, { call: null, turn: one.turn })).ok;
}

function takeInModel(model: Model, one: Step): boolean {
  return one.type === 'undo' ? model.undo(one.what) : model.change(one.changes, one.turn);
}

it('FILES-06 FILES-08 FILES-09 any sequence of changes and undos does what it would on a disk, or is refused and does nothing', async () => {
  await withBench(async ({ storage }) => {
    await fc.assert(
      fc
        .asyncProperty(steps, async (all) => {
          const bench = makeBench(storage);
          const model = new Model();
          for (const one of all) {
            const [before, told] = [dump(bench.sql), bench.told.length];
            const taken = await take(bench, one);
            expect(taken).toBe(takeInModel(model, one));
            expect(await tree(bench)).toEqual(model.tree());
            if (!taken) expect([dump(bench.sql), bench.told.length]).toEqual([before, told]);
            expect(inconsistencies(bench.sql)).toEqual([]);
          }
        })
        .beforeEach(() => {
          for (const table of ['files', 'gone_files', 'file_bodies', 'file_changes', 'file_states'])
            storage.sql.exec(`DELETE FROM ${table}`);
          storage.sql.exec('UPDATE workspace SET rev = 0, files = 0, bytes = 0, stored = 0, forgotten = 0, forgotten_turn = 0');
        }),
      { numRuns: 300 },
    );
  });
}, 120_000);

it('FILES-01 a copy that is kept by what changed is always the same as the workspace', async () => {
  await withBench(async ({ storage }) => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 20 }), async (all) => {
          const bench = makeBench(storage);
          const copy = new Map<string, string>();
          let rev = 0;
          for (const [one, isSynced] of [...all, [{ type: 'undo', what: { turn: 9 } }, true] as const]) {
            await take(bench, one);
            if (!isSynced) continue;
            const changes = await bench.files.changesSince(rev);
            rev = changes.rev;
            const clear = (at: string): void => {
              for (const other of copy.keys()) if (other === at || other.startsWith(`${at}/`)) copy.delete(other);
            };
            for (const at of changes.gone) clear(at);
            for (const { path: at, kind, hash, executable } of changes.entries) {
              // A folder is made as on a disk: what is in one that is there already stays.
              if (kind === 'folder') copy.delete(at);
              else clear(at);
              for (const other of copy.keys()) if (at.startsWith(`${other}/`)) copy.delete(other);
              copy.set(at, `${kind} ${hash} ${executable}`);
            }
            const list = await bench.files.list('', { after: null, limit: 1000 });
            const there = list.ok
              ? list.value.map(({ path: at, kind, hash, executable }) => [at, `${kind} ${hash} ${executable}`] as const)
              : [];
            expect(copy).toEqual(new Map(there));
          }
        })
        .beforeEach(() => {
          for (const table of ['files', 'gone_files', 'file_bodies', 'file_changes', 'file_states'])
            storage.sql.exec(`DELETE FROM ${table}`);
          storage.sql.exec('UPDATE workspace SET rev = 0, files = 0, bytes = 0, stored = 0, forgotten = 0, forgotten_turn = 0');
        }),
      { numRuns: 1000 },
    );
  });
}, 120_000);

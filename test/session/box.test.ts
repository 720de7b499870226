import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import table from '../../migrations/session/0007.sql';
import { randomId } from '../../src/core/index.ts';
import type { BoxMemory } from '../../src/sandbox/index.ts';
import { migrate } from '../../src/session/migrations.ts';
import { rowBox } from '../../src/session/rows/box.ts';

/** Runs on an object that nobody used, with the table alone. `later` is what the object's next life finds. */
function onRows(work: (memory: BoxMemory, later: () => BoxMemory) => void): Promise<void> {
  return runInDurableObject(env.DIRECTORY.getByName(randomId('box')), async (_, { storage }) => {
    await storage.deleteAll();
    migrate(storage, [table]);
    work(rowBox(storage), () => rowBox(storage));
  });
}

it('WORK-01 what a box has is remembered for the next life of the object, the newest state alone', async () => {
  await onRows((memory, later) => {
    expect(memory.read()).toBe(null);
    memory.write({ boot: 'a', rev: 1, saved: new Map([['x', 2]]) });
    expect(later().read()).toEqual({ boot: 'a', rev: 1, saved: new Map([['x', 2]]) });
    memory.write({ boot: 'b', rev: 3, saved: new Map() });
    expect(later().read()).toEqual({ boot: 'b', rev: 3, saved: new Map() });
  });
});

it('WORK-01 a state larger than a row is remembered whole, wherever its characters are cut', async () => {
  await onRows((memory, later) => {
    const name = '😀'.repeat(200);
    const paths = Array.from({ length: 4000 }, (_, n) => [`${name}${n}`, n] as const);
    for (const boot of ['a', 'ab', 'abc', 'abcd']) {
      memory.write({ boot, rev: 1, saved: new Map(paths) });
      expect(later().read()).toEqual({ boot, rev: 1, saved: new Map(paths) });
    }
    memory.write({ boot: 'b', rev: 2, saved: new Map() });
    expect(later().read()).toEqual({ boot: 'b', rev: 2, saved: new Map() });
  });
});

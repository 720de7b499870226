import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { randomId } from '../../src/core/index.ts';
import { migrate } from '../../src/session/migrations.ts';

/** Runs in the storage of an object that nobody used, emptied. */
function inStorage<T>(work: (storage: DurableObjectStorage) => T | Promise<T>): Promise<T> {
  return runInDurableObject(env.DIRECTORY.getByName(randomId('storage')), async (_, { storage }) => {
    await storage.deleteAll();
    return work(storage);
  });
}

const first = 'CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1);';
const second = 'ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1;';
const numbers = (storage: DurableObjectStorage): unknown[] =>
  storage.sql.exec('SELECT number FROM migrations ORDER BY number').toArray();

describe('migrate', () => {
  it('runs every text once, in order, and records its number', async () => {
    await inStorage((storage) => {
      migrate(storage, [first, second]);
      expect(storage.sql.exec('SELECT x, y FROM a').toArray()).toEqual([{ x: 1, y: 2 }]);
      expect(numbers(storage)).toEqual([{ number: 1 }, { number: 2 }]);
    });
  });

  it('goes on where it was, and writes nothing when it is at the end', async () => {
    await inStorage((storage) => {
      migrate(storage, [first]);
      migrate(storage, [first, second]);
      const before = storage.sql.exec('SELECT * FROM migrations').toArray();
      migrate(storage, [first, second]);
      expect(storage.sql.exec('SELECT * FROM migrations').toArray()).toEqual(before);
      expect(storage.sql.exec('SELECT x, y FROM a').toArray()).toEqual([{ x: 1, y: 2 }]);
    });
  });

  it('leaves nothing of a text that fails, and can be run again', async () => {
    await inStorage((storage) => {
      expect(() => migrate(storage, [first, 'CREATE TABLE b (x INTEGER); INSERT INTO nowhere VALUES (1);'])).toThrow();
      expect(numbers(storage)).toEqual([{ number: 1 }]);
      expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'b'").toArray()).toEqual([]);
      migrate(storage, [first, second]);
      expect(numbers(storage)).toEqual([{ number: 1 }, { number: 2 }]);
    });
  });

  it('begins anew after everything was erased', async () => {
    await inStorage(async (storage) => {
      migrate(storage, [first]);
      await storage.deleteAll();
      migrate(storage, [first]);
      expect(numbers(storage)).toEqual([{ number: 1 }]);
    });
  });

  it('will not touch what a newer release wrote', async () => {
    await inStorage((storage) => {
      migrate(storage, [first, second]);
      expect(() => migrate(storage, [first])).toThrow('migration 2');
    });
  });
});

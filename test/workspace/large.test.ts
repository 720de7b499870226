import { describe, expect, it } from 'vitest';
import { type Bucket, workspaceLimits } from '../../src/workspace/index.ts';
import { byHand, inconsistencies, make, makeBench, noise, problem, tree, value, withBench, write } from './support.ts';

const { inline } = workspaceLimits;

/** Bytes that need an object. */
const large = (seed: number): Uint8Array => noise(inline + 1, seed);

/** A stream of these chunks; it breaks off in the end where `error` is given. */
function streamOf(chunks: readonly Uint8Array[], error?: Error): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (error === undefined) controller.close();
      else controller.error(error);
    },
  });
}

const plain = { executable: null, ifRev: undefined } as const;

describe('large files', () => {
  it('FILES-01 stand in the bucket, those that fit in a row do not', async () => {
    await withBench(async (bench) => {
      await make(bench, [{ type: 'write', path: 'small', bytes: noise(inline) }]);
      expect(await bench.keys()).toEqual([]);
      const [entry] = await make(bench, [{ type: 'write', path: 'large', bytes: large(1) }]);
      const keys = await bench.keys();
      expect(keys).toHaveLength(1);
      expect([...bench.held]).toEqual(keys);
      const read = value(await bench.files.read('large'));
      expect(read.bytes).toEqual(large(1));
      expect(read.entry).toEqual(entry);
      expect(value(await bench.files.read('large', { offset: inline - 2, length: 100 })).bytes).toEqual(
        large(1).subarray(inline - 2),
      );
      expect(value(await bench.files.read('large', { offset: inline + 1, length: 5 })).bytes).toEqual(new Uint8Array());
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it('FILES-08 the same bytes are kept once, and until no file and no change needs them', async () => {
    await withBench(async (bench) => {
      const write = (path: string) => ({ type: 'write', path, bytes: large(2) }) as const;
      await make(bench, [write('a'), write('b')]);
      await make(bench, [write('c')]);
      expect(await bench.keys()).toHaveLength(1);
      await make(bench, [
        { type: 'delete', path: 'a' },
        { type: 'delete', path: 'b' },
        { type: 'delete', path: 'c' },
      ]);
      await bench.objects.clear();
      expect(await bench.keys()).toHaveLength(1);
      for (const path of ['c', 'b', 'a']) await bench.files.undo({ path });
      for (const path of ['c', 'b']) await bench.files.undo({ path });
      expect(Object.keys(await tree(bench))).toEqual(['a']);
      await bench.files.undo({ path: 'a' });
      await bench.objects.clear();
      expect(await bench.keys()).toEqual([]);
      expect([...bench.held]).toEqual([]);
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it.each([
    ['in one piece', [noise(9_000_000, 3)]],
    ['in odd pieces, over several parts', Array.from({ length: 150 }, (_, n) => noise(100_003, n))],
    ['just above what a row takes', [noise(inline, 4), noise(1, 5)]],
    ['small', [noise(10, 6), new Uint8Array(), noise(10, 7)]],
    ['empty', []],
  ])('WORK-02 one that comes as a stream, %s, is written as it came', async (_, chunks) => {
    await withBench(async (bench) => {
      const whole = new Uint8Array(await new Blob(chunks).arrayBuffer());
      const entry = value(await bench.files.write('up', streamOf(chunks), plain, byHand));
      expect(entry.size).toBe(whole.length);
      const read = value(await bench.files.read('up'));
      expect(Buffer.from(read.bytes).equals(Buffer.from(whole))).toBe(true);
      const opened = value(await bench.files.open('up', { offset: 5, length: 4 }));
      expect(new Uint8Array(await new Response(opened.stream).arrayBuffer())).toEqual(whole.slice(5, 9));
      await bench.objects.clear();
      expect(await bench.keys()).toHaveLength(whole.length > inline ? 1 : 0);
      expect(inconsistencies(bench.sql)).toEqual([]);
    });
  });

  it('WORK-02 a stream above the limit is refused, whatever it said, and leaves nothing', async () => {
    await withBench(async (bench) => {
      const chunks = Array.from({ length: 27 }, (_, n) => noise(1024 * 1024, n));
      expect(problem(await bench.files.write('up', streamOf(chunks), plain, byHand)).code).toBe('too_large');
      await bench.objects.clear();
      expect([await bench.keys(), await tree(bench), bench.held.size]).toEqual([[], {}, 0]);
    });
  });

  it('WORK-02 a stream that breaks off leaves nothing', async () => {
    await withBench(async (bench) => {
      const broken = streamOf([large(1), noise(9_000_000)], new Error('connection lost'));
      await expect(bench.files.write('up', broken, plain, byHand)).rejects.toThrow('connection lost');
      await bench.objects.clear();
      expect([await bench.keys(), await tree(bench), bench.held.size]).toEqual([[], {}, 0]);
    });
  });

  it('FILES-06 an upload whose condition fails leaves nothing', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('up', 'x')]);
      const refused = await bench.files.write('up', streamOf([large(1)]), { executable: null, ifRev: null }, byHand);
      expect(problem(refused).code).toBe('file_changed');
      const outside = await bench.files.write('../up', streamOf([large(1)]), plain, byHand);
      expect(problem(outside).code).toBe('path_refused');
      await bench.objects.clear();
      expect([await bench.keys(), await tree(bench)]).toEqual([[], { up: 'x' }]);
    });
  });

  it('FILES-01 without a bucket they are refused, and small ones are taken', async () => {
    await withBench(
      async (bench) => {
        expect(problem(await bench.files.change([{ type: 'write', path: 'a', bytes: large(1) }], byHand)).code).toBe('too_large');
        expect(problem(await bench.files.write('a', streamOf([large(1)]), plain, byHand)).code).toBe('too_large');
        await make(bench, [write('a', 'x')]);
        expect(await tree(bench)).toEqual({ a: 'x' });
      },
      { bucket: () => null },
    );
  });

  it('FILES-06 a bucket that fails leaves nothing behind that is not deleted later', async () => {
    let failing = true;
    const faulty = (real: Bucket): Bucket => ({
      put: async (key, bytes) => {
        await real.put(key, bytes);
        if (failing) throw new Error('the answer was lost');
      },
      get: (key, options) => real.get(key, options),
      delete: async (keys) => {
        if (failing) throw new Error('not now');
        await real.delete(keys);
      },
      createMultipartUpload: (key) => real.createMultipartUpload(key),
    });
    await withBench(
      async (bench) => {
        const change = [write('small', 'x'), { type: 'write', path: 'a', bytes: large(1) } as const];
        await expect(bench.files.change(change, byHand)).rejects.toThrow('the answer was lost');
        await bench.objects.sweep();
        expect([await tree(bench), (await bench.keys()).length]).toEqual([{}, 1]);
        expect(bench.warned).not.toEqual([]);
        failing = false;
        await make(bench, change);
        await bench.objects.clear();
        expect(await bench.keys()).toHaveLength(1);
        expect(inconsistencies(bench.sql)).toEqual([]);
      },
      { bucket: faulty },
    );
  });

  it('FILES-06 bytes that were stored when a change began, and are let go before it is committed, are stored again', async () => {
    let meanwhile = async (): Promise<unknown> => null;
    const slow = (real: Bucket): Bucket => ({
      put: async (key, bytes) => {
        await real.put(key, bytes);
        await meanwhile();
        meanwhile = async () => null;
      },
      get: (key, options) => real.get(key, options),
      delete: (keys) => real.delete(keys),
      createMultipartUpload: (key) => real.createMultipartUpload(key),
    });
    await withBench(
      async (bench) => {
        await make(bench, [{ type: 'write', path: 'a', bytes: large(1) }]);
        meanwhile = async () => {
          await bench.files.undo({ path: 'a' });
          await bench.objects.clear();
        };
        await make(bench, [
          { type: 'write', path: 'b', bytes: large(1) },
          { type: 'write', path: 'c', bytes: large(2) },
        ]);
        expect(value(await bench.files.read('b')).bytes).toEqual(large(1));
        expect(value(await bench.files.read('c')).bytes).toEqual(large(2));
        await bench.objects.clear();
        expect(await bench.keys()).toHaveLength(2);
        expect(inconsistencies(bench.sql)).toEqual([]);
      },
      { bucket: slow },
    );
  });

  it('FILES-01 an object whose life ended between the upload and the commit is deleted by the next one', async () => {
    await withBench(async (bench) => {
      await make(bench, [{ type: 'write', path: 'kept', bytes: large(1) }]);
      let uploaded = (): void => {};
      const isUploaded = new Promise<void>((resolve) => (uploaded = resolve));
      // Its commit never comes.
      void bench.objects.add(
        () => {},
        [(bucket, key) => bucket.put(key, large(2))],
        async () => {
          uploaded();
          return new Promise<never>(() => {});
        },
      );
      await isUploaded;
      await bench.objects.clear();
      expect(await bench.keys()).toHaveLength(2);
      const [kept = ''] = bench.sql
        .exec<{ object: string }>('SELECT object FROM file_bodies WHERE object IS NOT NULL')
        .toArray()
        .map(({ object }) => object);
      const next = makeBench(bench.storage, {}, kept.split('/')[0]);
      await next.objects.sweep();
      expect(await bench.keys()).toEqual([kept]);
      expect(await tree(next)).toHaveProperty('kept');
    });
  });

  it('FILES-01 an upload that was given up cannot be committed any more', async () => {
    await withBench(async (bench) => {
      const giveUp = async (): Promise<void> => {
        bench.objects.abandon();
        await bench.objects.clear();
      };
      const slow = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(large(1));
          await new Promise((resolve) => setTimeout(resolve, 0));
          await giveUp();
          controller.close();
        },
      });
      await expect(bench.files.write('up', slow, plain, byHand)).rejects.toThrow('given up');
      expect([await bench.keys(), await tree(bench), bench.held.size]).toEqual([[], {}, 0]);
    });
  });

  it('FILES-01 a file that is as large as one may be goes in and out', async () => {
    await withBench(async (bench) => {
      const bytes = noise(workspaceLimits.file);
      await make(bench, [{ type: 'write', path: 'a', bytes }]);
      expect(Buffer.from(value(await bench.files.read('a')).bytes).equals(Buffer.from(bytes))).toBe(true);
    });
  });
});

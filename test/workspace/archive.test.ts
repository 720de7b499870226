import { unzipSync, zipSync, type Zippable } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type ArchiveProblem, unpack, workspaceLimits } from '../../src/workspace/index.ts';
import { byHand, make, noise, tree, value, withBench, write } from './support.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const unix = (mode: number) => ({ os: 3, attrs: mode << 16 }) as const;

/** What an archive is refused with. */
function refusal(bytes: Uint8Array, folder = ''): ArchiveProblem {
  const outcome = unpack(bytes, folder);
  if (outcome.ok) throw new Error('It was taken.');
  return outcome.problem;
}

/** An archive with bytes changed. */
function patched(bytes: Uint8Array, change: (view: DataView, at: number) => void, signature: number): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  for (let at = 0; at + 4 <= copy.length; at += 1) if (view.getUint32(at, true) === signature) change(view, at);
  return copy;
}

const central = 0x02014b50;

describe('an archive that is brought in', () => {
  it('WORK-02 becomes files with their modes, links and folders, below a folder', async () => {
    await withBench(async (bench) => {
      const archive = zipSync({
        'a.txt': bytesOf('one'),
        'b/run.sh': [bytesOf('two'), unix(0o100755)],
        'b/stored': [bytesOf('three'), { level: 0 }],
        'b/link': [bytesOf('../a.txt'), unix(0o120777)],
        'empty/': new Uint8Array(),
        'ünï.txt': noise(300_000),
      } satisfies Zippable);
      const changes = unpack(archive, 'in');
      if (!changes.ok) throw new Error(changes.problem.message);
      await make(bench, changes.value);
      const { 'in/ünï.txt': large, ...rest } = await tree(bench);
      expect(rest).toEqual({
        'in/a.txt': 'one',
        'in/b/link': '-> ../a.txt',
        'in/b/run.sh': '* two',
        'in/b/stored': 'three',
        'in/empty': 'dir',
      });
      expect(large).toBeDefined();
    });
  });

  it.each([
    ['../up', 'path_refused'],
    ['a/../../up', 'path_refused'],
    ['/abs', 'path_refused'],
    ['C:/abs', 'path_refused'],
    ['a\\b', 'path_refused'],
    ['a\u0001', 'path_refused'],
    ['x/../../in2/a', 'path_refused'],
  ])('FILES-02 one that names %j is refused as a whole, below a folder too', (name, code) => {
    const archive = zipSync({ fine: bytesOf('x'), [name]: bytesOf('y') });
    expect(refusal(archive).code).toBe(code);
    expect(refusal(archive, 'deep/in/here').code).toBe(code);
  });

  it('FILES-02 a link in it may not lead out of the workspace', async () => {
    await withBench(async (bench) => {
      const changes = unpack(zipSync({ a: bytesOf('x'), evil: [bytesOf('../../etc/passwd'), unix(0o120777)] }), 'in');
      if (!changes.ok) throw new Error('refused');
      expect(await bench.files.change(changes.value, byHand)).toMatchObject({ ok: false, problem: { code: 'path_refused' } });
      expect(await tree(bench)).toEqual({});
    });
  });

  it('FILES-02 a link in it is not written through', async () => {
    await withBench(async (bench) => {
      await make(bench, [write('home/x', 'safe')]);
      const changes = unpack(zipSync({ l: [bytesOf('../home'), unix(0o120777)], 'l/x': bytesOf('evil') }), 'in');
      if (!changes.ok) throw new Error('refused');
      expect(await bench.files.change(changes.value, byHand)).toMatchObject({ ok: false, problem: { code: 'path_refused' } });
      expect(await tree(bench)).toEqual({ 'home/x': 'safe' });
    });
  });

  it('FILES-02 two files for one place are refused', () => {
    expect(refusal(zipSync({ 'caf\u00e9': bytesOf('x'), 'cafe\u0301': bytesOf('y') }))).toMatchObject({
      code: 'path_refused',
      path: 'caf\u00e9',
    });
  });

  it('FILES-02 one file that unpacks to much more than its size is refused before it is unpacked', () => {
    expect(refusal(zipSync({ bomb: new Uint8Array(5_000_000) }))).toMatchObject({ code: 'too_large', path: 'bomb' });
  });

  it('FILES-02 files that are too large alone, together, or too many are refused', () => {
    const claim = (size: number, names: readonly string[]): Uint8Array => {
      const files = Object.fromEntries(names.map((name) => [name, [noise(300_000), { level: 0 }] as const]));
      return patched(zipSync(files as Zippable), (view, at) => view.setUint32(at + 24, size, true), central);
    };
    expect(refusal(claim(workspaceLimits.file + 1, ['a']))).toMatchObject({ code: 'too_large', path: 'a' });
    expect(refusal(claim(workspaceLimits.unpacked / 2 + 1, ['a', 'b'])).message).toContain('in parts');
    const many = Object.fromEntries(Array.from({ length: workspaceLimits.files + 1 }, (_, n) => [`f${n}`, new Uint8Array()]));
    expect(refusal(zipSync(many, { level: 0 })).message).toContain('more than 20000 entries');
  });

  it('FILES-02 a file that unpacks to more or less than it says, or to something else, is refused', () => {
    const honest = zipSync({ a: bytesOf('x'.repeat(3000)) });
    expect(refusal(patched(honest, (view, at) => view.setUint32(at + 24, 2000, true), central)).code).toBe('too_large');
    expect(refusal(patched(honest, (view, at) => view.setUint32(at + 24, 4000, true), central)).code).toBe('archive_refused');
    expect(refusal(patched(honest, (view, at) => view.setUint32(at + 16, 1, true), central)).code).toBe('archive_refused');
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['no archive', bytesOf('hello'.repeat(100))],
    ['half of one', zipSync({ a: noise(1000) }).subarray(0, 600)],
    ['the end alone', zipSync({ a: noise(1000) }).subarray(-22)],
    ['an encrypted one', patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint16(at + 8, 1, true), central)],
    [
      'one packed in another way',
      patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint16(at + 10, 12, true), central),
    ],
    ['one of several parts', patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint16(at + 4, 1, true), 0x06054b50)],
    ['a zip64', patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint32(at + 16, 0xffffffff, true), 0x06054b50)],
    [
      'one that points behind its end',
      patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint32(at + 42, 0x7fffffff, true), central),
    ],
    [
      'one whose data is longer than it',
      patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint32(at + 20, 0x7fffffff, true), central),
    ],
    [
      'one with a broken file',
      patched(zipSync({ a: bytesOf('hello '.repeat(100)) }), (view, at) => view.setUint32(at + 32, 0xffffffff, true), 0x04034b50),
    ],
    ['a name that is no UTF-8', patched(zipSync({ a: bytesOf('x') }), (view, at) => view.setUint8(at + 46, 0xff), central)],
  ])('FILES-02 %s is refused and throws nothing', (_, bytes) => {
    expect(refusal(bytes).code).toBe('archive_refused');
  });

  it('FILES-02 whatever bytes are changed, it is taken or refused', () => {
    const archive = zipSync({ 'a/b': bytesOf('x'.repeat(200)), c: [bytesOf('y'), { level: 0 }] });
    for (let at = 0; at < archive.length; at += 1) {
      for (const byte of [0, 1, 0x7f, 0xff]) {
        const copy = archive.slice();
        copy[at] = byte;
        expect(typeof unpack(copy, 'in').ok).toBe('boolean');
      }
    }
  });
});

describe('an archive that is taken home', () => {
  it('WORK-02 holds every file below the folder, byte for byte, and comes back as the same', async () => {
    await withBench(async (bench) => {
      await make(bench, [
        write('p/a.txt', 'one'),
        write('p/run', 'two', { executable: true }),
        { type: 'write', path: 'p/large', bytes: noise(3_000_000) },
        { type: 'write', path: 'p/none', bytes: new Uint8Array() },
        { type: 'link', path: 'p/d/l', target: '../a.txt' },
        { type: 'folder', path: 'p/empty' },
        write('other', 'x'),
      ]);
      const archive = new Uint8Array(await new Response(value(await bench.files.pack('p'))).arrayBuffer());
      const files = unzipSync(archive);
      expect(Object.keys(files).sort()).toEqual(['a.txt', 'd/l', 'empty/', 'large', 'none', 'run']);
      expect(Buffer.from(files.large ?? []).equals(Buffer.from(noise(3_000_000)))).toBe(true);
      const changes = unpack(archive, 'q');
      if (!changes.ok) throw new Error(changes.problem.message);
      await make(bench, changes.value);
      const all = await tree(bench);
      const below = (folder: string): unknown =>
        Object.fromEntries(
          Object.entries(all).flatMap(([path, text]) => (path.startsWith(`${folder}/`) ? [[path.slice(2), text]] : [])),
        );
      expect(below('q')).toEqual(below('p'));
    });
  });

  it('WORK-02 of nothing is an empty archive', async () => {
    await withBench(async (bench) => {
      const archive = new Uint8Array(await new Response(value(await bench.files.pack(''))).arrayBuffer());
      expect(unzipSync(archive)).toEqual({});
      expect(unpack(archive, '')).toEqual({ ok: true, value: [] });
    });
  });
});

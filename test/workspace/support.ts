import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { randomId } from '../../src/core/index.ts';
import fourth from '../../migrations/session/0004.sql';
import sixth from '../../migrations/session/0006.sql';
import { type Bucket, Objects, SqlWorkspace } from '../../src/workspace/index.ts';
import type { FileCause, FileChange, FileEntry, FileOutcome, FileProblem } from '../../src/tools/index.ts';

/** Nobody's call and nobody's turn. */
export const byHand: FileCause = { call: null, turn: null };

/** A workspace on rows and a bucket that are real, and what is around it. */
export interface Bench {
  readonly files: SqlWorkspace;
  readonly objects: Objects;
  readonly storage: DurableObjectStorage;
  readonly sql: SqlStorage;
  readonly bucket: Bucket;
  /** The keys that the session holds, as its list counts them. */
  readonly held: Set<string>;
  /** The revisions that were told of. */
  readonly told: number[];
  readonly warned: string[];
  /** The number of the conversation. */
  thread: number;
  /** The keys of this session's objects that are in the bucket. */
  keys(): Promise<string[]>;
}

/** What a bench is made of, where it is not the usual. */
export interface BenchOptions {
  readonly bucket?: (real: Bucket) => Bucket | null;
  /** The storage's SQL, or something around it. */
  readonly sql?: (real: SqlStorage) => SqlStorage;
}

/** Does `work` with a workspace of its own. */
export function withBench<T>(work: (bench: Bench) => Promise<T>, options: BenchOptions = {}): Promise<T> {
  return runInDurableObject(env.DIRECTORY.getByName(randomId('bench')), async (_, { storage }) => {
    await storage.deleteAll();
    storage.sql.exec(fourth);
    storage.sql.exec(sixth);
    return work(makeBench(storage, options));
  });
}

/** A workspace on a storage that has its tables; another one on the same is another life of it. */
export function makeBench(storage: DurableObjectStorage, options: BenchOptions = {}, prefix = randomId('prefix')): Bench {
  const real: Bucket = env.FILES;
  const bucket = options.bucket === undefined ? real : options.bucket(real);
  const sql = options.sql?.(storage.sql) ?? storage.sql;
  const held = new Set<string>();
  const warned: string[] = [];
  const told: number[] = [];
  const holders = {
    async hold(keys: readonly string[]) {
      for (const key of keys) held.add(key);
    },
    async release(keys: readonly string[]) {
      for (const key of keys) held.delete(key);
      return keys;
    },
  };
  const objects = new Objects({
    sql,
    bucket,
    holders,
    prefix,
    logger: { warn: (message) => warned.push(message) },
    exists: () => true,
  });
  const bench: Omit<Bench, 'files'> = {
    objects,
    storage,
    sql,
    bucket: real,
    held,
    told,
    warned,
    thread: 1,
    keys: async () => (await env.FILES.list({ prefix: `${prefix}/` })).objects.map(({ key }) => key),
  };
  let time = 1_700_000_000_000;
  const files = new SqlWorkspace({
    sql,
    objects,
    exists: () => true,
    begin: () => {},
    commit: (write) =>
      storage.transactionSync(() => {
        const { value, rev } = write();
        if (rev !== null) told.push(rev);
        return value;
      }),
    thread: () => bench.thread,
    now: () => (time += 1000),
  });
  return Object.assign(bench, { files });
}

/** The value of an outcome that is one. */
export function value<T>(outcome: FileOutcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.problem.code}: ${outcome.problem.message}`);
  return outcome.value;
}

/** The problem of an outcome that is a refusal. */
export function problem(outcome: FileOutcome<unknown>): FileProblem {
  if (outcome.ok) throw new Error('It was not refused.');
  return outcome.problem;
}

/** Makes changes that are to be taken. */
export async function make({ files }: Bench, changes: readonly FileChange[], cause = byHand): Promise<readonly FileEntry[]> {
  return value(await files.change(changes, cause));
}

/** A write of a text. */
export function write(path: string, text: string, more: { executable?: boolean; ifRev?: number | null } = {}): FileChange {
  return { type: 'write', path, bytes: new TextEncoder().encode(text), ...more };
}

/** All that stands there: each path with its text, `dir` for an empty folder, and where a link leads. */
export async function tree({ files, sql }: Bench): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, kind, executable, hash } of value(await files.list('', { after: null, limit: 100_000 }))) {
    if (kind === 'folder') found[path] = 'dir';
    else if (kind === 'link') {
      const [row] = sql.exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM file_bodies WHERE hash = ?', hash).toArray();
      found[path] = `-> ${new TextDecoder().decode(row?.bytes)}`;
    } else found[path] = `${executable ? '* ' : ''}${await text(files, path)}`;
  }
  return found;
}

/** The text of a file. */
export async function text(files: SqlWorkspace, path: string): Promise<string> {
  return new TextDecoder().decode(value(await files.read(path)).bytes);
}

/** Bytes that are like no others: `size` of them, which look random. */
export function noise(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = seed * 2_654_435_761;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Every row, as a text. */
export function dump(sql: SqlStorage): string {
  const tables = [
    'workspace',
    'files',
    'gone_files',
    'file_bodies',
    'loose_objects',
    'file_changes',
    'file_states',
    'seen_files',
  ];
  return tables
    .map((table) => {
      const rows = sql.exec(`SELECT * FROM ${table}`).toArray();
      return `${table} ${JSON.stringify(rows.map(({ bytes, ...row }) => (bytes instanceof ArrayBuffer ? { ...row, bytes: bytes.byteLength } : { ...row, bytes })))}`;
    })
    .join('\n');
}

/** What must hold of the rows, whatever was done: the numbers are what they count, and each body that something needs is there, and no other. */
export function inconsistencies(sql: SqlStorage): unknown[] {
  const checks: readonly [string, string][] = [
    ['files', 'SELECT files FROM workspace WHERE files <> (SELECT count(*) FROM files)'],
    ['bytes', 'SELECT bytes FROM workspace WHERE bytes <> (SELECT coalesce(sum(size), 0) FROM files)'],
    ['stored', 'SELECT stored FROM workspace WHERE stored <> (SELECT coalesce(sum(size), 0) FROM file_bodies)'],
    ['missing', "SELECT path FROM files WHERE kind <> 'folder' AND hash NOT IN (SELECT hash FROM file_bodies)"],
    [
      'forgotten',
      'SELECT path FROM file_states WHERE before_hash IS NOT NULL AND before_hash NOT IN (SELECT hash FROM file_bodies)',
    ],
    [
      'needless',
      `SELECT hash FROM file_bodies WHERE hash NOT IN (SELECT hash FROM files)
         AND hash NOT IN (SELECT before_hash FROM file_states WHERE before_hash IS NOT NULL)`,
    ],
    ['orphans', 'SELECT path FROM file_states WHERE change NOT IN (SELECT id FROM file_changes)'],
    ['newer', 'SELECT path FROM files WHERE rev > (SELECT rev FROM workspace)'],
    [
      'full folders',
      "SELECT a.path FROM files a, files b WHERE a.kind = 'folder' AND b.path > a.path || '/' AND b.path < a.path || '0'",
    ],
    [
      'in files',
      "SELECT a.path FROM files a, files b WHERE a.kind <> 'folder' AND b.path > a.path || '/' AND b.path < a.path || '0'",
    ],
    ['both', "SELECT path FROM gone_files WHERE path IN (SELECT path FROM files WHERE kind <> 'folder')"],
    ['held', 'SELECT key FROM loose_objects WHERE key IN (SELECT object FROM file_bodies WHERE object IS NOT NULL)'],
  ];
  return checks.flatMap(([name, query]) =>
    sql
      .exec(query)
      .toArray()
      .map((row) => ({ name, ...row })),
  );
}

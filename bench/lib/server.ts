import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalServer, type LocalServerOptions } from '../../scripts/lib/local-server.ts';
import { heapOf } from './inspector.ts';

const bench = join(import.meta.dirname, '..');

/** Where the Workers under measurement are: the folder of each one's wrangler.toml. */
export const workers = {
  reins: join(bench, '..'),
  floors: join(bench, 'servers/floors'),
  peer: join(bench, 'servers/peer'),
} as const;

/** How a Worker under measurement is started. */
export type ServerOptions = Omit<LocalServerOptions, 'tree'>;

/** Starts a Worker under measurement. */
export function startServer(worker: keyof typeof workers, options: ServerOptions = {}): Promise<LocalServer> {
  return LocalServer.start({ ...options, tree: workers[worker] });
}

/** What a server holds, in bytes: the script heap of its Worker that is in use after a collection, and the resident memory of its runtime. */
export async function held({
  address,
  inspector,
  runtime,
}: LocalServer): Promise<{ readonly heap: number; readonly resident: number }> {
  const heap = await heapOf(inspector, async () => (await fetch(`${address}/api/health`)).text());
  const status = readFileSync(`/proc/${runtime}/status`, 'utf8');
  return { heap, resident: 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) };
}

/** A new folder for the state of servers; it is removed when the bench ends. */
export function newStore(): string {
  const store = mkdtempSync(join(tmpdir(), 'reins-bench-'));
  process.once('exit', () => rmSync(store, { recursive: true, force: true }));
  return store;
}

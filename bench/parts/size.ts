import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '../lib/client.ts';
import { questionOf } from '../lib/directive.ts';
import { startModel } from '../lib/model.ts';
import type { LocalServer } from '../../scripts/lib/local-server.ts';
import { quiet } from '../../scripts/lib/quiet.ts';
import { held, newStore, type ServerOptions, workers } from '../lib/server.ts';
import { openReins, startPeer, startReins } from '../lib/servers.ts';
import { interleaved } from '../lib/stats.ts';
import { figure, type Table } from '../lib/table.ts';
import { peer, reins, type Target } from '../lib/target.ts';
import { type Part, spread } from './part.ts';

const program = createRequire(import.meta.url).resolve('wrangler');
const starts = 5;
const histories = [1, 100, 10_000];
const kinds = [
  { name: 'three empty objects', worker: 'floors' },
  { name: 'Reins', worker: 'reins' },
  { name: 'AIChatAgent', worker: 'peer' },
] as const;

type Kind = (typeof kinds)[number];

/** Runs wrangler in the folder of a Worker; gives what it said. */
async function wrangler({ worker }: Kind, args: readonly string[]): Promise<string> {
  const options = { cwd: workers[worker], env: { ...process.env, ...quiet, NO_COLOR: '1' } };
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', program, ...args], options);
  return stdout;
}

async function bundle(kind: Kind, folder: string): Promise<string[]> {
  const said = await wrangler(kind, ['deploy', '--dry-run', '--minify', '--outdir', join(folder, kind.worker)]);
  const sizes = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(said)?.slice(1);
  if (sizes === undefined) throw new Error(`wrangler told no size.\n${said}`);
  return sizes.map((size) => figure(Number(size)));
}

/** In ms: what the profile of a Worker's start holds, without the time in which nothing ran. */
async function start(kind: Kind, folder: string): Promise<number> {
  const file = join(folder, `${kind.worker}.cpuprofile`);
  await wrangler(kind, ['check', 'startup', '--outfile', file]);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
    readonly samples: readonly number[];
    readonly timeDeltas: readonly number[];
  };
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const busy = samples.map((id, n) => (names.get(id) === '(idle)' ? 0 : (timeDeltas[n] ?? 0)));
  return busy.reduce((sum, time) => sum + time, 0) / 1000;
}

async function bundleTable(): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), 'reins-bench-'));
  try {
    const sizes = new Map<Kind, string[]>();
    for (const kind of kinds) sizes.set(kind, await bundle(kind, folder));
    const times = await interleaved(kinds, starts, (kind) => start(kind, folder));
    return {
      title: `The Worker as it is uploaded, and its start, ${starts} each`,
      head: ['', 'minified, KiB', 'and compressed, KiB', 'start, ms, median (quartiles)'],
      rows: kinds.map((kind) => [kind.name, ...(sizes.get(kind) ?? []), spread(times.get(kind) ?? [])]),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server, and how it is spoken to. */
interface Way {
  readonly target: (address: string) => Target;
  readonly start: (options: ServerOptions) => Promise<LocalServer>;
}

/** What waking a session of so many messages and taking a turn on it adds to a runtime that has served another one. In MiB. */
async function memory(way: Way, messages: number): Promise<{ readonly heap: number; readonly resident: number }> {
  const store = newStore();
  const filling = await way.start({ store });
  await fetch(`${filling.address}/api/bench/filled/fill/${messages}`, { method: 'POST' });
  await filling.stop();
  const server = await way.start({ store });
  const target = way.target(server.address);
  const other = await turnOn(target, 'another');
  const before = await held(server);
  const client = await turnOn(target, 'filled');
  const after = await held(server);
  for (const open of [other, client]) open.close();
  await server.stop();
  const mebi = 1024 * 1024;
  return { heap: (after.heap - before.heap) / mebi, resident: (after.resident - before.resident) / mebi };
}

async function turnOn(target: Target, session: string): Promise<Client> {
  const client = await Client.open(target, session);
  const ended = client.ended();
  client.ask(questionOf({ deltas: 5 }));
  await ended;
  return client;
}

async function memoryTable(): Promise<Table> {
  const model = await startModel();
  const ways: readonly Way[] = [
    { target: reins, start: (options) => startReins(model.url, { ...options, main: openReins }) },
    { target: peer, start: (options) => startPeer(model.url, options) },
  ];
  const rows: string[][] = [];
  for (const messages of histories) {
    const cells: string[] = [];
    for (const way of ways) {
      const { heap, resident } = await memory(way, messages);
      cells.push(figure(heap), figure(resident));
    }
    rows.push([figure(messages), ...cells]);
  }
  model.stop();
  return {
    title: 'What a session adds to the memory of the runtime once it is awake and a turn was taken on it, MiB',
    head: ['messages', 'Reins, heap', 'Reins, resident', 'AIChatAgent, heap', 'AIChatAgent, resident'],
    rows,
  };
}

/** How large things are. */
export const part: Part = {
  name: 'size',
  measure: async () => [await bundleTable(), await memoryTable()],
};

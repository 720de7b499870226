import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { heapOf } from './inspector.ts';

const bench = join(import.meta.dirname, '..');
const wrangler = createRequire(import.meta.url).resolve('wrangler');

/** What keeps wrangler from the network, and from stores that nobody reads. */
export const quiet = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
};

/** Where the Workers under measurement are: the folder of each one's wrangler.toml. */
export const workers = {
  reins: join(bench, '..'),
  floors: join(bench, 'servers/floors'),
  peer: join(bench, 'servers/peer'),
} as const;

/** How a server is started. `main` replaces the entry of its configuration, `store` is where it keeps its state. */
export interface ServerOptions {
  readonly vars?: { readonly [name: string]: string };
  readonly main?: string;
  readonly store?: string;
}

/** A Worker as `wrangler dev` runs it on this machine, with a store of its own. */
export class Server {
  /** Without a slash at the end. */
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #inspector: number;

  private constructor(child: ChildProcess, address: string, inspector: number) {
    this.#child = child;
    this.address = address;
    this.#inspector = inspector;
  }

  /** Starts one. Rejects with what it said when it does not come up. */
  static async start(worker: keyof typeof workers, options: ServerOptions = {}): Promise<Server> {
    const store = options.store ?? newStore();
    const [port, inspector] = [await freePort(), await freePort()];
    const vars = Object.entries(options.vars ?? {}).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
    const flags = ['--port', String(port), '--inspector-port', String(inspector), '--persist-to', store, ...vars];
    const main = options.main === undefined ? [] : [options.main];
    // A process group of its own, so that no workerd outlives it.
    const child = spawn(process.execPath, ['--no-warnings', wrangler, 'dev', ...main, ...flags], {
      cwd: workers[worker],
      env: { ...process.env, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    // Ends the group when this process is gone without having done so: the end of its input is the sign.
    spawn('sh', ['-c', `cat; kill -s KILL -- -${child.pid}`], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).unref();
    await ready(child);
    return new Server(child, `http://localhost:${port}`, inspector);
  }

  /** The script heap of the Worker that is in use after a collection, in bytes. */
  heap(): Promise<number> {
    return heapOf(this.#inspector, async () => (await fetch(`${this.address}/api/health`)).text());
  }

  /** The resident memory of the runtime that runs the Worker, in bytes. */
  get memory(): number {
    const port = new URL(this.address).port;
    const runtimes = children(this.#child.pid ?? 0).filter((pid) => isRuntime(pid, port));
    const [runtime] = runtimes;
    if (runtime === undefined || runtimes.length > 1) throw new Error(`There are ${runtimes.length} runtimes.`);
    return 1024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${runtime}/status`, 'utf8'))?.[1]);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** A new folder for the state of a server; it is removed when the bench ends. */
export function newStore(): string {
  const store = mkdtempSync(join(tmpdir(), 'reins-bench-'));
  process.once('exit', () => rmSync(store, { recursive: true, force: true }));
  return store;
}

/** The runtime is the workerd that is not the proxy on the server's port. */
function isRuntime(pid: number, port: string): boolean {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return command.includes('serve') && !command.includes(`--socket-addr=entry=localhost:${port}`);
}

function children(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        if (line.includes('Ready on')) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.\n${said.join('\n')}`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, 'localhost');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
const wrangler = createRequire(import.meta.url).resolve('wrangler');

/** What keeps wrangler from the network, and from stores that nobody reads. */
const quiet = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
};

/**
 * The Worker in a runtime of its own, as `wrangler dev` runs it, with a store that outlives the runtime. Unlike wrangler's test harness it
 * reaches a model server directly, so that a connection which breaks on either side breaks on the other.
 */
export class LocalServer {
  /** Without a slash at the end. */
  readonly address: string;
  readonly #child: ChildProcess;
  /** The store that goes with it; null when it is the caller's. */
  readonly #store: string | null;

  private constructor(child: ChildProcess, address: string, store: string | null) {
    this.#child = child;
    this.address = address;
    this.#store = store;
  }

  /**
   * Starts one; `vars` are variables of the Worker. A `store` of the caller's is one that other servers may have used and will use; `tree` holds
   * the source of another release. Rejects with what it said when it does not come up.
   */
  static async start(
    vars: { readonly [name: string]: string },
    { store, tree = root }: { readonly store?: string; readonly tree?: string } = {},
  ): Promise<LocalServer> {
    const own = store === undefined ? mkdtempSync(join(tmpdir(), 'reins-e2e-')) : null;
    const port = await freePort();
    const flags = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
    const options = ['--port', String(port), '--inspector-port', '0', '--persist-to', store ?? own ?? '', ...flags];
    // A process group of its own, so that no workerd outlives it.
    const child = spawn(process.execPath, ['--no-warnings', wrangler, 'dev', ...options], {
      cwd: tree,
      env: { ...process.env, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    await ready(child);
    return new LocalServer(child, `http://localhost:${port}`, own);
  }

  /** Kills the runtime with SIGKILL, as a machine that is lost, and waits until another one has taken its place. */
  async crash(): Promise<void> {
    const runtimes = children(this.#child.pid ?? 0).filter((pid) => isRuntime(pid, new URL(this.address).port));
    if (runtimes.length !== 1) throw new Error(`There are ${runtimes.length} runtimes.`);
    for (const pid of runtimes) process.kill(pid, 'SIGKILL');
    while (!(await this.#answers()));
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    if (this.#store !== null) rmSync(this.#store, { recursive: true, force: true });
  }

  /** The proxy of wrangler tries a while, then answers 500. */
  async #answers(): Promise<boolean> {
    return (await fetch(`${this.address}/api/health`)).ok;
  }
}

/** The runtime is the workerd that is not the proxy on the server's port. */
function isRuntime(pid: number, port: string): boolean {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return command.includes('serve') && !command.includes(`--socket-addr=entry=localhost:${port}`);
}

function children(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
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
        // It would wait for somebody to mend the source.
        if (line.includes('Build failed')) child.kill('SIGTERM');
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

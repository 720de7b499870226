import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { quiet } from './quiet.ts';

const root = join(import.meta.dirname, '../..');
const wrangler = createRequire(import.meta.url).resolve('wrangler');

/** How a server is started. */
export interface LocalServerOptions {
  /** Variables of the Worker. */
  readonly vars?: { readonly [name: string]: string };
  /** A store of the caller's, which other servers may have used and will use. Absent: one of its own, which goes with it. */
  readonly store?: string;
  /** The folder of the wrangler.toml: absent, this repository. */
  readonly tree?: string;
  /** Stands for the entry that wrangler.toml names. */
  readonly main?: string;
}

/**
 * A Worker in a runtime of its own, as `wrangler dev` runs it, with a store that outlives the runtime. Unlike wrangler's test harness it
 * reaches a model server directly, so that a connection which breaks on either side breaks on the other.
 */
export class LocalServer {
  /** Without a slash at the end. */
  readonly address: string;
  /** The port of its inspector. */
  readonly inspector: number;
  readonly #child: ChildProcess;
  /** The store that goes with it; null when it is the caller's. */
  readonly #store: string | null;

  private constructor(child: ChildProcess, port: number, inspector: number, store: string | null) {
    this.#child = child;
    this.address = `http://localhost:${port}`;
    this.inspector = inspector;
    this.#store = store;
  }

  /** Starts one. Rejects with what it said when it does not come up; where another program was quicker to take a port that was free, it takes other ones. */
  static async start(options: LocalServerOptions = {}): Promise<LocalServer> {
    const own = options.store === undefined ? mkdtempSync(join(tmpdir(), 'reins-server-')) : null;
    for (let tries = 1; ; tries += 1) {
      try {
        return await LocalServer.#startOn(options, own);
      } catch (error) {
        if (tries < 3 && String(error).includes('Address already in use')) continue;
        if (own !== null) rmSync(own, { recursive: true, force: true });
        throw error;
      }
    }
  }

  static async #startOn({ vars = {}, store, tree = root, main }: LocalServerOptions, own: string | null): Promise<LocalServer> {
    const [port, inspector] = [await freePort(), await freePort()];
    const flags = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
    const ports = ['--port', String(port), '--inspector-port', String(inspector), '--persist-to', store ?? own ?? ''];
    const entry = main === undefined ? [] : [main];
    // A process group of its own, so that no workerd outlives it.
    const child = spawn(process.execPath, ['--no-warnings', wrangler, 'dev', ...entry, ...ports, ...flags], {
      cwd: tree,
      env: { ...process.env, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    // Ends the group when this process is gone without having done so: the end of its input is the sign.
    spawn('sh', ['-c', `cat; kill -s KILL -- -${child.pid}`], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).unref();
    await ready(child);
    return new LocalServer(child, port, inspector, own);
  }

  /** The process of the runtime that runs the Worker. */
  get runtime(): number {
    const runtimes = children(this.#child.pid ?? 0).filter((pid) => isRuntime(pid, new URL(this.address).port));
    const [runtime] = runtimes;
    if (runtime === undefined || runtimes.length > 1) throw new Error(`There are ${runtimes.length} runtimes.`);
    return runtime;
  }

  /** Kills the runtime with SIGKILL, as a machine that is lost, and waits until another one has taken its place. */
  async crash(): Promise<void> {
    process.kill(this.runtime, 'SIGKILL');
    while (!(await this.#answers()));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
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

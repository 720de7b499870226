import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');

/** A running Reins, as `npm start` runs it: the built page, the Worker, the demo model. */
export interface Server {
  /** Its address, without a slash at the end. */
  readonly address: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server with a store of its own. `vars` are variables of the Worker. Rejects with what it said when it does not come up. */
export async function startServer(vars: { readonly [name: string]: string } = {}): Promise<Server> {
  const state = mkdtempSync(join(tmpdir(), 'reins-browser-'));
  const port = await freePort();
  const flags = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
  const child = spawn(
    process.execPath,
    [join(root, 'scripts/start.ts'), '--port', String(port), '--persist-to', state, '--inspector-port', '0', ...flags],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const address = await ready(child);
  return {
    address,
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(state, { recursive: true, force: true });
    },
  };
}

async function ready(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        const address = /ready: (http\S+)/.exec(line)?.[1];
        if (address !== undefined) resolve(address.replace(/\/$/, ''));
      });
    }
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}.\n${said.join('\n')}`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port.');
  return address.port;
}

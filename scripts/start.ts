/**
 * `npm start -- ARGS`: builds the page when it is stale and runs `wrangler dev ARGS` until a signal or its own end.
 * HARNESS_* variables of the environment become variables of the Worker (but HARNESS_TOKEN, which is the terminal chat's); they win over `.dev.vars`, and `--var` in ARGS wins over both.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { quiet } from './lib/quiet.ts';
import { ensurePage } from './page.ts';

/** How long wrangler may take to stop after a signal, in ms. */
const grace = 5_000;

const vars = Object.entries(process.env)
  .filter(([name]) => name.startsWith('HARNESS_') && name !== 'HARNESS_TOKEN')
  .flatMap(([name, value]) => ['--var', `${name}:${value}`]);

await ensurePage();

// Its main file and not its launcher, which dies of a signal before the rest has stopped.
const program = createRequire(import.meta.url).resolve('wrangler');
const wrangler = spawn(
  process.execPath,
  ['--no-warnings', program, 'dev', ...vars, ...process.argv.slice(2)],
  // A process group of its own, so that no workerd outlives it however it ends.
  {
    cwd: join(import.meta.dirname, '..'),
    env: { ...quiet, ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  },
);
const group = -(wrangler.pid ?? 0);

/** Ends the group when this process is gone without having done so, by SIGKILL say: the end of its input is the sign. */
spawn('sh', ['-c', `cat; kill -s KILL -- ${group}`], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).unref();

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
process.stdout.on('error', stop);
// npm hands on SIGINT and SIGTERM alone; whatever else ends it shows as another parent.
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) setInterval(() => process.ppid === parent || stop(), 500).unref();

/** What wrangler says before it is ready is of interest only when it never is. */
const preamble: string[] = [];
let ready = false;
createInterface({ input: wrangler.stdout }).on('line', (line) => {
  const address = /Ready on (\S+)/.exec(line)?.[1];
  if (address !== undefined) {
    ready = true;
    console.log(`Reins is ready: ${address}`);
  } else if (ready) console.log(line);
  else preamble.push(line);
});

const [code] = (await once(wrangler, 'exit')) as [number | null];
killGroup();
if (!ready && !stopping) console.error(preamble.join('\n'));
process.exit(stopping ? 0 : code || 1);

function stop(): void {
  if (stopping) return;
  stopping = true;
  wrangler.kill('SIGTERM');
  setTimeout(killGroup, grace).unref();
}

function killGroup(): void {
  try {
    process.kill(group, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

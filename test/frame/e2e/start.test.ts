import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeOpenAI, startFakeOpenAI, words } from '../../e2e/fake-openai.ts';
import { documents, fenced } from '../documents.ts';
import { root } from '../source.ts';

interface Started {
  readonly npm: ChildProcess;
  readonly address: string;
  /** The processes it stands on, by id, itself included. */
  readonly processes: readonly number[];
}

const state = mkdtempSync(join(tmpdir(), 'reins-start-'));
let model: FakeOpenAI;

beforeAll(async () => {
  model = await startFakeOpenAI();
  model.otherwise(words('It is noon.'));
});
afterAll(async () => {
  await model.close();
  rmSync(state, { recursive: true, force: true });
});

async function start(): Promise<Started> {
  const own = ['--port', '0', '--inspector-port', '0', '--persist-to', state, '--var', 'HARNESS_MODEL:from-arguments'];
  const env = { ...process.env, HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'from-environment' };
  const npm = spawn('npm', ['start', '--', ...own], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise<string>((resolve, reject) => {
    let printed = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const ready = /Reins is ready: (http:\/\/localhost:\d+)/.exec(printed)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    npm.once('exit', () => reject(new Error(`npm start ended without an address: ${printed}`)));
  });
  return { npm, address, processes: family(npm.pid ?? 0) };
}

/** A process and all that descend from it. */
function family(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.flatMap((name) => family(Number(name)))];
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The request that a curl command makes; a machine need not have curl to keep the README honest. */
function requestOf(command: string): [string, RequestInit] {
  const url = /http:\S+/.exec(command)?.[0] ?? '';
  const headers = [...command.matchAll(/-H '([\w-]+): ([^']*)'/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ]);
  const body = /-d '([^']*)'/.exec(command)?.[1] ?? '';
  return [url, { method: 'POST', headers, body }];
}

async function survivors({ processes }: Started): Promise<void> {
  await expect.poll(() => processes.filter(isAlive), { timeout: 20_000 }).toEqual([]);
}

test('npm start hands its arguments on, serves page and API, plays the commands of the README, and ends with SIGTERM', async () => {
  const started = await start();
  const { npm, address } = started;

  const page = await fetch(address);
  expect(await page.text()).toContain('<title>Reins</title>');
  expect(page.headers.get('content-security-policy')).toMatch(
    /script-src 'self';.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
  );
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await fetch(`${address}/icon.svg`)).headers.get('content-type')).toBe('image/svg+xml');
  const commands = documents().flatMap((document) => (document.path === 'README.md' ? fenced(document, 'sh') : []));

  const [curl = '', ...others] = commands.filter((command) => command.startsWith('curl '));
  expect(others).toEqual([]);
  const events = await (await fetch(...requestOf(curl.replace('http://localhost:8787', address)))).text();
  expect(events).toContain('"type":"text_delta"');
  expect(events).toContain('"type":"turn_ended"');
  expect(model.requests.map((request) => request.body.model)).toEqual(['from-arguments']);

  const chats = commands.flatMap((block) => block.split('\n').filter((line) => line.startsWith('npm run chat')));
  expect(chats).toHaveLength(2);
  const chat = (line: string, session: string): Promise<{ stdout: string }> => {
    const command = line.replace('npm run chat --', `npm run --silent chat -- --url ${address} --session ${session}`);
    return promisify(execFile)('sh', ['-c', command], { cwd: root });
  };
  const [plain, asJson] = await Promise.all(chats.map((line, n) => chat(line, `chat-${n}`)));
  expect(plain?.stdout).toContain('It is noon.');
  expect(asJson?.stdout).toContain('"type":"turn_ended"');

  npm.kill('SIGTERM');
  expect(await once(npm, 'exit')).toEqual([0, null]);
  await survivors(started);
});

test.each([
  ['wrangler', /wrangler.* dev /],
  ['the script', /scripts\/start\.ts/],
] as const)('nothing outlives npm start when %s is killed', async (_, command) => {
  const started = await start();
  const victim = started.processes.find((pid) => command.test(commandOf(pid)) && !commandOf(pid).startsWith('npm '));
  const ended = once(started.npm, 'exit');

  process.kill(victim ?? 0, 'SIGKILL');

  expect(await ended).not.toEqual([0, null]);
  await survivors(started);
});

import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Processes } from '../../container/server/processes.ts';
import { processLimit, processLogLimit } from '../../src/sandbox/wire/index.ts';
import { type LocalBox, type LocalBoxInit, startBox } from '../sandbox/box/local-box.ts';

const boxes: LocalBox[] = [];
const begun: [LocalBox, string][] = [];

async function open(init: LocalBoxInit = {}): Promise<LocalBox> {
  const box = await startBox(init);
  boxes.push(box);
  return box;
}

afterEach(async () => {
  for (const [box, id] of begun.splice(0)) await box.client.stopProcess(id);
  for (const box of boxes.splice(0)) await box.close();
});

async function start(box: LocalBox, command: string): Promise<string> {
  const started = await box.client.startProcess(command);
  if ('reason' in started) throw new Error(started.reason);
  begun.push([box, started.id]);
  return started.id;
}

async function log(box: LocalBox, id: string, from: number | null = null, most = 1000) {
  const found = await box.client.processLog(id, from, most);
  if ('processes' in found) throw new Error('The box does not know it.');
  return { ...found, text: new TextDecoder().decode(found.bytes) };
}

type Log = Awaited<ReturnType<typeof log>>;

/** Reads until it is so. */
async function until(box: LocalBox, id: string, is: (log: Log) => boolean): Promise<Log> {
  for (;;) {
    const found = await log(box, id);
    if (is(found)) return found;
  }
}

async function run(box: LocalBox, command: string) {
  let text = '';
  const signal = new AbortController().signal;
  const end = await box.client.run({ id: 'a', command, timeout: 20_000 }, signal, async (bytes) => {
    text += new TextDecoder().decode(bytes);
  });
  return { end, text };
}

/** True for a process that runs; one that is dead and waits for its parent does not. */
function runs(pid: string): boolean {
  try {
    return !/^State:\t[ZX]/m.test(readFileSync(`/proc/${pid.trim()}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('SHELL-18 a process outlives commands, prints into a log of its own, and is stopped with all of its session', async () => {
  const box = await open();
  // With job control a child has a group of its own.
  const id = await start(box, 'set -m; sleep 60 & echo $!; while [ ! -e go ]; do sleep 0.01; done; echo on >&2; wait');
  const first = await until(box, id, ({ text }) => text.includes('\n'));
  const child = first.text;
  expect(await run(box, 'echo of the command; touch go')).toMatchObject({ text: 'of the command\n' });
  await until(box, id, ({ text }) => text === `${child}on\n`);
  expect(await log(box, id, first.total)).toMatchObject({ text: 'on\n', from: first.total, total: first.total + 3, end: null });
  expect(await log(box, id, first.total, 1)).toMatchObject({ text: 'o' });
  expect(await log(box, id, null, 1)).toMatchObject({ text: '\n' });
  expect(runs(child)).toBe(true);
  expect(await box.client.stopProcess(id)).toMatchObject({ id, end: null });
  expect(runs(child)).toBe(false);
  expect(await log(box, id)).toMatchObject({ text: `${child}on\n`, end: { cancelled: true } });
  expect(await box.client.stopProcess(id)).toMatchObject({ end: { cancelled: true } });
});

test('SHELL-18 SHELL-16 one that ends by itself has its code, and takes along what it left behind', async () => {
  const box = await open();
  const id = await start(box, 'sleep 60 & echo $!; exit 3');
  const { text, end } = await until(box, id, (found) => found.end !== null);
  expect(end).toEqual({ code: 3, signal: null, timedOut: false, cancelled: false });
  expect(runs(text)).toBe(false);
  expect(await box.client.stopProcess(id)).toMatchObject({ end: { code: 3 } });
});

test('SHELL-18 SHELL-16 what has left the session and prints on does not hold the end', async () => {
  const box = await open();
  const id = await start(box, "setsid sh -c 'echo $$ > left; while :; do echo on; done' & until [ -e go ]; do sleep 0.01; done");
  await until(box, id, ({ total }) => total > 100);
  const left = readFileSync(join(box.root, 'left'), 'utf8');
  try {
    await run(box, 'touch go');
    expect(await until(box, id, ({ end }) => end !== null)).toMatchObject({ end: { code: 0 } });
    expect(await box.client.stopProcess(id)).toMatchObject({ end: { code: 0 } });
  } finally {
    process.kill(Number(left), 'SIGKILL');
  }
});

test('SHELL-18 when a process is said to have ended, all that it printed is in its log, and nothing of another', async () => {
  const processes = new Processes('ab');
  const init = { cwd: tmpdir(), user: null, env: { PATH: process.env.PATH } };
  for (let round = 0; round < 5; round += 1) {
    const started = await Promise.all(
      ['a', 'b'].map((letter) => processes.start({ ...init, command: `head -c 60000 /dev/zero | tr '\\0' ${letter}` })),
    );
    while (processes.list().some(({ end }) => end === null)) await setImmediate();
    const printed = started.map((state) =>
      'id' in state ? String.fromCharCode(...new Set(processes.logs(state.id, 0, 60_001)?.bytes)) : null,
    );
    const sizes = started.map((state) => ('id' in state ? processes.logs(state.id, 0, 60_001)?.place.total : null));
    expect([printed, sizes]).toEqual([
      ['a', 'b'],
      [60_000, 60_000],
    ]);
  }
});

test('SHELL-18 a long output is kept to its last mebibyte, by its places', async () => {
  const box = await open();
  const id = await start(box, `head -c ${processLogLimit + 5} /dev/zero; printf end`);
  const { total, first } = await until(box, id, ({ end }) => end !== null);
  expect([total, first]).toEqual([processLogLimit + 8, 8]);
  expect(await log(box, id, 0, 10)).toMatchObject({ from: 8 });
  expect(await log(box, id, total - 3)).toMatchObject({ text: 'end' });
  expect(await log(box, id, total + 100)).toMatchObject({ text: '', from: total });
});

test('SHELL-18 so many run at a time, and of those that ended the newest are remembered', async () => {
  const box = await open();
  const ids: string[] = [];
  for (let n = 0; n < processLimit; n += 1) ids.push(await start(box, 'sleep 60'));
  expect(new Set(ids).size).toBe(processLimit);
  expect(await box.client.startProcess('true')).toEqual({ reason: expect.stringContaining('8 processes run'), size: 4 });
  await box.client.stopProcess(ids[0] ?? '');
  const last = await start(box, 'sleep 60');
  expect(await box.client.processLog('p0', null, 10)).toMatchObject({ processes: [...ids, last].map((id) => ({ id })) });
  for (const id of [...ids, last]) await box.client.stopProcess(id);
  const known = await box.client.stopProcess(ids[0] ?? '');
  expect(known).toMatchObject({ processes: [...ids.slice(1), last].map((id) => ({ id, command: 'sleep 60' })) });
});

test('SHELL-18 SHELL-14 what the system does not start is refused; a name means nothing to another life of the box', async () => {
  const [box, other] = [await open(), await open()];
  expect(await box.client.startProcess('a\0b')).toEqual({ reason: expect.stringContaining('NUL'), size: 3 });
  const id = await start(box, 'true');
  expect(await other.client.processLog(id, null, 10)).toEqual({ processes: [] });
});

test('SHELL-18 a start waits for the command that runs', async () => {
  const box = await open();
  const begins = Promise.withResolvers<void>();
  const command = { id: 'a', command: 'echo on; sleep 0.2; echo a > f', timeout: 20_000 };
  const running = box.client.run(command, new AbortController().signal, async () => begins.resolve());
  await begins.promise;
  const id = await start(box, 'cat f');
  expect(await running).toEqual({ how: 'exited', code: 0 });
  expect(await until(box, id, ({ end }) => end !== null)).toMatchObject({ text: 'a\n' });
});

test('SHELL-18 SHELL-15 the end of a command spares the sessions of processes alone: a daemon that left its session is killed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'box-user-'));
  chmodSync(root, 0o777);
  const box = await open({ user: { uid: 61_235, gid: 61_235 }, root });
  try {
    const daemon = 'setsid sleep 60 & echo $!; sleep 60 & echo $!; echo $$; wait';
    if (process.getuid?.() !== 0) {
      expect(await box.client.startProcess(daemon)).toMatchObject({ reason: expect.stringContaining('EPERM') });
      return;
    }
    const id = await start(box, daemon);
    const { text } = await until(box, id, (found) => found.text.split('\n').length === 4);
    const [left = '', child = '', shell = ''] = text.split('\n');
    await run(box, 'while [ "$(ps -o sid= -p ' + left + ')" -ne ' + left + ' ]; do sleep 0.01; done');
    expect([left, child, shell].map(runs)).toEqual([false, true, true]);
    await box.client.stopProcess(id);
    expect([child, shell].map(runs)).toEqual([false, false]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

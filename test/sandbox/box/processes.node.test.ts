import { afterEach, expect, test } from 'vitest';
import { BoxClient, BoxDriver } from '../../../src/sandbox/index.ts';
import { FakeClock, Gate } from '../../../src/testing/index.ts';
import type { ProcessDriver, ProcessOutput } from '../../../src/tools/index.ts';
import { run } from '../../tools/shell/contract.ts';
import { MemoryWorkspace } from '../memory-workspace.ts';
import { heldMemory } from './held-memory.ts';
import { driverOn, type LocalBox, startBox } from './local-box.ts';

const boxes: LocalBox[] = [];
const begun: [ProcessDriver, string][] = [];

async function open(): Promise<LocalBox> {
  const box = await startBox();
  boxes.push(box);
  return box;
}

afterEach(async () => {
  for (const [processes, id] of begun.splice(0)) await processes.stop(id);
  for (const box of boxes.splice(0)) await box.close();
});

const asking = (command: string, signal = new AbortController().signal) => ({
  command,
  id: 'start',
  turn: 1,
  signal,
  notice: async () => {},
});

async function start(processes: ProcessDriver, command: string): Promise<string> {
  const started = await processes.start(asking(command));
  if (started.process === null) throw new Error(started.reason);
  begun.push([processes, started.process]);
  return started.process;
}

/** Reads from the beginning until it is so. */
async function until(processes: ProcessDriver, id: string, is: (text: string, output: ProcessOutput) => boolean) {
  for (;;) {
    const output = await processes.logs(id, 0, 1000);
    if ('others' in output) throw new Error('The box does not know it.');
    const text = new TextDecoder().decode(output.bytes);
    if (is(text, output)) return { ...output, text };
  }
}

test('SHELL-18 WORK-01 a process has the files as they are when it starts and as commands find them; what it writes is saved with a command', async () => {
  const { driver, workspace } = driverOn(await open());
  await workspace.put('a.txt', 'first\n');
  const id = await start(
    driver.processes,
    'cat a.txt; until [ -e b.txt ]; do sleep 0.01; done; cat b.txt > c.txt; echo done; sleep 60',
  );
  await until(driver.processes, id, (text) => text === 'first\n');
  await workspace.put('b.txt', 'second\n');
  await run({ driver }, 'true');
  await until(driver.processes, id, (text) => text === 'first\ndone\n');
  await run({ driver }, 'true');
  expect(workspace.text('c.txt')).toBe('second\n');
});

test('SHELL-18 how a process ended: its code, that of a signal, or that it was stopped', async () => {
  const { processes } = driverOn(await open()).driver;
  for (const [command, code] of [
    ['exit 3', 3],
    ['kill -9 $$', 137],
  ] as const) {
    const { end } = await until(processes, await start(processes, command), (_, output) => output.end !== null);
    expect(end).toEqual({ how: 'exited', code });
  }
  const id = await start(processes, 'sleep 60');
  expect(await processes.stop(id)).toEqual({ process: id, command: 'sleep 60', end: null });
  expect(await processes.stop(id)).toMatchObject({ end: { how: 'stopped' } });
  expect(await processes.stop('p9')).toMatchObject({
    others: [{ command: 'exit 3' }, { command: 'kill -9 $$' }, { process: id }],
  });
});

test('SHELL-18 with a box that began anew a process is gone, its name is nobody else’s, and the next start says so', async () => {
  let at = await open();
  const client = new BoxClient((path, init) => fetch(at.url + path, init));
  const driver = new BoxDriver({
    name: 'local',
    client,
    workspace: new MemoryWorkspace(),
    memory: heldMemory(),
    clock: new FakeClock(),
  });
  const id = await start(driver.processes, 'true');
  at = await open();
  const started = await driver.processes.start(asking('true'));
  expect(started).toMatchObject({
    process: expect.not.stringMatching(id),
    remarks: [expect.stringMatching(/anew.*what ran in it/)],
  });
  expect(await driver.processes.logs(id, null, 10)).toMatchObject({ others: [{ process: started.process }] });
});

test('SHELL-18 a box that cannot be reached starts nothing, and knows of no process', async () => {
  const box = await open();
  const { processes } = driverOn(box).driver;
  await box.close();
  boxes.length = 0;
  expect(await processes.start(asking('true'))).toMatchObject({
    process: null,
    reason: expect.stringContaining('could not be started'),
  });
  expect(await processes.logs('p1', null, 10)).toEqual({ others: [] });
  expect(await processes.stop('p1')).toEqual({ others: [] });
});

test('SHELL-18 SHELL-14 a refusal of the box, and one that breaks off, give a reason', async () => {
  const box = await open();
  expect(await driverOn(box).driver.processes.start(asking('a\0'))).toMatchObject({ reason: expect.stringContaining('NUL') });
  const client = new BoxClient((path, init) =>
    path === '/processes' ? Promise.reject(new Error('The connection broke off.')) : fetch(box.url + path, init),
  );
  const driver = new BoxDriver({
    name: 'local',
    client,
    workspace: new MemoryWorkspace(),
    memory: heldMemory(),
    clock: new FakeClock(),
  });
  expect(await driver.processes.start(asking('true'))).toMatchObject({ process: null, reason: 'the container stopped' });
});

test('SHELL-18 SHELL-13 a call that is cancelled while the box is made ready starts nothing', async () => {
  const box = await open();
  const [asked, ready, abort] = [[] as string[], new Gate(), new AbortController()];
  const client = new BoxClient(async (path, init) => {
    asked.push(path);
    if (path === '/push') await ready.wait();
    return fetch(box.url + path, init);
  });
  const driver = new BoxDriver({
    name: 'local',
    client,
    workspace: new MemoryWorkspace(),
    memory: heldMemory(),
    clock: new FakeClock(),
  });
  const starting = driver.processes.start(asking('true', abort.signal));
  await ready.reached;
  abort.abort();
  ready.open();
  expect(await starting).toMatchObject({ process: null, reason: 'the call was cancelled' });
  expect(asked).not.toContain('/processes');
});

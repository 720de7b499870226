import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { BoxClient, BoxDriver } from '../../../src/sandbox/index.ts';
import { FakeClock, Gate } from '../../../src/testing/index.ts';
import { run } from '../../tools/shell/contract.ts';
import { MemoryWorkspace } from '../memory-workspace.ts';
import { heldMemory } from './held-memory.ts';
import { driverOn, type LocalBox, type LocalBoxInit, startBox } from './local-box.ts';

const boxes: LocalBox[] = [];

async function start(init: LocalBoxInit = {}): Promise<LocalBox> {
  const box = await startBox(init);
  boxes.push(box);
  return box;
}

afterEach(async () => {
  for (const box of boxes.splice(0)) await box.close();
});

test('SHELL-15 a box that dies while a command runs is lost, and no exit code is invented', async () => {
  const box = await start();
  const { driver } = driverOn(box);
  const ran = await run({ driver }, 'echo on; sleep 5', { onOutput: () => box.server.closeAllConnections() });
  expect(ran).toMatchObject({ end: { how: 'lost' }, text: 'on\n' });
});

test('SHELL-15 an answer that is cut off behind a frame or inside one is lost', async () => {
  const whole = await start();
  const answer = await fetch(`${whole.url}/exec`, {
    method: 'POST',
    body: JSON.stringify({ id: 'a', command: 'echo x', timeout: 5000 }),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  for (let length = 0; length <= bytes.length; length += 1) {
    const client = new BoxClient(async () => new Response(bytes.slice(0, length)));
    const end = await client.run({ id: 'a', command: 'x', timeout: 1 }, new AbortController().signal, async () => {});
    expect(end, `${length} bytes`).toMatchObject(length === bytes.length ? { how: 'exited', code: 0 } : { how: 'lost' });
  }
});

test('WORK-01 a box that began anew is filled anew, and the next result says what is lost', async () => {
  const box = await start();
  const workspace = new MemoryWorkspace();
  let at = box;
  const client = new BoxClient((path, init) => fetch(at.url + path, init));
  const driver = new BoxDriver({ name: 'local', client, workspace, memory: heldMemory(), clock: new FakeClock() });
  await workspace.put('a.txt', 'a');
  expect(await run({ driver }, 'mkdir node_modules; echo b > b.txt')).toMatchObject({ remarks: [] });
  at = await start();
  writeFileSync(join(at.root, 'stray.txt'), 'of nobody');
  const second = await run({ driver }, 'ls');
  expect(second).toMatchObject({ text: 'a.txt\nb.txt\n', remarks: [expect.stringContaining('started anew')] });
  expect(await run({ driver }, 'true')).toMatchObject({ remarks: [] });
  expect(workspace.paths()).toEqual(['a.txt', 'b.txt']);
});

test('WORK-01 SHELL-18 a box that outlives its driver keeps what was written there meanwhile, and the next driver saves it', async () => {
  const box = await start();
  const [workspace, memory] = [new MemoryWorkspace(), heldMemory()];
  const life = (client = box.client): { readonly driver: BoxDriver } => ({
    driver: new BoxDriver({ name: 'local', client, workspace, memory, clock: new FakeClock() }),
  });
  await workspace.put('a.txt', 'a');
  await workspace.put('b.txt', 'b');
  // The object dies when the command has run: nothing is fetched.
  const died = new BoxClient(async (path, init) => {
    if (path === '/pull') throw new Error('The object is gone.');
    return fetch(box.url + path, init);
  });
  await run(life(died), 'echo command > a.txt; mkdir node_modules; echo x > node_modules/x');
  writeFileSync(join(box.root, 'b.txt'), 'process');
  writeFileSync(join(box.root, 'c.txt'), 'process');
  await workspace.put('d.txt', 'd');
  const next = await run(life(), 'cat a.txt b.txt c.txt d.txt node_modules/x');
  expect(next).toMatchObject({ text: 'command\nprocessprocessdx\n', remarks: [] });
  expect(workspace.paths()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
  expect(['a.txt', 'b.txt', 'c.txt'].map((path) => workspace.text(path))).toEqual(['command\n', 'process', 'process']);
});

test('WORK-01 what was saved from a box in an earlier life is not sent back there, and its next version is no conflict', async () => {
  const box = await start();
  const [workspace, memory] = [new MemoryWorkspace(), heldMemory()];
  const life = (): { readonly driver: BoxDriver } => ({
    driver: new BoxDriver({ name: 'local', client: box.client, workspace, memory, clock: new FakeClock() }),
  });
  const { text } = await run(life(), 'echo x > a.txt; stat -c %y a.txt');
  expect((await run(life(), 'stat -c %y a.txt')).text).toBe(text);
  expect(await run(life(), 'echo y > a.txt')).toMatchObject({ remarks: [] });
  writeFileSync(join(box.root, 'a.txt'), 'z');
  expect(await run(life(), 'true')).toMatchObject({ remarks: [] });
  expect([workspace.paths(), workspace.text('a.txt')]).toEqual([['a.txt'], 'z']);
});

test('WORK-01 FILES-06 a file that a process and somebody else have changed between two commands is kept in both versions', async () => {
  const box = await start();
  const { driver, workspace } = driverOn(box);
  await workspace.put('f', 'old');
  await run({ driver }, 'true');
  writeFileSync(join(box.root, 'f'), 'of the process');
  await workspace.put('f', 'edited');
  const { remarks, text } = await run({ driver }, 'cat f; ls');
  const beside = workspace.paths().find((path) => path.startsWith('f.shell-')) ?? '';
  expect([workspace.text('f'), workspace.text(beside)]).toEqual(['edited', 'of the process']);
  expect(remarks).toEqual([expect.stringContaining(beside)]);
  expect(text).toBe(`editedf\n${beside}\n`);
});

test('WORK-01 of a box in which nothing changed it is only asked whether something did', async () => {
  const box = await start();
  const asked: string[] = [];
  const client = new BoxClient((path, init) => {
    asked.push(path);
    return fetch(box.url + path, init);
  });
  const workspace = new MemoryWorkspace();
  const driver = new BoxDriver({ name: 'local', client, workspace, memory: heldMemory(), clock: new FakeClock() });
  await run({ driver }, 'true');
  expect(asked.splice(0)).toEqual(['/health', '/push', '/exec', '/pull']);
  await run({ driver }, 'true');
  expect(asked).toEqual(['/health', '/pull', '/exec', '/pull']);
});

test('WORK-01 a box whose files cannot be fetched is handed none, and runs nothing', async () => {
  const box = await start();
  let broken = false;
  const client = new BoxClient(async (path, init) => {
    if (path === '/pull' && broken) throw new Error('The connection broke off.');
    return fetch(box.url + path, init);
  });
  const workspace = new MemoryWorkspace();
  const driver = new BoxDriver({ name: 'local', client, workspace, memory: heldMemory(), clock: new FakeClock() });
  await workspace.put('f', 'old');
  await run({ driver }, 'true');
  writeFileSync(join(box.root, 'f'), 'of the process');
  await workspace.put('f', 'edited');
  broken = true;
  expect((await run({ driver }, 'true')).end).toMatchObject({ how: 'refused' });
  expect(readFileSync(join(box.root, 'f'), 'utf8')).toBe('of the process');
});

test('WORK-01 a box that began anew is filled anew by a later life too, and the result says so', async () => {
  const [workspace, memory] = [new MemoryWorkspace(), heldMemory()];
  await workspace.put('a.txt', 'a');
  const life = async (): Promise<readonly string[]> => {
    const { client } = await start();
    const driver = new BoxDriver({ name: 'local', client, workspace, memory, clock: new FakeClock() });
    const ran = await run({ driver }, 'cat a.txt');
    expect(ran.text).toBe('a');
    return ran.remarks;
  };
  expect(await life()).toEqual([]);
  expect(await life()).toEqual([expect.stringContaining('started anew')]);
});

test('WORK-01 what no fetch takes is not overwritten by a version from elsewhere: it is moved aside, and named', async () => {
  const box = await start({ limits: { file: 10, all: 100, paths: 10 } });
  const { driver, workspace } = driverOn(box);
  await workspace.put('big', 'small');
  const large = '12345678901';
  expect((await run({ driver }, `printf ${large} > big`)).remarks).toEqual([expect.stringContaining('big, since')]);
  await workspace.put('big', 'edited');
  const { text, remarks } = await run({ driver }, 'cat big; ls');
  expect(text).toBe('editedbig\nbig.unsaved-1\n');
  expect(remarks).toEqual([expect.stringContaining('big.unsaved-1, since')]);
  expect(readFileSync(join(box.root, 'big.unsaved-1'), 'utf8')).toBe(large);
  expect(await run({ driver }, 'true')).toMatchObject({ remarks: [] });
});

test('WORK-01 what programs install stays in the box and outlasts commands there', async () => {
  const box = await start();
  const { driver, workspace } = driverOn(box);
  await run(
    { driver },
    'mkdir -p node_modules/x a/__pycache__; echo x > node_modules/x/i.js; echo y > a/__pycache__/y; echo a > a/a.py',
  );
  expect(workspace.paths()).toEqual(['a/a.py']);
  await workspace.put('b.txt', 'b');
  expect(await run({ driver }, 'cat node_modules/x/i.js a/__pycache__/y')).toMatchObject({ text: 'x\ny\n' });
});

test('WORK-01 what a command wrote is not sent back to the box, so that times stay as programs such as make need them', async () => {
  const box = await start();
  const { driver, workspace } = driverOn(box);
  const { text } = await run({ driver }, 'echo x > a.txt; stat -c %y a.txt');
  await workspace.put('b.txt', 'b');
  expect((await run({ driver }, 'stat -c %y a.txt; cat b.txt')).text).toBe(`${text}b`);
});

test('WORK-01 many bytes go both ways in pieces', async () => {
  const box = await start();
  const { driver, workspace } = driverOn(box);
  await workspace.put('in1', new Uint8Array(5_000_000).fill(1));
  await workspace.put('in2', new Uint8Array(5_000_000).fill(2));
  await workspace.put('in3', 'end');
  const before = workspace.made.length;
  await run({ driver }, 'cat in1 in2 in3 > out1; cp in2 out2; cp in3 out3');
  expect(workspace.made.length - before).toBe(2);
  expect(workspace.paths()).toEqual(['in1', 'in2', 'in3', 'out1', 'out2', 'out3']);
  const sizes = await Promise.all(
    ['out1', 'out2', 'out3'].map(async (path) => {
      const stat = await workspace.stat(path);
      return stat.ok ? stat.value?.size : null;
    }),
  );
  expect(sizes).toEqual([10_000_003, 5_000_000, 3]);
});

test('WORK-01 what could not be fetched after a command comes with the next one, and the result says so', async () => {
  const box = await start();
  let broken = true;
  const client = new BoxClient(async (path, init) => {
    if (path === '/pull' && broken) throw new Error('The connection broke off.');
    return fetch(box.url + path, init);
  });
  const workspace = new MemoryWorkspace();
  const driver = new BoxDriver({ name: 'local', client, workspace, memory: heldMemory(), clock: new FakeClock() });
  await workspace.put('b.txt', 'b');
  expect((await run({ driver }, 'echo x > a.txt')).remarks).toEqual([expect.stringContaining('could not be fetched')]);
  broken = false;
  await workspace.put('c.txt', 'c');
  expect((await run({ driver }, 'ls')).text).toBe('a.txt\nb.txt\nc.txt\n');
  expect(workspace.text('a.txt')).toBe('x\n');
});

test('WORK-01 what is too large to be saved is named, and the rest is saved', async () => {
  const box = await start({ limits: { file: 10, all: 15, paths: 3 } });
  const { driver, workspace } = driverOn(box);
  const { remarks } = await run({ driver }, 'printf 12345678901 > a; printf 1234567890 > b; printf 1234567890 > c');
  expect(remarks).toEqual([expect.stringMatching(/a, since .*larger than 10/), expect.stringMatching(/c, since .*more than 15/)]);
  expect(workspace.paths()).toEqual(['b']);
  expect(await run({ driver }, 'ls')).toMatchObject({ text: 'a\nb\nc\n', remarks: [] });
  expect(workspace.paths()).toEqual(['b', 'c']);
  const many = await run({ driver }, 'touch d e f g');
  expect(many.remarks).toEqual([expect.stringMatching(/g, since more than 3/)]);
});

test('FILES-02 a link that a command left leads nothing out of the workspace, neither in nor out', async () => {
  const [box, outside] = [await start(), await start()];
  const { driver, workspace } = driverOn(box);
  mkdirSync(join(outside.root, 'in'));
  writeFileSync(join(outside.root, 'in/secret'), 'secret');
  await run({ driver }, `ln -s ${outside.root}/in folder; ln -s ${outside.root}/in/secret file`);
  expect(workspace.paths()).toEqual([`file -> ${outside.root}/in/secret`, `folder -> ${outside.root}/in`]);
  await workspace.put('folder/secret', 'mine');
  await workspace.put('file', 'mine');
  expect(await run({ driver }, 'cat folder/secret file')).toMatchObject({ text: 'minemine' });
  expect(readFileSync(join(outside.root, 'in/secret'), 'utf8')).toBe('secret');
});

test('WORK-01 deleting below a link that a command made deletes nothing elsewhere', async () => {
  const [box, outside] = [await start(), await start()];
  const { driver, workspace } = driverOn(box);
  writeFileSync(join(outside.root, 'a'), 'a');
  await workspace.put('folder/a', 'a');
  await run({ driver }, 'true');
  const swap = run({ driver }, `rm -r folder; ln -s ${outside.root} folder; echo on`, {
    onOutput: async () => void (await workspace.change([{ type: 'delete', path: 'folder/a' }])),
  });
  await swap;
  await run({ driver }, 'true');
  expect(existsSync(join(outside.root, 'a'))).toBe(true);
});

test('SHELL-15 a box that cannot be reached refuses, and says so', async () => {
  const box = await start();
  const { driver } = driverOn(box);
  await box.close();
  boxes.length = 0;
  expect((await run({ driver }, 'echo')).end).toEqual({
    how: 'refused',
    reason: expect.stringContaining('could not be started'),
    size: 4,
  });
});

test('SHELL-05 a box that takes more than a second to start is told of', async () => {
  const box = await start();
  const [clock, ready] = [new FakeClock(), new Gate()];
  const client = new BoxClient(async (path, init) => {
    if (path === '/health') await ready.wait();
    return fetch(box.url + path, init);
  });
  const driver = new BoxDriver({ name: 'local', client, workspace: new MemoryWorkspace(), memory: heldMemory(), clock });
  const told: string[] = [];
  const command = {
    command: 'true',
    id: 'a',
    turn: 1,
    timeout: 5000,
    signal: new AbortController().signal,
    output: async () => {},
  };
  const running = driver.run({ ...command, notice: async (text) => void told.push(text) });
  await clock.sleeping();
  clock.advance(1000);
  await ready.reached;
  ready.open();
  expect((await running).end).toEqual({ how: 'exited', code: 0 });
  expect(told).toEqual([expect.stringContaining('Starting')]);
  await driver.run({ ...command, notice: async (text) => void told.push(text) });
  expect(told).toHaveLength(1);
});

test('SHELL-13 a cancel does not wait until files are saved; the next command does', async () => {
  const box = await start();
  const pull = new Gate();
  const client = new BoxClient(async (path, init) => {
    if (path === '/pull') await pull.wait();
    return fetch(box.url + path, init);
  });
  const workspace = new MemoryWorkspace();
  const driver = new BoxDriver({ name: 'local', client, workspace, memory: heldMemory(), clock: new FakeClock() });
  const abort = new AbortController();
  const onOutput = (): void => abort.abort();
  expect((await run({ driver }, 'echo x > a.txt; echo on; sleep 30', { abort, onOutput })).end).toEqual({ how: 'cancelled' });
  expect(workspace.paths()).toEqual([]);
  const next = run({ driver }, 'cat a.txt');
  pull.open();
  expect((await next).text).toBe('x\n');
  expect(workspace.text('a.txt')).toBe('x\n');
});

test('SHELL-13 WORK-01 files are settled once what a cancelled command changed is saved, or its box does not answer for 10 s', async () => {
  const box = await start();
  const [first, second] = [new Gate(), new Gate()];
  // Between the two the second command looks what there is to be saved.
  const pulls = [first, null, second];
  const client = new BoxClient(async (path, init) => {
    if (path === '/pull') await pulls.shift()?.wait();
    return fetch(box.url + path, init);
  });
  const [workspace, clock] = [new MemoryWorkspace(), new FakeClock()];
  const driver = new BoxDriver({ name: 'local', client, workspace, memory: heldMemory(), clock });
  await driver.settled();
  const cancelled = async (command: string): Promise<void> => {
    const abort = new AbortController();
    await run({ driver }, `${command}; echo on; sleep 30`, { abort, onOutput: () => abort.abort() });
  };
  await cancelled('echo x > a.txt');
  const settled = driver.settled().then(() => workspace.paths());
  first.open();
  expect(await settled).toEqual(['a.txt']);

  await cancelled('echo y > b.txt');
  const late = driver.settled().then(() => workspace.paths());
  clock.advance(10_000);
  expect(await late).toEqual(['a.txt']);
  second.open();
});

test('SHELL-23 a large output arrives whole at a reader that is slower than the command', async () => {
  const box = await start();
  let bytes = 0;
  const end = await box.client.run(
    { id: 'a', command: 'head -c 67108864 /dev/zero', timeout: 60_000 },
    new AbortController().signal,
    async (piece) => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      bytes += piece.length;
    },
  );
  expect([end, bytes]).toEqual([{ how: 'exited', code: 0 }, 67_108_864]);
});

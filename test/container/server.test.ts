import { existsSync, mkdtempSync, readFileSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type LocalBox, type LocalBoxInit, startBox } from '../sandbox/box/local-box.ts';

const boxes: LocalBox[] = [];

async function start(init: LocalBoxInit = {}): Promise<LocalBox> {
  const box = await startBox(init);
  boxes.push(box);
  return box;
}

afterEach(async () => {
  for (const box of boxes.splice(0)) await box.close();
});

const never = new AbortController().signal;

async function run(box: LocalBox, command: string, timeout = 20_000, id = 'a') {
  let text = '';
  const end = await box.client.run(
    { id, command, timeout },
    never,
    async (bytes) => void (text += new TextDecoder().decode(bytes)),
  );
  return { end, text };
}

test('SHELL-01 health tells one life of the box from another', async () => {
  const [one, two] = [await start(), await start()];
  expect(await one.client.boot(never)).toBe(await one.client.boot(never));
  expect(await one.client.boot(never)).not.toBe(await two.client.boot(never));
});

test('SHELL-04 what a command prints goes through a pipe, as programs expect: /dev/stdout can be opened', async () => {
  const box = await start();
  expect((await run(box, 'echo a > /dev/stdout; echo b > /dev/stderr; [ -p /dev/stdout ] && echo pipe')).text).toBe(
    'a\nb\npipe\n',
  );
});

test('SHELL-01 commands wait for each other', async () => {
  const box = await start();
  const both = await Promise.all([run(box, 'echo a; sleep 0.2; echo b >> f', 5000, 'a'), run(box, 'cat f', 5000, 'b')]);
  expect(both.map(({ text }) => text)).toEqual(['a\n', 'b\n']);
});

test('SHELL-13 a cancel that comes before its command, or while it waits, holds', async () => {
  const box = await start();
  await fetch(`${box.url}/cancel`, { method: 'POST', body: JSON.stringify({ id: 'b' }) });
  expect((await run(box, 'echo x > f', 5000, 'b')).end).toEqual({ how: 'cancelled' });
  expect(existsSync(join(box.root, 'f'))).toBe(false);
  expect((await run(box, 'true', 5000, 'c')).end).toEqual({ how: 'exited', code: 0 });
});

test('SHELL-15 a command whose reader goes away is killed', async () => {
  const box = await start();
  const left = new AbortController();
  const request = {
    method: 'POST',
    body: JSON.stringify({ id: 'a', command: 'echo $$; sleep 30', timeout: 60_000 }),
    signal: left.signal,
  };
  const answer = await fetch(`${box.url}/exec`, request);
  const first = await answer.body?.getReader().read();
  left.abort();
  const pid = new TextDecoder().decode(first?.value?.slice(5)).trim();
  expect((await run(box, `kill -0 ${pid}`, 5000, 'b')).end).toEqual({ how: 'exited', code: 1 });
});

test('SHELL-16 a child that left the group does not hold the end', async () => {
  const box = await start();
  const { end, text } = await run(box, 'setsid sleep 5 & sleep 0.1; echo $!');
  expect(end).toEqual({ how: 'exited', code: 0 });
  await run(box, `pkill -9 -s ${text.trim()}; kill -9 ${text.trim()}`);
});

test('SHELL-15 SHELL-16 commands of a user of their own leave no process behind, and may not signal the server', async () => {
  const root = mkdtempSync(join(tmpdir(), 'box-user-'));
  chmodSync(root, 0o777);
  const user = { uid: 61_234, gid: 61_234 };
  const box = await start({ user, root });
  const { end, text } = await run(
    box,
    `setsid sleep 30 & sleep 0.1; id -u; echo $!; kill -9 ${process.pid} || echo refused; echo x > f`,
  );
  if (process.getuid?.() === 0) {
    expect(end).toEqual({ how: 'exited', code: 0 });
    const [uid, pid] = text.split('\n');
    expect(uid).toBe('61234');
    expect(text).toContain('refused');
    expect(existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2]).toSatisfy(
      (state: unknown) => state === false || state === 'Z',
    );
  } else expect(end).toMatchObject({ how: 'refused', reason: expect.stringContaining('EPERM') });
  rmSync(root, { recursive: true, force: true });
});

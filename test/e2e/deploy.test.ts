import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import { call, type FakeOpenAI, startFakeOpenAI, text, words } from './fake-openai.ts';
import { LocalServer } from '../../scripts/lib/local-server.ts';
import { SessionAt } from './session-at.ts';

const root = join(import.meta.dirname, '../..');

let model: FakeOpenAI;
let folder: string;
let server: LocalServer;

beforeAll(async () => {
  model = await startFakeOpenAI();
  folder = mkdtempSync(join(tmpdir(), 'reins-deploy-'));
});

afterAll(async () => {
  await server.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The tree as a release of another version: a bundle of its own, which names another build. */
function nextRelease(): string {
  const tree = join(folder, 'next');
  const file = 'package.json';
  for (const part of ['src', 'migrations', 'public', 'wrangler.toml', file])
    cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const manifest = JSON.parse(readFileSync(join(tree, file), 'utf8')) as object;
  writeFileSync(join(tree, file), JSON.stringify({ ...manifest, version: '9.9.9' }));
  return tree;
}

test('RUN-15 a turn goes on through one deploy after the other, though nobody comes, and they use up no retry', async () => {
  const store = join(folder, 'store');
  const vars = { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'llama_cpp' };
  const releases = [root, nextRelease()];
  model.reply(call('c1', 'clock'));
  for (let n = 0; n < 4; n += 1) model.reply(text('It is'), new Gate());

  server = await LocalServer.start({ vars, store });
  const versions: string[] = [];
  const tab = await new SessionAt(server.address, 'deployed').tab();
  await tab.send('turn', { id: 'turn', message: 'What time is it?' });
  await tab.reads('It is');
  for (let n = 1; n <= 3; n += 1) {
    await server.stop();
    server = await LocalServer.start({ vars, store, tree: releases[n % 2] ?? root });
    const health = (await (await fetch(`${server.address}/api/health`)).json()) as { readonly version: string };
    versions.push(health.version);
    // Nobody touches the session: the alarm finds it.
    await model.request(2 + n);
  }
  model.otherwise(words('It is noon.'));
  await server.stop();
  server = await LocalServer.start({ vars, store });

  const session = new SessionAt(server.address, 'deployed');
  const back = await session.tab(tab.screen);
  expect(back.resumed).toBe(false);
  const screen = await back.sees(({ status }) => status === 'idle');
  expect(versions).toEqual(['9.9.9', versions[1], '9.9.9']);
  expect(versions[1]).not.toBe('9.9.9');
  expect(screen).toMatchObject({
    turn: 1,
    run: tab.screen.run,
    lastEnded: { run: tab.screen.run, reason: 'done', text: 'It is noon.' },
  });
  expect(screen.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(model.requests).toHaveLength(6);
}, 240_000);

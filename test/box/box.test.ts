import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Miniflare } from 'miniflare';
import { type JsonObject, systemClock, textOf, type ToolResultPart } from '../../src/core/index.ts';
import { BoxClient, BoxDriver } from '../../src/sandbox/index.ts';
import { call, type FakeOpenAI, startFakeOpenAI, text } from '../e2e/fake-openai.ts';
import { SessionAt } from '../e2e/session-at.ts';
import { heldMemory } from '../sandbox/box/held-memory.ts';
import { MemoryWorkspace } from '../sandbox/memory-workspace.ts';
import { shellContract } from '../tools/shell/contract.ts';
import { Engine } from './engine.ts';
import { startReins } from './reins.ts';

let engine: Engine;
let model: FakeOpenAI;
let reins: Miniflare;
let url: string;

beforeAll(async () => {
  model = await startFakeOpenAI();
  engine = await Engine.start();
  reins = await startReins(engine, { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'llama_cpp' });
  url = (await reins.ready).origin;
});

afterAll(async () => {
  await reins?.dispose();
  await engine?.stop();
  await model?.close();
});

describe('a container on an engine, driven from outside', () => {
  // Compressed, what a command prints would wait for more on this way, which is none of the product's.
  const headers = { 'accept-encoding': 'identity' };
  const client = new BoxClient((path, init) => fetch(`${url}/box/contract${path}`, { ...init, headers }));
  // One box serves all cases: a driver that has not spoken to it yet fills it anew.
  shellContract(async () => {
    const workspace = new MemoryWorkspace();
    return {
      driver: new BoxDriver({ name: 'container', client, workspace, memory: heldMemory(), clock: systemClock }),
      workspace,
    };
  });
});

/** A session in the mode `code`. */
async function coding(scope: string): Promise<SessionAt> {
  const body = JSON.stringify({ mode: 'code' });
  expect((await fetch(`${url}/api/sessions/${scope}`, { method: 'PATCH', body })).status).toBe(200);
  return new SessionAt(url, scope);
}

/** Has the model run a command, allows it, and gives what the model then reads of it. */
function runs(session: SessionAt, command: string, during: () => Promise<void> = async () => {}): Promise<ToolResultPart> {
  return calls(session, 'shell', { command }, during);
}

/** Has the model call a tool that a person is asked about, allows it, and gives what the model then reads. */
async function calls(
  session: SessionAt,
  tool: string,
  input: JsonObject,
  during: () => Promise<void> = async () => {},
): Promise<ToolResultPart> {
  model.reply(call('c', tool, input));
  model.reply(text('Done.'));
  const { pending } = await session.run('turn', { message: 'Go on' });
  const [asked] = pending;
  const answered = session.run('answers', { answers: { [asked?.call.id ?? '']: { approval: { allowed: true } } } });
  await during();
  expect(await answered).toMatchObject({ reason: 'done' });
  return lastResult(session);
}

/** Has the model read the logs of a process, which nobody is asked about, and gives what it reads. */
async function logs(session: SessionAt, input: JsonObject): Promise<string> {
  model.reply(call('c', 'process_logs', input));
  model.reply(text('Done.'));
  expect(await session.run('turn', { message: 'Go on' })).toMatchObject({ reason: 'done' });
  return said(await lastResult(session));
}

async function lastResult(session: SessionAt): Promise<ToolResultPart> {
  const { messages } = await session.snapshot();
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === 'tool_result'));
  const last = results.at(-1);
  if (last === undefined) throw new Error('There is no result.');
  return last;
}

const said = ({ content }: ToolResultPart): string => textOf({ id: '', role: 'user', content });

describe('a session with a container', () => {
  it('SHELL-01 WORK-01 its commands run there, on the files that everybody sees', async () => {
    const session = await coding('files');
    await fetch(`${url}/api/sessions/files/files/src/name.txt`, { method: 'PUT', body: 'Reins' });
    const result = await runs(session, 'echo "Hello $(cat src/name.txt)" | tee out.txt; id -un');
    expect(said(result)).toBe('Exit code 0\nHello Reins\nagent\n');
    expect(await (await fetch(`${url}/api/sessions/files/files/out.txt`)).text()).toBe('Hello Reins\n');
    expect(await (await fetch(`${url}/api/config`)).json()).toMatchObject({ shell: 'container' });
  });

  it('SHELL-15 a container that is lost in mid-command is said to be lost, and the next command says what was', async () => {
    const session = await coding('lost');
    await runs(session, 'mkdir node_modules; echo x > node_modules/x; echo kept > kept.txt');
    const tab = await session.tab();
    const lost = await runs(session, 'echo begun; sleep 60', async () => {
      await tab.sees(({ step }) => JSON.stringify(step ?? '').includes('begun\\n'));
      expect(engine.killBoxes()).toBeGreaterThan(0);
    });
    expect(lost.error).toBe(true);
    expect(said(lost)).toMatch(/is gone .*whether the command finished is not known/);
    expect(said(lost)).not.toContain('Exit code');
    const next = await runs(session, 'cat kept.txt; ls');
    expect(said(next)).toMatch(/\nExit code 0\nkept\nkept.txt\n$/);
    expect(said(next)).toMatch(/^The container /);
  });

  it('SHELL-13 CANC-01 WORK-01 a stop ends the command in its container, what it wrote is there, and the container stays', async () => {
    const session = await coding('stopped');
    const tab = await session.tab();
    model.reply(call('c', 'shell', { command: 'echo kept > stopped.txt; echo $$; exec sleep 60' }));
    const { pending } = await session.run('turn', { message: 'Go on' });
    const answers = { [pending[0]?.call.id ?? '']: { approval: { allowed: true } } };
    const ended = session.run('answers', { answers });
    await tab.sees(({ step }) => /\d+\\n/.test(JSON.stringify(step?.calls ?? '')));
    await session.post('cancel');
    expect(await ended).toMatchObject({ reason: 'cancelled' });
    expect(await (await fetch(`${url}/api/sessions/stopped/files/stopped.txt`)).text()).toBe('kept\n');
    // The call waits again; it is not made a second time.
    await session.post('pending/deny-all');
    expect(said(await runs(session, 'ps -e | grep -c "[s]leep"'))).toBe('Exit code 1\n0\n');
  });

  it('SHELL-18 a server runs on beside the commands, which reach it, and its logs are read on from where they were', async () => {
    const session = await coding('server');
    const program = `
      const server = require('node:http').createServer((request, response) => {
        console.log('asked for ' + request.url);
        response.end('hello from ' + process.pid);
      });
      server.listen(3000, () => console.log('listening'));
    `;
    await fetch(`${url}/api/sessions/server/files/server.cjs`, { method: 'PUT', body: program });
    const started = said(await calls(session, 'process_start', { command: 'exec node server.cjs' }));
    const [, id = ''] = /^Started the process (p1-[0-9a-f]{4})\.$/.exec(started) ?? [];
    // This machine has no curl to put into the image.
    const get = (path: string): string =>
      `node -e "fetch('http://127.0.0.1:3000/${path}').then((r) => r.text()).then(console.log)"`;
    const awaited = `until ${get('a')}; do sleep 0.1; done 2> errors`;
    expect(said(await runs(session, awaited))).toMatch(/^Exit code 0\nhello from \d+\n$/);
    const first = await logs(session, { process: id });
    expect(first).toMatch(/^Running\. Bytes 0 to (\d+) of \1; go on with from: \1\.\nlistening\nasked for \/a\n$/);
    const [, place = ''] = /from: (\d+)/.exec(first) ?? [];
    // A second command: the end of the first has not ended it.
    expect(said(await runs(session, get('b')))).toMatch(/^Exit code 0\nhello/);
    expect(await logs(session, { process: id, from: Number(place) })).toMatch(/^Running\..*\nasked for \/b\n$/);
    expect(said(await calls(session, 'process_stop', { process: id }))).toBe(`Stopped the process ${id}.`);
    expect(said(await runs(session, 'ps -e -o args | grep -c "[s]erver.cjs"'))).toBe('Exit code 1\n0\n');
    expect(await logs(session, { process: id, from: Number(place) })).toMatch(/^Stopped\./);
    engine.killBoxes();
    expect(await logs(session, { process: id })).toMatch(/^There is no process p1-/);
  });

  it('WORK-01 a session that is erased takes its container along', async () => {
    const session = await coding('erased');
    await runs(session, 'true');
    const before = engine.boxes();
    expect(await session.erase()).toBe(204);
    expect(engine.boxes()).toBe(before - 1);
  });
});

import { beforeEach, expect, test } from 'vitest';
import { type ContainerPort, Keeper } from '../../../src/sandbox/box/keeper.ts';
import { FakeClock } from '../../../src/testing/index.ts';

/** A container whose server answers as the test says. The platform's own is in test/box. */
class FakeContainer implements ContainerPort {
  /** What the server was asked, as `METHOD path body`. */
  readonly asked: string[] = [];
  running = false;
  started = 0;
  destroyed = 0;
  /** How often a start fails, as it does when no machine is free. */
  refusals = 0;
  /** How many looks at its health the server needs until it answers. */
  deaf = 0;
  #output: ReadableStreamDefaultController<Uint8Array> | null = null;

  async start(): Promise<void> {
    this.started += 1;
    this.refusals -= 1;
    if (this.refusals >= 0) throw new Error('There is no container instance that can be provided.');
    this.running = true;
  }

  async destroy(): Promise<void> {
    this.destroyed += 1;
    this.running = false;
    this.#output?.error(new Error('The container is gone.'));
  }

  async fetch(path: string, { method, body }: RequestInit): Promise<Response> {
    this.asked.push(`${method} ${path} ${body instanceof Uint8Array ? new TextDecoder().decode(body) : ''}`.trim());
    if (path === '/exec') {
      return new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            this.#output = controller;
          },
        }),
      );
    }
    this.deaf -= 1;
    if (this.deaf >= 0) throw new Error('The connection was refused.');
    return Response.json({ boot: 'one' });
  }

  /** The command prints this and ends. */
  finish(text: string): void {
    this.#output?.enqueue(new TextEncoder().encode(text));
    this.#output?.close();
  }
}

let container: FakeContainer;
let clock: FakeClock;
let alarm: number | null;
let keeper: Keeper;

beforeEach(() => {
  container = new FakeContainer();
  clock = new FakeClock();
  alarm = null;
  keeper = new Keeper({ container, clock, setAlarm: async (time) => void (alarm = time) });
});

function ask(path: string, body?: object): Promise<Response> {
  const bytes = new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body));
  return keeper.answer(path, body === undefined ? 'GET' : 'POST', new Uint8Array(bytes));
}

/** Lets everything run that waits for nothing but its turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** Lets the time pass, and what waited for it run. */
async function pass(ms: number): Promise<void> {
  await settle();
  clock.advance(ms);
  await settle();
}

/** Starts the container. */
async function start(): Promise<void> {
  const answer = ask('/health');
  await pass(50);
  await answer;
}

const command = { id: 'a', command: 'x', timeout: 5000 };

test('SHELL-01 the question for its health starts a container, and waits until its server answers', async () => {
  [container.refusals, container.deaf] = [2, 3];
  const answer = ask('/health');
  for (let look = 0; look < 10; look += 1) await pass(50);
  expect(await (await answer).json()).toEqual({ boot: 'one' });
  expect(container.started).toBe(3);
  await ask('/health');
  expect(container.started).toBe(3);
});

test('SHELL-15 a container whose server never answers is ended, so that the next command has another', async () => {
  container.deaf = Infinity;
  const answer = expect(ask('/health')).rejects.toThrow('did not start');
  await pass(50);
  await pass(30_000);
  await answer;
  expect([container.destroyed, container.running]).toEqual([1, false]);
});

test('SHELL-15 nothing but the question for its health starts a container', async () => {
  expect((await ask('/exec', command)).status).toBe(503);
  expect(container.started).toBe(0);
});

test('SHELL-15 a command that does not end in its time loses its container two seconds later, and its stream breaks off', async () => {
  await start();
  const answer = await ask('/exec', command);
  const read = expect(answer.text()).rejects.toThrow();
  await pass(6999);
  expect(container.destroyed).toBe(0);
  await pass(1);
  expect(container.destroyed).toBe(1);
  await read;
});

test('SHELL-15 a command that ends in its time loses nothing, and nothing waits for it any more', async () => {
  await start();
  const answer = await ask('/exec', command);
  container.finish('frames');
  expect(await answer.text()).toBe('frames');
  expect(clock.sleepers).toBe(0);
  await pass(60_000);
  expect(container.destroyed).toBe(0);
});

test('SHELL-15 a reader that goes away is told to the server, and the command is not watched any more', async () => {
  await start();
  const answer = await ask('/exec', command);
  await answer.body?.cancel();
  expect(clock.sleepers).toBe(0);
});

test('SHELL-13 a cancel is handed on; a command that it does not end loses its container two seconds later', async () => {
  await start();
  const answer = await ask('/exec', { ...command, timeout: 60_000 });
  const read = expect(answer.text()).rejects.toThrow();
  await ask('/cancel', { id: 'another' });
  await pass(2500);
  expect(container.destroyed).toBe(0);
  await ask('/cancel', { id: 'a' });
  expect(container.asked.at(-1)).toBe('POST /cancel {"id":"a"}');
  await pass(2000);
  expect(container.destroyed).toBe(1);
  await read;
});

test('SHELL-15 a container that nobody asks for ends after ten minutes, but not under a command', async () => {
  await start();
  const answer = await ask('/exec', command);
  expect(alarm).toBe(clock.now() + 600_000);
  clock.advance(10);
  await keeper.alarm();
  expect([container.destroyed, alarm]).toEqual([0, clock.now() + 600_000]);
  container.finish('');
  await answer.text();
  await keeper.alarm();
  expect([container.destroyed, alarm]).toEqual([1, null]);
});

test('WORK-01 the end of a session ends its container, if there is one', async () => {
  await ask('/destroy', {});
  expect(container.destroyed).toBe(0);
  await start();
  await ask('/destroy', {});
  expect([container.destroyed, alarm]).toEqual([1, null]);
});

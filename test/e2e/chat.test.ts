import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestHarness, type TestHarness } from 'wrangler';
import { chat } from '../../bridges/chat/chat.ts';
import { parseOptions } from '../../bridges/chat/options.ts';
import { openTerminal } from '../../bridges/chat/terminal.ts';
import type { SessionEvent } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, type FakeOpenAI, finish, startFakeOpenAI, status, text, words } from './fake-openai.ts';

let model: FakeOpenAI;
let server: TestHarness;
let url: string;

beforeAll(async () => {
  model = await startFakeOpenAI();
  const vars = { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'llama_cpp' };
  server = createTestHarness({ workers: [{ configPath: 'wrangler.toml', vars }] });
  ({ href: url } = (await server.listen()).url);
});

afterAll(async () => {
  await server.close();
  await model.close();
});

/** The number of requests so far, so that a test can name its own. */
const before = (): number => model.requests.length;

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs the program as a process of its own, with nobody at its input. */
function run(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['bridges/chat.ts', '--url', url, ...args], (error, out, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, errors });
    });
    child.stdin?.end();
  });
}

/** A person at a terminal. */
class Person {
  readonly #input = new PassThrough();
  readonly #signals = new EventEmitter<{ SIGINT: [] }>();
  readonly #out = new PassThrough().setEncoding('utf8');
  readonly #errors = new PassThrough().setEncoding('utf8');
  readonly #seen = new EventEmitter<{ more: [] }>();
  readonly #code: Promise<number>;
  out = '';
  errors = '';

  constructor(scope: string, message: string, at = url) {
    const options = parseOptions(['--url', at, '--session', scope, message], {});
    if (typeof options === 'string') throw new Error(options);
    this.#out.on('data', (chunk: string) => this.#see(() => (this.out += chunk)));
    this.#errors.on('data', (chunk: string) => this.#see(() => (this.errors += chunk)));
    const terminal = openTerminal({
      input: this.#input,
      interactive: true,
      output: this.#out,
      errors: this.#errors,
      signals: this.#signals,
    });
    this.#code = chat(options, terminal).finally(() => terminal.close());
  }

  #see(add: () => void): void {
    add();
    this.#seen.emit('more');
  }

  /** Resolves when this is on the screen. */
  async sees(what: string): Promise<void> {
    while (!`${this.out}\n${this.errors}`.includes(what)) await new Promise<void>((resolve) => this.#seen.once('more', resolve));
  }

  type(line: string): void {
    this.#input.write(`${line}\n`);
  }

  interrupt(): void {
    this.#signals.emit('SIGINT');
  }

  /** The exit code. */
  leaves(): Promise<number> {
    return this.#code;
  }
}

describe('a process without a person', () => {
  test('EX-01 one turn is printed: the reply alone on stdout, the call beside it on stderr, exit code 0', async () => {
    const first = before();
    model.reply(call('c1', 'clock'));
    model.reply(words('It is late.'));
    const { code, out, errors } = await run('--session', 'plain', 'What time is it?');
    expect({ code, out }).toEqual({ code: 0, out: 'It is late.\n' });
    expect(errors).toMatch(/→ clock \{\}\n✓ \w+day, \d{4}-/);
    expect(model.requests[first]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'What time is it?' });
    expect(model.requests[first + 1]?.body.messages.at(-1)).toMatchObject({ role: 'tool' });
  });

  test('EX-07 EVT-04 --json prints the events of the turn, one value a line', async () => {
    model.reply(words('One two.'));
    const { code, out } = await run('--session', 'lines', '--json', 'hello');
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SessionEvent);
    expect(code).toBe(0);
    expect(events.at(0)?.type).toBe('turn_started');
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', reason: 'done', parent: null });
    expect(new Set(events.map(({ run }) => run)).size).toBe(1);
    expect(events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')).toBe('One two.');
  });

  test('FIN-04 LOOP-10 a failed turn and a reply that was cut are told, by code and in words', async () => {
    model.reply(status(400, 'no such model'));
    expect(await run('--session', 'fails', 'hello')).toMatchObject({ code: 1, errors: expect.stringContaining('Failed: ') });
    model.reply(text('Half a'), finish('length'));
    expect(await run('--session', 'cut', 'hello')).toMatchObject({ code: 0, errors: expect.stringContaining('token limit') });
  });

  test('APPR-10 a turn that waits for an approval ends with code 3, and the next one is not begun', async () => {
    model.reply(call('c1', 'write_note', { text: 'milk' }));
    const waits = { code: 3, errors: expect.stringContaining('Waits for an answer: write_note') };
    expect(await run('--session', 'waits', 'note it')).toMatchObject(waits);
    const requests = before();
    expect(await run('--session', 'waits', 'and now?')).toMatchObject(waits);
    expect(before()).toBe(requests);
  });

  test('a wrong command line and a server that is not there have codes of their own', async () => {
    expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining('Usage:') });
    expect(await run('--url', 'http://127.0.0.1:1', 'hello')).toMatchObject({
      code: 5,
      errors: expect.stringContaining('npm start'),
    });
  });
});

describe('a person at the terminal', () => {
  test('PAUSE-07 PAUSE-09 approvals and questions are asked, and the turn goes on with the answers', async () => {
    const first = before();
    model.reply(
      call('c1', 'write_note', { text: 'milk' }),
      call('c2', 'ask_user', { question: 'Which?', choices: ['red', 'blue'] }),
    );
    model.reply(text('Noted, blue.'));
    const person = new Person('asks', 'note it');
    await person.sees('Allow?');
    person.type('y');
    await person.sees('1. red');
    person.type('2');
    expect(await person.leaves()).toBe(0);
    expect(person.out).toBe('Noted, blue.\n');
    const results = model.requests[first + 1]?.body.messages.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([{ content: 'Saved.' }, { content: 'blue' }]);
  });

  test('PAUSE-13 PAUSE-22 what an earlier process left open is asked first; a denial is told the model', async () => {
    model.reply(call('c1', 'write_note', { text: 'milk' }));
    expect(await run('--session', 'left', 'note it')).toMatchObject({ code: 3 });
    const first = before();
    model.reply(text('Then not.'));
    model.reply(text('Hello.'));
    const person = new Person('left', 'hello');
    await person.sees('Allow?');
    person.type('n, not now');
    expect(await person.leaves()).toBe(0);
    expect(person.out).toBe('Then not.\nHello.\n');
    expect(model.requests[first]?.body.messages.at(-1)).toMatchObject({ content: 'Denied: not now' });
  });

  test('INTR-01 Ctrl-C interrupts the reply, which is kept', async () => {
    const gate = new Gate();
    model.reply(text('One two'), gate, text(' three.'));
    const person = new Person('stops', 'count');
    await person.sees('One two');
    person.interrupt();
    expect(await person.leaves()).toBe(4);
    expect(person.out).toBe('One two\n');
    expect(person.errors).toContain('Interrupted');
    const snapshot = await (await fetch(new URL('/api/sessions/stops', url))).json();
    expect(snapshot).toMatchObject({ status: 'idle', partial: { message: { content: [{ type: 'text', text: 'One two' }] } } });
  });

  test('STEER-01 STEER-08 a line steers while the reply runs, and /queue waits until it is done', async () => {
    const first = before();
    const gate = new Gate();
    model.reply(text('One.'), gate);
    model.reply(text(' In French: un.'));
    model.reply(text(' Bye.'));
    const person = new Person('steers', 'count');
    await person.sees('One.');
    person.type('/queue say bye');
    person.type('in French');
    await inbox('steers', 2);
    gate.open();
    expect(await person.leaves()).toBe(0);
    expect(model.requests[first + 1]?.body.messages.at(-1)).toMatchObject({ content: 'in French' });
    expect(model.requests[first + 2]?.body.messages.at(-1)).toMatchObject({ content: 'say bye' });
    expect(person.errors).toMatch(/» in French[^]*» say bye/);
  });

  test('EVT-35 a connection that breaks in the middle is taken up again: nothing is lost, and nothing printed twice', async () => {
    const gate = new Gate();
    const wire = await Wire.to(Number(new URL(url).port));
    model.reply(text('Before.'), gate, text(' After.'));
    const person = new Person('breaks', 'talk', `http://127.0.0.1:${wire.port}`);
    await person.sees('Before.');
    wire.cut();
    gate.open();
    expect(await person.leaves()).toBe(0);
    expect(person.out).toBe('Before. After.\n');
    await wire.close();
  });
});

/** Resolves when so many messages wait in a session's inbox. */
async function inbox(scope: string, count: number): Promise<void> {
  const response = await fetch(new URL(`/api/sessions/${scope}/events`, url));
  let seen = '';
  for await (const chunk of response.body ?? []) {
    seen += Buffer.from(chunk).toString();
    const lists = [...seen.matchAll(/^data: (.*)$/gm)].map(
      ([, data]) => (JSON.parse(data ?? '') as { inbox?: unknown[] }).inbox ?? [],
    );
    if (lists.some((list) => list.length === count)) return;
  }
}

/** A wire between a client and the server that can be cut. */
class Wire {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async to(port: number): Promise<Wire> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Wire(server, sockets);
  }

  /** Cuts what is connected now; new connections are carried. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): Promise<void> {
    this.cut();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }
}

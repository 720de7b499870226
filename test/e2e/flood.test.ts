import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { type FakeOpenAI, startFakeOpenAI, text } from './fake-openai.ts';
import { LocalServer } from '../../scripts/lib/local-server.ts';
import { SessionAt } from './session-at.ts';
import type { Tab } from './tab.ts';

let model: FakeOpenAI;
let server: LocalServer;
let session: SessionAt;

beforeAll(async () => {
  model = await startFakeOpenAI();
  server = await LocalServer.start({
    vars: { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'scripted', LIMIT_SOCKETS: '10000' },
  });
  session = new SessionAt(server.address, 'crowd');
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

const path = '/api/sessions/crowd';

/** A client that opens a socket and reads nothing of it, not even that it is open. */
async function deafClient(): Promise<Socket> {
  const { hostname, port, host } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${path}/socket HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  return socket;
}

/** A stream of the session's events from the beginning, of which nothing is read yet. */
async function eventStream(cursor: string): Promise<IncomingMessage> {
  const request = get(`${server.address}${path}/events?cursor=${cursor}`, { agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** The events of a stream, up to the end of a turn; then it is left. */
async function readToEnd(stream: IncomingMessage): Promise<SessionEvent[]> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('"type":"turn_ended"') && text.endsWith('\n\n')) break;
  }
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  const events = lines.map((line) => JSON.parse(line.slice('data: '.length)) as SessionEvent);
  return events.slice(0, events.findIndex(({ type }) => type === 'turn_ended') + 1);
}

function socket(): WebSocket {
  return new WebSocket(`${server.address.replace('http', 'ws')}${path}/socket`);
}

/** The text of the deltas among events, and whether each event follows the one before it. */
function heard(events: readonly SessionEvent[]): { readonly said: string; readonly gaps: number } {
  const said = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
  return { said, gaps: events.filter((event, index) => event.seq !== (events[0]?.seq ?? 0) + index).length };
}

describe('two hundred sockets on one session', () => {
  it('EVT-29 EVT-35 all that behave hear the whole run, whoever does not read, talks nonsense, talks too much, comes and goes', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `${n} ${'~'.repeat(1000)}\n`);
    const [begun, flooded] = [new Gate(), new Gate()];
    model.reply(lines.slice(0, 100).map(text), begun, lines.slice(100, 200).map(text), flooded, lines.slice(200).map(text));
    const good: Tab[] = [];
    while (good.length < 190) good.push(...(await Promise.all(Array.from({ length: 10 }, () => session.tab()))));
    const { run, cursor } = (await session.post('turn', { message: 'Count' })).body;
    await good[0]?.sees(({ step }) => step !== null);

    const deaf = await deafClient();
    const [stalled, gone] = [await eventStream(cursor), await eventStream(cursor)];
    gone.destroy();
    const [garbage, vain] = [socket(), socket()];
    await Promise.all([once(garbage, 'open'), once(vain, 'open')]);
    const closed = once(garbage, 'close') as Promise<[CloseEvent]>;
    begun.open();
    for (let n = 0; n < 700; n += 1) garbage.send(`{"type":${n}`);
    for (let n = 0; n < 290; n += 1) vain.send(JSON.stringify({ type: 'presence', editing: n % 2 === 0 }));
    for (let n = 0; n < 40; n += 1) {
      const restless = socket();
      await once(restless, 'open');
      restless.close();
    }
    expect((await closed)[0].code).toBe(1013);
    flooded.open();

    const whole = lines.join('');
    await Promise.all(good.map((tab) => tab.sees(({ lastEnded }) => lastEnded?.run === run)));
    for (const tab of good) expect(heard(tab.events)).toEqual({ said: whole, gaps: 0 });
    expect((await session.snapshot()).lastEnded).toMatchObject({ reason: 'done' });

    expect(heard(await readToEnd(stalled))).toEqual({ said: whole, gaps: 0 });
    vain.close();
    deaf.destroy();
    await Promise.all(good.map((tab) => tab.close()));
  });
});

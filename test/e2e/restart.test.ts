import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Snapshot } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, type FakeOpenAI, startFakeOpenAI, text, words } from './fake-openai.ts';
import { LocalServer } from '../../scripts/lib/local-server.ts';
import { SessionAt } from './session-at.ts';

let model: FakeOpenAI;
let server: LocalServer;

beforeAll(async () => {
  model = await startFakeOpenAI();
  server = await LocalServer.start({ vars: { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'llama_cpp' } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

const sessionAt = (scope: string): SessionAt => new SessionAt(server.address, scope);
const isIdle = ({ status }: Snapshot): boolean => status === 'idle';

test('PAUSE-22 LOCK-16 a call that waits is allowed from another device after the runtime was killed, and runs once', async () => {
  const session = sessionAt('allowed');
  model.reply(call('c1', 'write_note', { text: 'milk' }), call('c2', 'ask_user', { question: 'Which?' }));
  const { pending } = await session.run('turn', { message: 'Note it' });
  const [note = '', ask = ''] = pending.map((item) => item.call.id);
  const allow = { id: 'allow', answers: { [note]: { approval: { allowed: true } } } };
  await session.post('answers', allow);

  await server.crash();

  const phone = await session.tab();
  expect(phone.screen).toMatchObject({
    status: 'awaiting_input',
    pending,
    staged: [{ callId: note, by: { participant: 'local' } }],
  });
  expect((await session.post('answers', allow)).body).toEqual({ run: null, staged: [note] });
  expect(await session.post('answers', { answers: { [note]: { approval: { allowed: false } } } })).toMatchObject({
    status: 409,
    body: { code: 'already_answered' },
  });
  model.reply(call('c3', 'read_notes'));
  model.reply(words('Noted.'));
  const rest = { id: 'rest', answers: { [ask]: { answer: 'this' } } };
  await phone.send('answers', rest);
  await phone.sees(isIdle);
  expect(await session.run('answers', rest)).toMatchObject({ reason: 'done', text: 'Noted.' });
  const notes = String(model.requests.at(-1)?.body.messages.at(-1)?.content);
  expect(notes.match(/milk/g)).toHaveLength(1);
});

test('SESS-05 the same command three times, once after the runtime was killed, is one run and one model call', async () => {
  const session = sessionAt('once');
  const first = model.requests.length;
  const turn = { id: 'turn', message: 'Hello' };
  model.reply(words('Hello there.'));
  const { body: started } = await session.post('turn', turn);
  const ended = await session.run('turn', turn);

  await server.crash();

  expect(await session.post('turn', turn)).toMatchObject({ status: 202, body: started });
  expect(await session.run('turn', turn)).toEqual(ended);
  expect(await session.post('turn', { ...turn, message: 'Bye' })).toMatchObject({ status: 409, body: { code: 'id_reused' } });
  const tab = await session.tab();
  expect(await tab.send('turn', turn)).toEqual({ type: 'ack', id: turn.id, result: started });
  expect(tab.screen).toMatchObject({ turn: 1, status: 'idle', lastEnded: ended });
  expect(model.requests.length - first).toBe(1);
});

test('CANC-09 CANC-13 a cancel that was accepted holds, however soon the runtime is killed: no model is called again', async () => {
  const session = sessionAt('cancelled');
  const first = model.requests.length;
  model.reply(text('Half'), new Gate());
  const tab = await session.tab();
  await tab.send('turn', { id: 'turn', message: 'Hello' });
  await tab.reads('Half');
  await session.post('cancel', { target: 'to-come' });
  await tab.send('cancel');

  await server.crash();

  const back = await session.tab();
  expect(back.screen).toMatchObject({ status: 'idle', lastEnded: { reason: 'cancelled', by: { participant: 'local' } } });
  expect(await session.run('turn', { id: 'to-come', message: 'And now?' })).toMatchObject({ reason: 'cancelled' });
  expect(model.requests.length - first).toBe(1);
});

test('STEER-10 what was queued when the runtime was killed in the middle of a reply is answered', async () => {
  const session = sessionAt('queued');
  model.reply(text('Half'), new Gate());
  const tab = await session.tab();
  await tab.send('turn', { message: 'Hello' });
  await tab.reads('Half');
  await tab.send('message', { message: 'And then?', delivery: 'queue' });
  await tab.send('message', { message: 'In French' });
  model.otherwise(words('Bonjour.'));

  await server.crash();

  expect(await tab.closed).toBe(1006);
  const back = await session.tab(tab.screen);
  expect(back.resumed).toBe(false);
  const screen = await back.sees((shown) => isIdle(shown) && shown.inbox.length === 0);
  const asked = screen.messages.filter(({ role, by }) => role === 'user' && by !== undefined);
  expect(asked.flatMap(({ content }) => content)).toEqual(
    ['Hello', 'In French', 'And then?'].map((said) => ({ type: 'text', text: said })),
  );
  expect(screen.messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'Bonjour.' }] });
});

test('RUN-04 RUN-15 a turn whose runtime was killed goes on: whole steps stay, the step in progress is asked again', async () => {
  const session = sessionAt('lost');
  const first = model.requests.length;
  const tab = await session.tab();
  model.reply(text('Once upon'), call('c1', 'clock'));
  model.reply(text('a time'), new Gate());
  await tab.send('turn', { id: 'turn', message: 'Tell me a story' });
  await tab.reads('a time');
  const before = tab.screen;
  model.reply(words('there was a harness.'));

  await server.crash();

  const back = await session.tab(tab.screen);
  expect(back.resumed).toBe(false);
  expect(back.screen.epoch).not.toBe(before.epoch);
  const screen = await back.sees(isIdle);
  expect(screen.lastEnded).toMatchObject({ run: before.run, turn: 1, reason: 'done', text: 'there was a harness.' });
  expect(screen.messages.slice(0, -1)).toEqual(before.messages);
  expect(model.requests.length - first).toBe(3);
  expect(model.requests.at(-1)?.body).toEqual(model.requests.at(-2)?.body);
});

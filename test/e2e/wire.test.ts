import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Part } from '../../src/core/index.ts';
import { applyEvent, type Large, type Snapshot } from '../../src/session/protocol/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, type FakeOpenAI, hangUp, type Piece, startFakeOpenAI, status, text, words } from './fake-openai.ts';
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

/** How many characters of text the parts hold. */
const lengthOf = (parts: readonly Part[] = []): number =>
  parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);

const sessionAt = (scope: string): SessionAt => new SessionAt(server.address, scope);

/** What a screen says: each message in a line. */
const said = ({ messages }: Snapshot): string[] =>
  messages.map(
    ({ role, content }) => `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}`,
  );

/** A screen without who else looks at it, which is no part of the sequence. */
const shown = (screen: Snapshot): Snapshot => ({ ...screen, presence: [] });

const isIdle = ({ status }: Snapshot): boolean => status === 'idle';
const waits = ({ status }: Snapshot): boolean => status === 'awaiting_input';

describe('two tabs', () => {
  test('SESS-05 LOCK-02 both show the same as a third that comes later, and a second turn is refused while one runs', async () => {
    const session = sessionAt('two-tabs');
    const [one, other] = await Promise.all([session.tab(), session.tab()]);
    const gate = new Gate();
    model.reply(text('Let me look. '), call('c1', 'clock'), gate);
    model.reply(words('It is late.'));
    await one.send('turn', { message: 'What time is it?' });
    await Promise.all([one.reads('Let me look.'), other.reads('Let me look.')]);
    expect(await other.send('turn', { message: 'And now?' })).toMatchObject({
      type: 'refused',
      code: 'session_locked',
      status: 409,
    });
    gate.open();
    await Promise.all([one.sees(isIdle), other.sees(isIdle)]);
    expect(one.events).toEqual(other.events);
    expect(shown(one.screen)).toEqual(shown(other.screen));
    expect(shown(one.screen)).toEqual(shown(await session.snapshot()));
    expect(said(one.screen)).toEqual([
      'user: What time is it?',
      'assistant: Let me look. tool_call',
      'user: tool_result',
      'assistant: It is late.',
    ]);
  });

  test('CANC-01 CANC-13 the other tab stops the turn: the provider is left at once, and what came is still shown', async () => {
    const session = sessionAt('stopped');
    const [laptop, phone] = await Promise.all([session.tab(), session.tab()]);
    const first = model.requests.length + 1;
    model.reply(text('Once upon a'), new Gate());
    await laptop.send('turn', { message: 'Tell me a story' });
    await phone.reads('Once upon a');
    phone.say('{"type":"presence","label":"phone"}');
    expect(await phone.send('cancel')).toMatchObject({ type: 'ack', result: null });
    const screen = await laptop.sees(isIdle);
    expect(screen.lastEnded).toMatchObject({ reason: 'cancelled', by: { participant: 'local', client: 'phone' } });
    expect(screen.partial?.message.content).toEqual([{ type: 'text', text: 'Once upon a' }]);
    expect(said(screen)).toEqual(['user: Tell me a story']);
    expect(await (await model.request(first)).closed).toBe('dropped');
  });

  test('INTR-01 INTR-05 INTR-17 a reply is interrupted in one tab, edited and gone on with in the other', async () => {
    const session = sessionAt('edited');
    const [one, other] = await Promise.all([session.tab(), session.tab()]);
    model.reply(text('The capital is Paris'), new Gate());
    await one.send('turn', { message: 'Capital of Italy?' });
    await one.reads('Paris');
    await one.send('interrupt');
    const { partial } = await other.sees(({ partial: cut }) => cut !== null);
    const edit = { role: 'assistant', content: 'The capital is Rome' };
    model.reply(words(', of course.'));
    expect(await other.send('resume', { message: edit, ifRev: (partial?.rev ?? 0) + 1 })).toMatchObject({ status: 412 });
    expect(await other.send('resume', { message: { ...edit, content: ' \n' } })).toMatchObject({ code: 'resume_needs_text' });
    await other.send('resume', { message: edit, ifRev: partial?.rev });
    const screen = await one.sees(({ lastEnded }) => lastEnded?.reason === 'done');
    expect(said(screen)).toEqual(['user: Capital of Italy?', 'assistant: The capital is Rome, of course.']);
    expect(screen).toMatchObject({ partial: null, left: [], step: null });
    expect(screen.messages[1]?.id).toBe(partial?.message.id);
    expect(model.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'The capital is Rome' });
  });

  test('STEER-06 STEER-08 STEER-10 what one tab adds to the turn the other can edit and drop before it lands', async () => {
    const session = sessionAt('inbox');
    const [one, other] = await Promise.all([session.tab(), session.tab()]);
    const gate = new Gate();
    model.reply(text('One.'), gate);
    model.reply(text('Un.'));
    model.reply(text('Bye.'));
    await one.send('turn', { message: 'Count' });
    await one.reads('One.');
    await one.send('message', { message: 'say bye', delivery: 'queue' });
    await one.send('message', { message: 'in Frensh' });
    await one.send('interject', { message: 'never mind' });
    const [, french, dropped] = (await other.sees(({ inbox }) => inbox.length === 3)).inbox;
    await other.send('inbox', { item: french?.id, op: 'edit', message: 'in French' });
    await other.send('inbox', { item: dropped?.id, op: 'drop' });
    gate.open();
    await one.sees(isIdle);
    expect(said(await other.sees(isIdle))).toEqual([
      'user: Count',
      'assistant: One.',
      'user: in French',
      'assistant: Un.',
      'user: say bye',
      'assistant: Bye.',
    ]);
    expect(other.screen.inbox).toEqual([]);
  });

  test('C-1 G-16 PAUSE-32 answers from two devices: the first to a call wins, and the turn goes on when none is missing', async () => {
    const session = sessionAt('answers');
    const [one, other] = await Promise.all([session.tab(), session.tab()]);
    model.reply(call('c1', 'write_note', { text: 'milk' }), call('c2', 'ask_user', { question: 'Which?', choices: ['a', 'b'] }));
    model.reply(words('Noted.'));
    await one.send('turn', { message: 'Note it' });
    const [note = '', ask = ''] = (await one.sees(waits)).pending.map((item) => item.call.id);
    await other.sees(waits);
    const allow = { [note]: { approval: { allowed: true } } };
    expect(await one.send('answers', { answers: allow })).toMatchObject({ result: { run: null, staged: [note] } });
    expect(await other.send('answers', { answers: { [note]: { approval: { allowed: false } } } })).toMatchObject({
      code: 'already_answered',
      decided: { callId: note, decisions: { approval: { allowed: true } } },
    });
    expect(await other.send('answers', { answers: { [ask]: { answer: 'c' } } })).toMatchObject({ code: 'answer_not_a_choice' });
    expect(await other.send('turn', { message: 'x' })).toMatchObject({ code: 'awaiting_input' });
    await other.send('answers', { answers: { [ask]: { answer: 'b' } } });
    await one.sees(isIdle);
    expect(model.requests.at(-1)?.body.messages.slice(-2)).toMatchObject([
      { role: 'tool', content: 'Saved.' },
      { role: 'tool', content: 'b' },
    ]);
  });

  test('G-3 G-16 a message that denies what waits is the next turn, and tells who denied', async () => {
    const session = sessionAt('denied');
    const [laptop, phone] = await Promise.all([session.tab(), session.tab()]);
    phone.say('{"type":"presence","label":"phone"}');
    model.reply(call('c1', 'write_note', { text: 'milk' }));
    model.reply(words('Then not.'));
    await laptop.send('turn', { message: 'Note it' });
    const [note = ''] = (await phone.sees(waits)).pending.map((item) => item.call.id);
    const message = { message: 'No, wait' };
    expect(await phone.send('message', message)).toMatchObject({ code: 'awaiting_input', options: ['queue', 'deny_pending'] });
    await phone.send('message', { ...message, delivery: 'deny_pending' });
    expect(said(await laptop.sees(isIdle)).slice(2)).toEqual(['user: tool_result', 'user: No, wait', 'assistant: Then not.']);
    expect(await laptop.send('answers', { answers: { [note]: { approval: { allowed: true } } } })).toMatchObject({
      code: 'already_answered',
      decided: { decisions: { approval: { allowed: false } }, by: { participant: 'local', client: 'phone' } },
    });
  });

  test('SESS-02 a session that one tab erases is unused again for the other, in a new epoch', async () => {
    const session = sessionAt('erased');
    const tab = await session.tab();
    model.reply(text('Half'), new Gate());
    await tab.send('turn', { id: 'first', message: 'Hello' });
    await tab.reads('Half');
    expect(await session.erase()).toBe(204);
    expect(await tab.closed).toBe(1001);
    const back = await session.tab(tab.screen);
    expect(back.resumed).toBe(false);
    expect(back.screen).toMatchObject({ seq: 0, status: 'idle', messages: [], lastEnded: null });
    expect(back.screen.epoch).not.toBe(tab.screen.epoch);
    model.reply(words('Hello again.'));
    await back.send('turn', { id: 'first', message: 'Hello' });
    expect(said(await back.sees(isIdle))).toEqual(['user: Hello', 'assistant: Hello again.']);
  });
});

describe('one run over every transport', () => {
  test('LOCK-05 the same command over HTTP, a socket, SSE, NDJSON and ?wait is one run and one model call', async () => {
    const session = sessionAt('transports');
    const first = model.requests.length;
    const turn = { id: 'only-once', message: 'Hello' };
    model.reply(words('Hello there.'));
    const { status: code, body: started } = await session.post('turn', turn);
    const ended = await session.run('turn', turn);
    const tab = await session.tab();
    expect(code).toBe(202);
    expect(ended).toMatchObject({ run: started.run, turn: 1, reason: 'done', finish: 'stop', text: 'Hello there.', error: null });
    expect(await tab.send('turn', turn)).toEqual({ type: 'ack', id: turn.id, result: started });
    const events = await session.events('turn', turn, 'text/event-stream');
    expect(await session.events('turn', turn, 'application/x-ndjson')).toEqual(events);
    expect(events.at(0)).toMatchObject({ type: 'turn_started', run: started.run });
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', reason: 'done', parent: null });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => Number(started.cursor.split('.')[1]) + 1 + n));
    expect(await session.post('turn', { ...turn, message: 'Bye' })).toMatchObject({ status: 409, body: { code: 'id_reused' } });
    expect(model.requests.length - first).toBe(1);
  });

  test('EVT-35 from whichever event a tab comes back, it gets those after it, each once, and shows the same', async () => {
    const session = sessionAt('every-cursor');
    const tab = await session.tab();
    const gate = new Gate();
    const start = tab.screen;
    model.reply(text('One'), gate, text(' two'), call('c1', 'clock'));
    model.reply(words('Three four.'));
    await tab.send('turn', { message: 'Count' });
    await tab.reads('One');
    const away = await tab.close();
    gate.open();
    const back = await session.tab(away);
    await back.sees(isIdle);
    expect(back.resumed).toBe(true);
    const events = [...tab.events, ...back.events];
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));

    const screens = events.map((_, n) => events.slice(0, n).reduce(applyEvent, start));
    for (const [n, screen] of screens.entries()) {
      const late = await session.tab(screen);
      await late.sees(({ seq }) => seq === events.length);
      expect(late.resumed).toBe(true);
      expect(late.events).toEqual(events.slice(n));
      expect(shown(late.screen)).toEqual(shown(await session.snapshot()));
      await late.close();
    }
  });

  test('C-9 a client that goes away stops nothing, and a stop without a turn does nothing, then or later', async () => {
    const session = sessionAt('gone');
    const gate = new Gate();
    model.reply(text('Still'), gate, text(' here.'));
    const tab = await session.tab();
    await tab.send('turn', { message: 'Hello' });
    await tab.reads('Still');
    await tab.close();
    gate.open();
    const back = await session.tab();
    expect(said(await back.sees(isIdle))).toEqual(['user: Hello', 'assistant: Still here.']);
    expect((await session.post('cancel')).status).toBe(204);
    model.reply(words('Fine.'));
    expect(await session.run('turn', { message: 'And now?' })).toMatchObject({ reason: 'done' });
  });

  test('CANC-09 a cancel that names a turn holds though it comes first: no model is called', async () => {
    const session = sessionAt('cancelled-first');
    const first = model.requests.length;
    expect((await session.post('cancel', { target: 'to-come' })).status).toBe(204);
    expect(await session.run('turn', { id: 'to-come', message: 'Hello' })).toMatchObject({ reason: 'cancelled', appended: [{}] });
    expect(model.requests.length).toBe(first);
  });
});

describe('a model server that fails', () => {
  const overflow = "This model's maximum context length is 4096 tokens, but the request has 5000.";
  test.each<readonly [string, string, readonly Piece[]]>([
    ['takes no more requests', 'rate_limited', [status(429, 'slow down', { 'retry-after': '0' })]],
    ['has too small a window', 'context_too_long', [status(400, overflow)]],
    ['refuses the request', 'model_error', [status(400, 'no such model sk-0123456789abcdef')]],
    ['hangs up before it answers', 'transport_error', [hangUp]],
  ])('FAIL-14 FAIL-10 one that %s ends the turn as %s, and a retry needs no new message', async (_, errorKind, pieces) => {
    const session = sessionAt(`fails-${errorKind}`);
    model.otherwise(pieces);
    const failed = await session.run('turn', { message: 'Hello' });
    expect(failed).toMatchObject({ reason: 'failed', errorKind, error: { class: errorKind }, finish: null });
    expect(JSON.stringify(failed)).not.toMatch(/sk-|127\.0\.0\.1|maximum context/);
    model.otherwise(words('Here I am.'));
    expect(await session.run('retry')).toMatchObject({ reason: 'done', text: 'Here I am.' });
    expect(said(await session.snapshot())).toEqual(['user: Hello', 'assistant: Here I am.']);
    expect(await session.post('retry')).toMatchObject({ status: 409, body: { code: 'nothing_to_retry' } });
  });

  test('C-2 FAIL-06 one that hangs up in the middle leaves what a person saw', async () => {
    const session = sessionAt('hangs-up');
    const gate = new Gate();
    model.reply(text('Half of'), gate, hangUp);
    const tab = await session.tab();
    await tab.send('turn', { message: 'Hello' });
    await tab.reads('Half of');
    gate.open();
    const screen = await tab.sees(isIdle);
    expect(screen.lastEnded).toMatchObject({ reason: 'failed', errorKind: 'transport_error' });
    expect(screen.partial?.message.content).toEqual([{ type: 'text', text: 'Half of' }]);
    expect(said(screen)).toEqual(['user: Hello']);
  });
});

describe('a socket', () => {
  test('refuses what it cannot read, each frame once, and stays open', async () => {
    const tab = await sessionAt('frames').tab();
    for (const frame of ['{', '[]', '{"type":"turn","message":"x"}', '{"type":"sing","id":"1"}', '{"type":"turn","id":"2"}'])
      tab.say(frame);
    const ids = (await tab.answered(5)).map((reply) => ({ ...reply, detail: '' }));
    expect(ids).toMatchObject(
      [null, null, null, '1', '2'].map((id) => ({ type: 'refused', id, code: 'bad_request', status: 400 })),
    );
    model.reply(words('Hello.'));
    expect(await tab.send('turn', { message: 'Hello' })).toMatchObject({ type: 'ack' });
    await tab.sees(isIdle);
  });

  test('G-19 opens in the middle of a long reply with all of it, and after it with a reference whose path gives the whole', async () => {
    const session = sessionAt('large');
    const piece = 'x'.repeat(100_000);
    const gate = new Gate();
    model.reply([...Array.from({ length: 15 }, () => text(piece)), gate]);
    const first = await session.tab();
    await first.send('turn', { message: 'Say something long' });
    const whole = 15 * piece.length;
    await first.sees((screen) => lengthOf(screen.step?.content) === whole);
    expect(lengthOf((await session.tab()).screen.step?.content)).toBe(whole);
    gate.open();
    await first.sees(isIdle);
    const last = (await session.tab()).screen.messages.at(-1);
    const part = last?.content[0];
    const reference = (part?.type === 'text' ? part.text : null) as unknown as Large;
    expect(reference).toMatchObject({ bytes: whole, preview: 'x'.repeat(1024) });
    expect(await (await fetch(server.address + reference.href)).text()).toHaveLength(whole);
    await session.erase();
    expect((await fetch(server.address + reference.href)).status).toBe(404);
  });

  test('closes with 1003 for binary and with 1009 for what is too large', async () => {
    const [binary, large] = await Promise.all([sessionAt('frames').tab(), sessionAt('frames').tab()]);
    binary.say(new Uint8Array([1]));
    large.say('x'.repeat(1024 * 1024 + 1));
    expect(await Promise.all([binary.closed, large.closed])).toEqual([1003, 1009]);
  });
});

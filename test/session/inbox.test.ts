import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { atRest, call, fakeChat, isEvent, type Piece, saidIn, type Started, status, TestSession, text } from './support.ts';

const chat = fakeChat();

afterEach(() => {
  vi.restoreAllMocks();
});

interface Queued {
  readonly inbox: string;
}

/** A session whose first reply waits at the gate and then goes on with these pieces. */
async function running(...pieces: readonly Piece[]): Promise<{ session: TestSession; gate: Gate; run: string }> {
  const session = new TestSession();
  const gate = new Gate();
  chat.reply(text('One. '), gate, ...pieces);
  const { run } = await session.accept<Started>('turn', { message: 'Go' });
  await gate.reached;
  return { session, gate, run };
}

/** Fits the state event that ends the run after this one. */
function nextRest(run: string): Parameters<TestSession['event']>[0] {
  return (event) => atRest(event) && event.type === 'state' && event.lastEnded?.run !== run;
}

const lastSaid = (request: number): string[] => saidIn(chat.requests[request - 1]?.body.messages ?? []).slice(1);

describe('interject', () => {
  it('STEER-02 STEER-03 a steer lands behind the results of the step, ahead of the next request', async () => {
    const { session, gate, run } = await running(call('a', 'clock'));
    const { inbox } = await session.accept<Queued>('interject', { message: 'In French, please' });
    expect((await session.snapshot()).inbox).toMatchObject([
      { id: inbox, delivery: 'steer', held: false, by: session.actor, message: { role: 'user' } },
    ]);
    chat.reply(text('Midi.'));
    gate.open();
    await session.ended(run);
    expect(lastSaid(2)).toEqual([
      'user: Go',
      'assistant: One. ',
      'tool: Skipped: the user sent a message',
      'user: In French, please',
    ]);
    const snapshot = await session.snapshot();
    expect(snapshot.inbox).toEqual([]);
    expect(
      snapshot.messages.find(({ by, content }) => by !== undefined && JSON.stringify(content).includes('French')),
    ).toMatchObject({
      run,
      by: session.actor,
    });
    expect((await session.history()).filter(isEvent('interjected'))).toHaveLength(1);
  });

  it('STEER-08 STEER-09 what is queued waits for the end of the turn, one step each, in order', async () => {
    const { session, gate, run } = await running();
    await session.accept('interject', { message: 'Then A', delivery: 'queue' });
    await session.accept('interject', { message: 'Then B', delivery: 'queue' });
    chat.reply(text('A.'));
    chat.reply(text('B.'));
    gate.open();
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'B.', queued: [] });
    expect(saidIn((await session.snapshot()).messages)).toEqual([
      'user: Go',
      'assistant: One. ',
      'user: Then A',
      'assistant: A.',
      'user: Then B',
      'assistant: B.',
    ]);
  });
});

describe('message', () => {
  it('C-6 is a turn when the session is idle, and a steer while a turn runs', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('Hi'));
    const { run } = await session.accept<Started>('message', { message: 'Hello' });
    await gate.reached;
    const { inbox } = await session.accept<Queued>('message', { message: 'Again' });
    expect((await session.snapshot()).inbox).toMatchObject([{ id: inbox, delivery: 'steer' }]);
    chat.reply(text('Hi, hi'));
    gate.open();
    expect(await session.ended(run)).toMatchObject({ text: 'Hi, hi' });
  });

  it('G-3 deny_pending denies the calls that wait, and is the next turn', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A' }));
    await session.turn('Note');
    chat.reply(text('Fine.'));
    await session.play('message', { message: 'Never mind', delivery: 'deny_pending' });
    expect(lastSaid(2)).toEqual(['user: Note', 'assistant: ', 'tool: Denied', 'user: Never mind']);
    const snapshot = await session.snapshot();
    expect(saidIn(snapshot.messages)).toEqual([
      'user: Note',
      'assistant: <write_note>',
      'user: [Denied]',
      'user: Never mind',
      'assistant: Fine.',
    ]);
    expect(snapshot).toMatchObject({ pending: [], status: 'idle' });
    await session.evict();
    expect((await session.snapshot()).messages).toEqual(snapshot.messages);
  });

  it('G-3 queue waits with the calls, and lands once they are answered', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A' }));
    const { pending } = await session.turn('Note');
    await session.accept('message', { message: 'And then?', delivery: 'queue' });
    await session.evict();
    expect((await session.snapshot()).inbox).toMatchObject([{ held: false, delivery: 'queue' }]);
    expect(chat.requests).toHaveLength(1);
    chat.reply(text('Noted.'));
    chat.reply(text('Nothing.'));
    const answers = { [String(pending[0]?.call.id)]: { approval: { allowed: true } } };
    expect(await session.play('answers', { answers })).toMatchObject({ reason: 'done', text: 'Nothing.' });
    expect((await session.snapshot()).inbox).toEqual([]);
  });

  it('G-3 what is queued lands by itself, too, when the calls are denied', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A' }));
    const { run } = await session.turn('Note');
    await session.accept('message', { message: 'And then?', delivery: 'queue' });
    chat.reply(text('Nothing.'));
    await session.accept('deny_all');
    await session.event(nextRest(run));
    expect(await session.snapshot()).toMatchObject({ inbox: [], lastEnded: { reason: 'done', text: 'Nothing.' } });
  });
});

describe('a steer and a pause', () => {
  it('G-13 a call that waits goes on waiting, and the steer lands with its answer', async () => {
    const session = new TestSession();
    const gate = new Gate();
    const { sleep } = systemClock;
    // The tool's own short wait is held at the gate; all other waits are as they are.
    vi.spyOn(systemClock, 'sleep').mockImplementation(async (ms, signal) => {
      if (ms > 0 && ms <= 50) await gate.wait();
      return sleep(ms, signal);
    });
    chat.reply(call('q', 'ask_user', { question: 'Which?' }), call('w', 'wait', { seconds: 0.05 }));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await gate.reached;
    await session.accept('interject', { message: 'Hurry' });
    gate.open();
    const ended = await session.ended(run);
    expect(ended).toMatchObject({ reason: 'awaiting_input', pending: [{ call: { name: 'ask_user' } }] });
    expect(saidIn(ended.queued)).toEqual(['user: Hurry']);
    expect((await session.snapshot()).inbox).toMatchObject([{ held: false, delivery: 'steer' }]);
    chat.reply(text('Red it is.'));
    const answers = { [String(ended.pending[0]?.call.id)]: { answer: 'red' } };
    expect(await session.play('answers', { answers })).toMatchObject({ reason: 'done', text: 'Red it is.' });
    expect(lastSaid(2)).toEqual(['user: Go', 'assistant: ', 'tool: red', expect.stringMatching(/^tool: Waited/), 'user: Hurry']);
    expect((await session.snapshot()).inbox).toEqual([]);
  });
});

describe('the inbox', () => {
  it('STEER-10 an item may be edited and dropped before it lands; the others keep their order', async () => {
    const { session, gate, run } = await running();
    const items: string[] = [];
    for (const message of ['A', 'B', 'C']) {
      items.push((await session.accept<Queued>('interject', { message, delivery: 'queue' })).inbox);
    }
    const [a, b, c] = items as [string, string, string];
    expect(await session.accept('inbox', { item: a, op: 'edit', message: 'A, better' })).toBe(null);
    await session.accept('inbox', { item: b, op: 'drop' });
    expect((await session.snapshot()).inbox.map(({ id }) => id)).toEqual([a, c]);
    chat.reply(text('a'));
    chat.reply(text('c'));
    gate.open();
    await session.ended(run);
    expect(saidIn((await session.snapshot()).messages).filter((line) => line.startsWith('user'))).toEqual([
      'user: Go',
      'user: A, better',
      'user: C',
    ]);
    expect(await session.refusal('inbox', { item: a, op: 'edit', message: 'Late' })).toBe('not_found');
    expect(await session.refusal('inbox', { item: b, op: 'send' })).toBe('not_found');
  });

  it('a queued item that is made a steer lands at the next boundary', async () => {
    const { session, gate, run } = await running(call('a', 'clock'));
    const { inbox } = await session.accept<Queued>('interject', { message: 'Now', delivery: 'queue' });
    await session.accept('inbox', { item: inbox, op: 'edit', delivery: 'steer' });
    chat.reply(text('ok'));
    gate.open();
    await session.ended(run);
    expect(lastSaid(2).at(-1)).toBe('user: Now');
  });

  const ends: readonly [string, (session: TestSession) => Promise<unknown>, readonly Piece[]][] = [
    ['stopped', async () => {}, [call('a', 'clock')]],
    ['cancelled', (session) => session.accept('cancel'), []],
    ['interrupted', (session) => session.accept('interrupt'), []],
    ['failed', async () => {}, [{ type: 'hang_up' }]],
  ];

  it.each(ends)(
    'STEER-10 STEER-11 after %s what waits is held, over turns and evictions, until it is sent',
    async (reason, end, pieces) => {
      const session = new TestSession();
      const gate = new Gate();
      chat.reply(text('One.'), gate, ...pieces);
      const { run } = await session.accept<Started>('turn', { message: 'Go', maxSteps: 1 });
      await gate.reached;
      await session.accept('interject', { message: 'A', delivery: 'queue' });
      const { inbox } = await session.accept<Queued>('interject', { message: 'B', delivery: 'queue' });
      await end(session);
      gate.open();
      const ended = await session.ended(run);
      expect(ended.reason).toBe(reason);
      expect(saidIn(ended.queued)).toEqual(['user: A', 'user: B']);
      await session.evict();
      chat.reply(text('Two.'));
      expect(await session.turn('Other')).toMatchObject({ reason: 'done', text: 'Two.' });
      expect((await session.snapshot()).inbox).toMatchObject([{ held: true }, { held: true, id: inbox }]);
      chat.reply(text('Three.'));
      const started = await session.accept<Started>('inbox', { item: inbox, op: 'send' });
      expect(await session.ended(started.run)).toMatchObject({ reason: 'done', text: 'Three.' });
      expect(lastSaid(chat.requests.length).at(-1)).toBe('user: B');
      expect(saidIn((await session.snapshot()).inbox.map(({ message }) => message))).toEqual(['user: A']);
    },
  );

  it('a held item that is sent while a turn runs lands in it', async () => {
    const { session, run, gate } = await running();
    const { inbox } = await session.accept<Queued>('interject', { message: 'A' });
    await session.accept('cancel');
    gate.open();
    await session.ended(run);
    const second = new Gate();
    chat.reply(second, text('Two.'));
    const next = await session.accept<Started>('turn', { message: 'Other' });
    await second.reached;
    expect(await session.accept('inbox', { item: inbox, op: 'send', message: 'A, now' })).toEqual({ inbox });
    chat.reply(text('Three.'));
    second.open();
    expect(await session.ended(next.run)).toMatchObject({ text: 'Three.' });
    expect(lastSaid(3).at(-1)).toBe('user: A, now');
    expect((await session.snapshot()).inbox).toEqual([]);
  });

  it('STEER-10 after a death what waits lands by itself, once the turn has answered what came before', async () => {
    const { session, run } = await running();
    await session.accept('interject', { message: 'A', delivery: 'queue' });
    await session.kill();
    chat.reply(text('One.'));
    chat.reply(text('Two.'));
    expect(await session.ended(run)).toMatchObject({ reason: 'done', text: 'Two.' });
    expect(await session.snapshot()).toMatchObject({ inbox: [] });
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: Go', 'assistant: One.', 'user: A', 'assistant: Two.']);
  });

  it('a refused edit changes nothing', async () => {
    const { session, gate, run } = await running();
    const { inbox } = await session.accept<Queued>('interject', { message: 'A', delivery: 'queue' });
    expect(await session.refusal('inbox', { item: inbox, op: 'edit', message: ' ' })).toBe('bad_request');
    chat.reply(status(400, '{}'));
    gate.open();
    expect(await session.ended(run)).toMatchObject({ reason: 'failed' });
    expect(saidIn((await session.snapshot()).messages)).toContain('user: A');
  });
});

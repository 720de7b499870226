import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, isEvent, type Piece, saidIn, type Started, status, TestSession, text } from './support.ts';

const chat = fakeChat();

const note = (id: string): ReturnType<typeof call> => call(id, 'write_note', { text: `Note ${id}` });
const allow = { approval: { allowed: true } };
const deny = (reason?: string): JsonObject => ({ approval: { allowed: false, ...(reason === undefined ? {} : { reason }) } });

/** A session that waits for the answers to these calls; gives their ids in the model's order. */
async function paused(...calls: readonly Piece[]): Promise<{ session: TestSession; ids: readonly string[] }> {
  const session = new TestSession();
  chat.reply(...calls);
  const ended = await session.turn('Go');
  return { session, ids: ended.pending.map((item) => item.call.id) };
}

/** The texts of the notes that the agent wrote. */
async function notes(session: TestSession): Promise<string[]> {
  return (await session.rows<{ text: string }>('SELECT text FROM notes ORDER BY id')).map((row) => row.text);
}

function resultsIn(request: number): string[] {
  const messages = chat.requests[request - 1]?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

describe('a call that waits', () => {
  it('PAUSE-19 APPR-03 ends the run, and is listed with what it needs', async () => {
    const { session, ids } = await paused(text('I note it.'), note('a'));
    const snapshot = await session.snapshot();
    expect(snapshot).toMatchObject({ status: 'awaiting_input', step: null, lastEnded: { reason: 'awaiting_input' } });
    expect(snapshot.pending).toEqual([
      {
        call: { type: 'tool_call', id: ids[0], name: 'write_note', input: { text: 'Note a' } },
        needs: [{ type: 'approval', id: 'approval', reason: expect.any(String) }],
        state: null,
      },
    ]);
    expect(await notes(session)).toEqual([]);
  });

  it('APPR-11 PAUSE-22 waits over evictions and deaths, and its answer runs it once', async () => {
    const { session, ids } = await paused(note('a'));
    const { pending } = await session.snapshot();
    await session.evict();
    expect((await session.snapshot()).pending).toEqual(pending);
    await session.kill();
    expect(await session.snapshot()).toMatchObject({ status: 'awaiting_input', pending });
    chat.reply(text('Noted.'));
    const ended = await session.play('answers', { answers: { [String(ids[0])]: allow } });
    expect(ended).toMatchObject({ reason: 'done', text: 'Noted.', turn: 2 });
    expect(await notes(session)).toEqual(['Note a']);
    expect(resultsIn(2)).toEqual(['Saved.']);
    expect(await session.snapshot()).toMatchObject({ status: 'idle', pending: [], staged: [] });
  });

  it('LOOP-13 LOOP-14 its siblings run before the pause, and its result joins theirs in the order of the calls', async () => {
    const { session, ids } = await paused(note('a'), call('b', 'clock'));
    const before = saidIn((await session.snapshot()).messages);
    expect(before).toEqual(['user: Go', 'assistant: <write_note><clock>', expect.stringMatching(/^user: \[[^\]]+\]$/)]);
    chat.reply(text('Done.'));
    await session.play('answers', { answers: [{ callId: String(ids[0]), decisions: allow }] });
    expect(saidIn((await session.snapshot()).messages)).toEqual([
      'user: Go',
      'assistant: <write_note><clock>',
      expect.stringMatching(/^user: \[Saved\.\]\[[^\]]+\]$/),
      'assistant: Done.',
    ]);
    expect(await session.count('messages')).toBe(4);
  });

  it('PAUSE-22 is stored with the event that tells of it: when it cannot be stored, nobody hears of it', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.turn('Hello');
    await session.rows("CREATE TRIGGER full BEFORE INSERT ON pending BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    chat.reply(note('a'));
    expect(await session.turn('Go')).toMatchObject({ reason: 'failed', error: { class: 'internal' }, pending: [] });
    expect((await session.history()).filter(isEvent('input_requested'))).toEqual([]);
    expect(await session.snapshot()).toMatchObject({ status: 'idle', pending: [], step: null });
  });
});

describe('answers', () => {
  it('PAUSE-13 APPR-09 a denied call does not run, and the model is told why', async () => {
    const { session, ids } = await paused(note('a'));
    chat.reply(text('Fine.'));
    await session.play('answers', { answers: { [String(ids[0])]: deny('not today') } });
    expect(await notes(session)).toEqual([]);
    expect(resultsIn(2)).toEqual(['Denied: not today']);
  });

  it('PAUSE-24 come as a list with decisions and values, or nested by call and need', async () => {
    const question = call('q', 'ask_user', { question: 'Which?', choices: ['red', 'blue'] });
    const list = await paused(question, note('a'));
    const [q, a] = list.ids as [string, string];
    chat.reply(text('Thanks.'));
    await list.session.play('answers', {
      answers: [
        { callId: a, decisions: allow },
        { callId: q, values: { answer: 'red' } },
      ],
    });
    const nested = await paused(question, note('a'));
    const [q2, a2] = nested.ids as [string, string];
    chat.reply(text('Thanks.'));
    await nested.session.play('answers', { answers: { [a2]: allow, [q2]: { answer: 'red' } } });
    expect([resultsIn(2), resultsIn(4)]).toEqual([
      ['red', 'Saved.'],
      ['red', 'Saved.'],
    ]);
  });

  it('PAUSE-08 PAUSE-14 a declined question is told to its tool', async () => {
    const { session, ids } = await paused(call('q', 'ask_user', { question: 'Your name?' }));
    chat.reply(text('Fine.'));
    await session.play('answers', { answers: { [String(ids[0])]: { answer: { allowed: false, reason: 'private' } } } });
    expect(resultsIn(2)).toEqual(['The user declined to answer: private']);
  });

  it('C-1 APPR-04 for some calls are staged, and the turn goes on once when the last is in', async () => {
    const { session, ids } = await paused(note('a'), note('b'), note('c'));
    const [a, b, c] = ids as [string, string, string];
    expect(await session.accept('answers', { answers: { [b]: allow } })).toEqual({ run: null, staged: [b] });
    await session.evict();
    expect(await session.accept('answers', { answers: { [a]: deny() } })).toEqual({ run: null, staged: [a] });
    const snapshot = await session.snapshot();
    expect(snapshot.staged.map(({ callId, by }) => [callId, by])).toEqual([
      [a, session.actor],
      [b, session.actor],
    ]);
    expect(snapshot).toMatchObject({ status: 'awaiting_input', turn: 1 });
    expect(await notes(session)).toEqual([]);
    chat.reply(text('Done.'));
    await session.play('answers', { answers: { [c]: allow } });
    expect(await notes(session)).toEqual(['Note b', 'Note c']);
    expect(resultsIn(2)).toEqual(['Denied', 'Saved.', 'Saved.']);
  });

  it('C-1 APPR-05 with now, what is not answered is denied', async () => {
    const { session, ids } = await paused(note('a'), call('q', 'ask_user', { question: 'Why?' }), note('c'));
    await session.accept('answers', { answers: { [String(ids[0])]: allow } });
    chat.reply(text('Done.'));
    await session.play('answers', { answers: [], now: true });
    expect(await notes(session)).toEqual(['Note a']);
    expect(resultsIn(2)).toEqual(['Saved.', 'The user declined to answer: not answered', 'Denied: not answered']);
  });

  it('G-16 the first answer to a call wins: the other device is told what was decided, by whom and when', async () => {
    const { session, ids } = await paused(note('a'), note('b'));
    const [a, b] = ids as [string, string];
    const phone = { ...session.actor, client: 'phone' };
    await session.accept('answers', { answers: { [a]: deny('no') } }, phone);
    const decided = {
      callId: a,
      decisions: { approval: { allowed: false, reason: 'no' } },
      values: {},
      by: phone,
      at: expect.any(Number),
    };
    const later = { answers: { [a]: allow } };
    expect(await session.refuse('answers', later)).toMatchObject({ code: 'already_answered', decided });
    const gate = new Gate();
    chat.reply(gate, text('Done.'));
    const { run } = await session.accept<Started>('answers', { answers: { [b]: allow } });
    expect(await session.refuse('answers', later)).toMatchObject({ code: 'already_answered', decided });
    gate.open();
    await session.ended(run);
    expect(await session.refuse('answers', later)).toMatchObject({ code: 'already_answered', decided });
    expect(resultsIn(2)).toEqual(['Denied: no', 'Saved.']);
  });

  it('PAUSE-10 G-16 with one answer that is wrong or late, none of them is taken', async () => {
    const { session, ids } = await paused(note('a'), note('b'));
    const [a, b] = ids as [string, string];
    expect(await session.refusal('answers', { answers: { [a]: allow, nobody: allow } })).toBe('answer_invalid');
    expect(await session.refusal('answers', { answers: { [a]: allow, [b]: { other: { allowed: true } } } })).toBe(
      'answer_invalid',
    );
    expect((await session.snapshot()).staged).toEqual([]);
    await session.accept('answers', { answers: { [a]: allow } });
    expect(await session.refusal('answers', { answers: { [a]: allow, [b]: allow } })).toBe('already_answered');
    expect((await session.snapshot()).staged.map(({ callId }) => callId)).toEqual([a]);
  });

  const wrong: readonly [string, (id: string) => JsonObject, string][] = [
    ['a value for an approval', (id) => ({ [id]: { approval: 'yes' } }), 'answer_invalid'],
    [
      'a decision with a reason that is no text',
      (id) => ({ [id]: { approval: { allowed: true, reason: 7 } } }),
      'answer_invalid',
    ],
    [
      'a decision that says more than one can',
      (id) => ({ [id]: { approval: { allowed: true, always: true } } }),
      'answer_invalid',
    ],
    ['no need at all', (id) => ({ [id]: {} }), 'answer_invalid'],
    ['leave for the whole session', (id) => ({ [id]: { approval: { allowed: true, scope: 'session' } } }), 'unsupported_option'],
    ['a changed input', (id) => ({ [id]: { approval: { allowed: true, input: {} } } }), 'unsupported_option'],
  ];

  it.each(wrong)('PAUSE-07 %s is no answer to an approval', async (_, answers, code) => {
    const { session, ids } = await paused(note('a'));
    expect(await session.refusal('answers', { answers: answers(String(ids[0])) })).toBe(code);
    expect(await session.snapshot()).toMatchObject({ status: 'awaiting_input', staged: [] });
  });

  it('PAUSE-10 two answers to one call in a list are refused, whatever they say', async () => {
    const { session, ids } = await paused(note('a'));
    const answers = [
      { callId: String(ids[0]), decisions: deny() },
      { callId: String(ids[0]), decisions: allow },
    ];
    expect(await session.refusal('answers', { answers })).toBe('answer_invalid');
    expect(await notes(session)).toEqual([]);
  });

  it('PAUSE-09 a value that is none of the choices is refused', async () => {
    const { session, ids } = await paused(call('q', 'ask_user', { question: 'Which?', choices: ['red', 'blue'] }));
    expect(await session.refusal('answers', { answers: { [String(ids[0])]: { answer: 'green' } } })).toBe('answer_not_a_choice');
  });

  it('APPR-08 an answer that was lost can only prevent the call', async () => {
    const { session, ids } = await paused(note('a'), note('b'));
    const [a, b] = ids as [string, string];
    await session.accept('answers', { answers: { [a]: allow } });
    await session.rows('DELETE FROM answers');
    expect(await session.accept('answers', { answers: { [b]: allow } })).toEqual({ run: null, staged: [b] });
    chat.reply(text('Done.'));
    await session.play('answers', { answers: [], now: true });
    expect(await notes(session)).toEqual(['Note b']);
  });

  it('PAUSE-32 under another id, once they were used, do not run the call again', async () => {
    const { session, ids } = await paused(note('a'));
    chat.reply(text('Done.'));
    const answers = { answers: { [String(ids[0])]: allow } };
    await session.play('answers', { ...answers, id: 'first' });
    expect(await session.refusal('answers', { ...answers, id: 'second' })).toBe('already_answered');
    expect(await notes(session)).toEqual(['Note a']);
  });

  it('APPR-12 add no message of the user, and every step of the resume is told', async () => {
    const { session, ids } = await paused(note('a'));
    chat.reply(text('Done.'));
    const { run, cursor } = await session.accept<Started>('answers', { answers: { [String(ids[0])]: allow } });
    const events = await session.events(isEvent('turn_ended'), cursor);
    expect(events.filter(({ type }) => type !== 'state' && type !== 'text_delta').map(({ type }) => type)).toEqual([
      'turn_started',
      'step_started',
      'tool_decided',
      'tool_started',
      'tool_ended',
      'step_ended',
      'step_started',
      'message_started',
      'message_ended',
      'step_ended',
      'turn_ended',
    ]);
    expect((await session.ended(run)).appended.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(saidIn(chat.requests[1]?.body.messages ?? []).at(-1)).toBe('tool: Saved.');
  });

  it('G-11 FAIL-11 a failed resume after its results were stored does not ask again, and a retry does not run the call twice', async () => {
    const { session, ids } = await paused(note('a'));
    chat.reply(status(400, '{"error":{"message":"No"}}'));
    const ended = await session.play('answers', { answers: { [String(ids[0])]: allow } });
    expect(ended).toMatchObject({ reason: 'failed', pending: [] });
    expect(await session.snapshot()).toMatchObject({ status: 'idle', pending: [], staged: [] });
    chat.reply(text('Done.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Done.' });
    expect(await notes(session)).toEqual(['Note a']);
    expect(resultsIn(3)).toEqual(['Saved.']);
  });
});

describe('a resume that ends before its results are stored', () => {
  /** Lets the notes fail to be stored, so that the resume breaks off within its step 0. */
  async function broken(session: TestSession): Promise<() => Promise<unknown>> {
    await session.rows("CREATE TRIGGER full BEFORE UPDATE ON messages BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    return () => session.rows('DROP TRIGGER full');
  }

  it('FAIL-11 leaves its calls pending, and their answers may be sent again', async () => {
    const { session, ids } = await paused(note('a'), call('b', 'clock'));
    const answers = { answers: { [String(ids[0])]: allow } };
    const mend = await broken(session);
    expect(await session.play('answers', { ...answers, id: 'first' })).toMatchObject({
      reason: 'failed',
      error: { class: 'internal' },
      pending: [{ call: { id: ids[0] } }],
    });
    expect(await session.snapshot()).toMatchObject({ status: 'awaiting_input', staged: [], pending: [{ call: { id: ids[0] } }] });
    await mend();
    chat.reply(text('Done.'));
    expect(await session.play('answers', { ...answers, id: 'second' })).toMatchObject({ reason: 'done' });
  });

  it('FAIL-10 a retry uses the answers that were given', async () => {
    const { session, ids } = await paused(note('a'), call('b', 'clock'));
    const mend = await broken(session);
    await session.play('answers', { answers: { [String(ids[0])]: deny('no') } });
    await mend();
    chat.reply(text('Done.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done' });
    expect(resultsIn(2)[0]).toBe('Denied: no');
  });

  it('G-11 a call that had run keeps its outcome: it does not run twice', async () => {
    const { session, ids } = await paused(note('a'), call('b', 'clock'));
    const answers = { answers: { [String(ids[0])]: allow } };
    const mend = await broken(session);
    await session.play('answers', answers);
    expect(await notes(session)).toEqual(['Note a']);
    await mend();
    chat.reply(text('Done.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done' });
    expect(await notes(session)).toEqual(['Note a']);
    expect(resultsIn(2)[0]).toBe('Saved.');
  });
});

describe('pending/deny-all', () => {
  it('CANC-15 denies every call and ends the step, without asking the model', async () => {
    const { session, ids } = await paused(note('a'), call('b', 'clock'), note('c'));
    await session.accept('answers', { answers: { [String(ids[0])]: allow } });
    expect(await session.accept('deny_all', { reason: 'stop it' })).toBe(null);
    expect(await session.snapshot()).toMatchObject({ status: 'idle', pending: [], staged: [] });
    expect(saidIn((await session.snapshot()).messages).at(-1)).toMatch(
      /^user: \[Denied: stop it\]\[[^\]]+\]\[Denied: stop it\]$/,
    );
    expect(await notes(session)).toEqual([]);
    expect(chat.requests).toHaveLength(1);
    await session.evict();
    expect(await session.snapshot()).toMatchObject({ status: 'idle', pending: [], staged: [] });
    chat.reply(text('Fine.'));
    await session.turn('And now?');
    expect(resultsIn(2)).toEqual(['Denied: stop it', expect.any(String), 'Denied: stop it']);
  });

  it('G-16 is an answer to each call: a later one is told so', async () => {
    const { session, ids } = await paused(note('a'));
    await session.accept('deny_all');
    expect(await session.refuse('answers', { answers: { [String(ids[0])]: allow } })).toMatchObject({
      code: 'already_answered',
      decided: { decisions: { approval: { allowed: false, reason: null } }, by: session.actor },
    });
  });
});

describe('with what a turn was started', () => {
  it('G-1 SESS-11 a resume offers the tools that the paused turn was narrowed to, and no others', async () => {
    const session = new TestSession();
    chat.reply(note('a'));
    const { pending } = await session.play('turn', { message: 'Go', tools: ['write_note'] });
    chat.reply(text('Done.'));
    await session.play('answers', { answers: { [String(pending[0]?.call.id)]: allow } });
    expect(chat.requests[1]?.body.tools?.map((tool) => tool.function.name)).toEqual(['write_note']);
  });

  it('G-1 a pause is answered under the mode and model that it was asked in, whatever was chosen meanwhile', async () => {
    const session = new TestSession();
    chat.reply(note('a'));
    const { pending } = await session.play('turn', { message: 'Go' });
    const model = 'openai/scripted';
    await session.accept('patch', { model });
    chat.reply(text('Done.'));
    await session.play('answers', { answers: { [String(pending[0]?.call.id)]: allow } });
    chat.reply(text('Hello.'));
    await session.play('turn', { message: 'And now?' });
    const rows = await session.rows<{ choice: string }>('SELECT choice FROM runs ORDER BY turn');
    expect(rows.map((row) => (JSON.parse(row.choice) as { model: string | null }).model)).toEqual([null, null, model]);
  });
});

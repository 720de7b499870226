import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, type Refusal, type Started, TestSession, text } from './support.ts';

const chat = fakeChat();

const id = 'once';

describe('a receipt', () => {
  it('the same id again answers as the first time and starts nothing, over evictions, deaths and transports', async () => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    const first = await session.accept<Started>('turn', { id, message: 'Hello' });
    expect(await session.accept('turn', { message: 'Hello', id })).toEqual(first);
    await session.ended(first.run);
    expect(await session.accept('turn', { id, message: 'Hello' })).toEqual(first);
    await session.evict();
    expect(await session.accept('turn', { id, message: 'Hello' })).toEqual(first);
    await session.kill();
    const socket = await session.socket();
    expect(await socket.command('turn', { id, message: 'Hello' })).toEqual({ type: 'ack', id, result: first });
    expect(chat.requests).toHaveLength(1);
    expect((await session.snapshot()).turn).toBe(1);
  });

  it('holds over a death in the middle of the turn: it is the same run', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate);
    const first = await session.accept<Started>('turn', { id, message: 'Hello' });
    await gate.reached;
    await session.kill();
    expect(await session.accept('turn', { id, message: 'Hello' })).toEqual(first);
    expect((await session.snapshot()).turn).toBe(1);
  });

  it.each<[string, JsonObject]>([
    ['turn', { message: 'Other' }],
    ['turn', { message: 'Hello', maxSteps: 3 }],
    ['message', { message: 'Hello' }],
    ['turn', { message: 7 }],
  ])('is of one body: %s with %j under its id is refused, before its body is looked at', async (type, body) => {
    const session = new TestSession();
    chat.reply(text('Hi'));
    await session.play('turn', { id, message: 'Hello' });
    expect(await session.refusal(type as 'turn', { ...body, id })).toBe('id_reused');
  });

  it('is kept for every kind of answer', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A' }), call('b', 'write_note', { text: 'B' }));
    const { pending } = await session.turn('Note');
    const callId = pending[0]?.call.id ?? '';
    const commands = [
      ['answers', { id: 'staged', answers: { [callId]: { approval: { allowed: true } } } }],
      ['message', { id: 'inbox', message: 'Later', delivery: 'queue' }],
      ['patch', { id: 'summary', title: 'Notes' }],
      ['cancel', { id: 'nothing' }],
    ] as const;
    for (const [type, body] of commands) {
      const first = await session.accept(type, body);
      expect(await session.accept(type, body)).toEqual(first);
    }
    await session.evict();
    expect(await session.accept('answers', commands[0][1])).toEqual({ run: null, staged: [callId] });
    expect((await session.snapshot()).inbox).toHaveLength(1);
  });

  it('is not left by a refusal: the same id is free for the next try', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('One'));
    chat.reply(text('Two'));
    const first = await session.accept<Started>('turn', { message: 'First' });
    expect(await session.refusal('turn', { id, message: 'Second' })).toBe('session_locked');
    gate.open();
    await session.ended(first.run);
    expect(await session.play('turn', { id, message: 'Second' })).toMatchObject({ text: 'Two' });
  });
});

const words = { type: 'text', text: 'Look' };
const png = { type: 'image', mediaType: 'image/png' };
const good = { ...png, data: 'iVBORw0KGgo=' };

/** Codes and the parts that are refused with them, before anything begins (ATT-07). */
const attachments: readonly (readonly [string, ...Json[]])[] = [
  ['attachment_by_reference', words, { ...png, url: '', data: 'iVBORw0KGgo=' }],
  ['attachment_by_reference', words, { ...png, path: '/etc/passwd' }],
  ['attachment_by_reference', words, good, { type: 'audio', mediaType: 'audio/wav', file_path: 'a.wav' }],
  ['attachment_not_media', words, 'iVBORw0KGgo='],
  ['attachment_not_media', words, { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
  ['attachment_not_media', words, { ...good, type: 'audio' }],
  ['attachment_not_media', words, { ...good, type: 'document' }],
  ['attachment_empty', words, png],
  ['attachment_empty', words, { ...png, data: '' }],
  ['attachment_empty', words, { ...png, data: ' \n' }],
  ['attachment_empty', words, { ...png, providerFile: ' ' }],
  ['attachment_empty', words, { type: 'document', mediaType: 'text/plain', chunks: [] }],
  ['attachment_empty', words, { type: 'document', mediaType: 'text/plain', chunks: ['', ' '] }],
  ['attachment_empty', words, good, { ...png, data: '===' }],
  ['attachment_without_prompt', good],
  ['attachment_without_prompt', { ...words, text: '' }, good],
  ['unmappable_content', words, { ...png, blob: '0'.repeat(64) }],
  ['bad_request', words, { ...png, data: 'data:image/png;base64,iVBORw0KGgo=' }],
  ['bad_request', words, { ...png, data: 'iVBOR' }],
  ['bad_request', words, { ...good, mediaType: 'image' }],
  ['bad_request', words, { type: 'image', data: 'iVBORw0KGgo=' }],
  ['bad_request', words, { ...good, blob: '0'.repeat(64) }],
  ['bad_request', words, { ...png, chunks: ['a'] }],
  ['bad_request', { type: 'text' }, good],
];

describe('a refusal', () => {
  const commands: readonly [string, JsonObject, string][] = [
    ['turn', {}, 'bad_request'],
    ['turn', { message: ' \n' }, 'bad_request'],
    ['turn', { message: { role: 'assistant', content: 'I said' } }, 'bad_request'],
    ['turn', { message: { content: [{ type: 'tool_result', callId: 'a', content: [], error: false }] } }, 'bad_request'],
    ['turn', { message: 'Hello', surprise: true }, 'bad_request'],
    ['turn', { message: 'Hello', id: 'x'.repeat(129) }, 'bad_request'],
    ['turn', { message: 'Hello', id: 'line\nbreak' }, 'bad_request'],
    ['turn', { message: 'Hello', maxSteps: 0 }, 'bad_request'],
    ['turn', { message: 'Hello', schema: {} }, 'unsupported_option'],
    [
      'turn',
      { message: { content: [{ type: 'image', mediaType: 'image/png', url: 'https://x.example/a.png' }] } },
      'attachment_by_reference',
    ],
    ...attachments.map(([code, ...parts]): [string, JsonObject, string] => ['turn', { message: { content: parts } }, code]),
    ['answers', { answers: [] }, 'bad_request'],
    ['answers', { answers: [], now: true }, 'nothing_pending'],
    ['answers', { answers: { a: { approval: { allowed: true } } } }, 'nothing_pending'],
    ['resume', { message: { content: 'Text' } }, 'resume_not_valid'],
    ['resume', { message: { role: 'user', content: 'Text' } }, 'bad_request'],
    ['retry', {}, 'nothing_to_retry'],
    ['interject', { message: 'Hello' }, 'no_running_turn'],
    ['partial', { op: 'keep' }, 'nothing_partial'],
    ['partial', { op: 'burn' }, 'bad_request'],
    ['deny_all', {}, 'nothing_pending'],
    ['inbox', { item: 'nobody', op: 'drop' }, 'not_found'],
    ['patch', { mode: 'nowhere' }, 'mode_not_configured'],
    ['patch', { model: 'nothing' }, 'unsupported_option'],
    ['patch', { title: ' ' }, 'bad_request'],
  ];

  it.each(commands)('of %s %j is %s, and the session stays unused: no row, no table', async (type, body, code) => {
    const session = new TestSession();
    expect(await session.refusal(type as 'turn', body)).toBe(code);
    expect(await session.rows("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")).toEqual([]);
    expect(await session.snapshot()).toMatchObject({ seq: 0, turn: 0, status: 'idle' });
    const socket = await session.socket();
    const frame = await socket.command(type, typeof body.id === 'string' ? { ...body, id } : body);
    if (typeof body.id !== 'string') expect(frame).toMatchObject({ type: 'refused', code, detail: expect.stringMatching(/\.$/) });
  });

  it.each(['cancel', 'interrupt'] as const)('of nothing: %s where nothing is leaves the session unused too', async (type) => {
    const session = new TestSession();
    expect(await session.accept(type, { id: 'stop' })).toBe(null);
    expect(await session.rows("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")).toEqual([]);
    await session.accept(type, { target: 'a turn to come' });
    expect(await session.count('stops')).toBe(1);
  });

  it('of a body says which field is wrong', async () => {
    const refusal = await new TestSession().refuse('turn', { message: 'Hello', maxSteps: 'many' });
    expect(refusal).toMatchObject({ code: 'bad_request', issues: [{ path: 'maxSteps', message: expect.any(String) }] });
  });

  const whileRunning: readonly [string, JsonObject, string][] = [
    ['turn', { message: '' }, 'bad_request'],
    ['turn', { message: 'Hello', schema: {} }, 'session_locked'],
    ['turn', { message: { content: [{ type: 'image', mediaType: 'image/png', url: 'x' }] } }, 'session_locked'],
    ['answers', { answers: [] }, 'bad_request'],
    ['answers', { answers: [], now: true }, 'session_locked'],
    ['resume', { message: { content: '' }, ifRev: 9 }, 'session_locked'],
    ['retry', {}, 'session_locked'],
    ['partial', { op: 'keep' }, 'session_locked'],
    ['deny_all', {}, 'session_locked'],
    ['new', {}, 'session_locked'],
  ];

  it('LOCK-02 comes in the order body, session_locked, the rest while a turn runs', async () => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('Hi'));
    const { run } = await session.accept<Started>('turn', { message: 'Hello' });
    for (const [type, body, code] of whileRunning)
      expect([type, body, await session.refusal(type as 'turn', body)]).toEqual([type, body, code]);
    gate.open();
    await session.ended(run);
  });

  const whilePaused: readonly [string, JsonObject, string][] = [
    ['turn', { message: '' }, 'bad_request'],
    ['turn', { message: 'Hello', schema: {} }, 'awaiting_input'],
    ['turn', { message: 'Hello' }, 'awaiting_input'],
    ['message', { message: 'Hello' }, 'awaiting_input'],
    ['message', { message: 'Hello', delivery: 'steer' }, 'awaiting_input'],
    ['resume', { message: { content: '' }, ifRev: 9 }, 'resume_not_valid'],
    ['retry', {}, 'awaiting_input'],
    ['new', {}, 'awaiting_input'],
    ['interject', { message: 'Hello' }, 'no_running_turn'],
  ];

  it('APPR-10 RUN-10 comes as awaiting_input, or resume_not_valid, while calls wait', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', { text: 'A' }));
    await session.turn('Note');
    for (const [type, body, code] of whilePaused)
      expect([type, body, await session.refusal(type as 'turn', body)]).toEqual([type, body, code]);
    const choice: Refusal = await session.refuse('message', { message: 'Hello' });
    expect(choice).toMatchObject({ options: ['queue', 'deny_pending'] });
  });
});

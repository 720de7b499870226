import { describe, expect, it } from 'vitest';
import { call, fakeChat, isEvent, type Piece, reasoning, saidIn, TestSession, text } from './support.ts';

const chat = fakeChat();

/** One conversation with calls, a question and reasoning; `between` runs after each turn. Gives the bytes of its requests. */
async function conversation(
  between: (session: TestSession) => Promise<unknown>,
): Promise<{ session: TestSession; texts: string[] }> {
  const session = new TestSession();
  const before = chat.requests.length;
  chat.reply(reasoning('Which time? '), text('Let me see.'), call('c1', 'clock'), call('c2', 'read_notes'));
  chat.reply(text('It is noon.'));
  await session.turn('What time is it?');
  await between(session);
  chat.reply(call('c3', 'write_note', { text: 'noon' }), call('c4', 'ask_user', { question: 'Sure?' }));
  const { pending } = await session.turn('Note it');
  await between(session);
  const [a, q] = pending.map((item) => item.call.id) as [string, string];
  chat.reply(text('Noted.'));
  await session.play('answers', { answers: { [a]: { approval: { allowed: true } }, [q]: { answer: '{"sure": true}' } } });
  await between(session);
  chat.reply(text('Bye.'));
  await session.turn('Bye');
  return { session, texts: chat.requests.slice(before).map((request) => request.text) };
}

describe('a thread', () => {
  it('THR-05 THR-21 holds each message once, after ten turns too', async () => {
    const session = new TestSession();
    for (let turn = 1; turn <= 10; turn += 1) {
      chat.reply(text(`Answer ${turn}`));
      await session.turn(`Question ${turn}`);
      if (turn % 3 === 0) await session.evict();
    }
    const said = Array.from({ length: 10 }, (_, n) => [`user: Question ${n + 1}`, `assistant: Answer ${n + 1}`]).flat();
    expect(await session.count('messages')).toBe(20);
    expect(saidIn((await session.snapshot()).messages)).toEqual(said);
    expect(saidIn(chat.requests[9]?.body.messages ?? []).slice(1)).toEqual(said.slice(0, -1));
  });

  it('THR-06 carries with each message the run that wrote it', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'clock'));
    chat.reply(text('Noon.'));
    const first = await session.turn('Time?');
    chat.reply(text('Hi'));
    const second = await session.turn('Hello');
    const rows = await session.rows<{ run: string }>('SELECT run FROM messages ORDER BY position');
    const runs = [first, first, first, first, second, second].map(({ run }) => run);
    expect(rows.map(({ run }) => run)).toEqual(runs);
    expect((await session.snapshot()).messages.map(({ run }) => run)).toEqual(runs);
  });

  it('LOOP-02 THR-14 has the results of a step as one message right behind its calls, in their order', async () => {
    const { session } = await conversation(async () => {});
    const { messages } = await session.snapshot();
    for (const [index, message] of messages.entries()) {
      const calls = message.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      if (calls.length === 0) continue;
      const results = messages[index + 1]?.content.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []));
      expect(results).toEqual(calls);
    }
    expect(saidIn(messages).map((line) => line.replace(/\[\d{4}-[^\]]*\]/, '[time]'))).toEqual([
      'user: What time is it?',
      'assistant: Which time? Let me see.<clock><read_notes>',
      expect.stringMatching(/^user: \[.+\]\[There are no notes yet\.\]$/),
      'assistant: It is noon.',
      'user: Note it',
      'assistant: <write_note><ask_user>',
      'user: [Saved.][{"sure": true}]',
      'assistant: Noted.',
      'user: Bye',
      'assistant: Bye.',
    ]);
  });

  it('THR-01 THR-17 C-22 each request begins with the bytes of the one before it', async () => {
    const { texts } = await conversation(async () => {});
    expect(texts).toHaveLength(5);
    for (const [index, later] of texts.slice(1).entries()) {
      const earlier = texts[index] ?? '';
      expect(earlier.endsWith(']}')).toBe(true);
      expect(later.startsWith(earlier.slice(0, -2))).toBe(true);
    }
  });

  it('SESS-05 THR-01 PAUSE-23 a conversation that left memory after each turn is asked with the same bytes', async () => {
    const timeless = (texts: readonly string[]): string[] =>
      texts.map((body) => body.replaceAll(/\d{4}-\d\d-\d\d[^"\\]*/g, 'TIME'));
    const kept = await conversation(async () => {});
    const woken = await conversation((session) => session.evict());
    expect(timeless(woken.texts)).toEqual(timeless(kept.texts));
    expect(saidIn((await woken.session.snapshot()).messages).length).toBe(10);
  });

  it('THR-18 the system text is sent first with each request, and stored nowhere', async () => {
    const { session } = await conversation(async () => {});
    const bodies = chat.requests.map((request) => request.body);
    const system = bodies[0]?.messages[0];
    expect(system).toMatchObject({ role: 'system', content: expect.stringMatching(/assistant/) });
    expect(bodies.every(({ messages }) => messages.filter(({ role }) => role === 'system').length === 1)).toBe(true);
    const words = String(system?.content).slice(0, 60);
    for (const table of ['messages', 'events', 'runs', 'partials']) {
      const rows = await session.rows(`SELECT * FROM ${table}`);
      expect(JSON.stringify(rows)).not.toContain(words);
    }
  });

  const hostile: readonly [string, string][] = [
    ['a key named __proto__', '{"text":"A","__proto__":{"polluted":true}}'],
    ['a key named constructor', '{"text":"A","constructor":{"prototype":{"polluted":true}}}'],
    ['nested ones', '{"text":"A","more":{"__proto__":{"polluted":true},"toString":1}}'],
  ];

  it.each(hostile)('THR-15 %s stays an ordinary key, and goes back as it came', async (_, args) => {
    const session = new TestSession();
    chat.reply(call('a', 'write_note', args));
    chat.reply(text('Sorry.'));
    await session.turn('Go');
    await session.evict();
    chat.reply(text('Hi'));
    await session.turn('Hello');
    const sent = chat.requests.slice(1).map(({ body }) => body.messages.find((message) => message.tool_calls !== undefined));
    expect(sent.map((message) => message?.tool_calls?.[0]?.function.arguments)).toEqual([args, args]);
    expect(Reflect.get({}, 'polluted')).toBe(undefined);
  });

  it.each(['{"a": 1}', '[1]', 'null', '"quoted"', '12'])('THR-15 the text %s stays a text', async (json) => {
    const session = new TestSession();
    chat.reply(text(json), call('q', 'ask_user', { question: json }));
    const { pending } = await session.turn(json);
    await session.evict();
    chat.reply(text(json));
    await session.play('answers', { answers: [{ callId: String(pending[0]?.call.id), values: { answer: json } }] });
    await session.evict();
    chat.reply(text('Bye'));
    await session.turn('Bye');
    const contents = chat.requests[2]?.body.messages.slice(1).map(({ content }) => content);
    expect(contents).toEqual([json, json, json, json, 'Bye']);
    expect((await session.snapshot()).messages[0]?.content).toEqual([{ type: 'text', text: json }]);
  });

  it('G-18 calls of the same provider id in two turns stay two calls', async () => {
    const session = new TestSession();
    const same: Piece = call('call_1', 'clock');
    chat.reply(same);
    chat.reply(text('One.'));
    await session.turn('First');
    chat.reply(same);
    chat.reply(text('Two.'));
    await session.turn('Second');
    const { messages } = await session.snapshot();
    const ids = messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])));
    expect(new Set(ids).size).toBe(2);
    const sent = chat.requests[3]?.body.messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []) ?? [];
    expect(new Set(sent).size).toBe(2);
    expect(chat.requests[3]?.body.messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(sent);
  });

  it('STRM-02 is the same whether the turn was followed over a socket or not', async () => {
    const alone = new TestSession();
    const followed = new TestSession();
    const socket = await followed.socket();
    const ends: unknown[] = [];
    for (const session of [alone, followed]) {
      chat.reply(text('Hm. '), call('a', 'read_notes'));
      chat.reply(text('Nothing.'));
      const { run: _, appended, ...ended } = await session.turn('What did I note?');
      ends.push([ended, saidIn(appended), saidIn((await session.snapshot()).messages)]);
    }
    await socket.frame(({ type }) => type === 'turn_ended');
    expect(ends[1]).toEqual(ends[0]);
    expect((await alone.history()).filter(isEvent('message_ended'))).toHaveLength(2);
  });
});

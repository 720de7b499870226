import { describe, expect, it } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, hangUp, isEvent, reasoning, saidIn, type Started, status, TestSession, text } from './support.ts';

const chat = fakeChat();

/** A session whose reply was interrupted after `said`. */
async function interrupted(said = 'Once upon'): Promise<{ session: TestSession; run: string; partial: string }> {
  const session = new TestSession();
  chat.reply(text(said), new Gate());
  const { run } = await session.accept<Started>('turn', { message: 'Tell' });
  await session.event(isEvent('text_delta'));
  await session.accept('interrupt', {});
  const ended = await session.ended(run);
  return { session, run, partial: ended.partial?.id ?? '' };
}

describe('resume', () => {
  it('INTR-05 INTR-06 goes on from the edit: the whole becomes the message, and the partial is gone', async () => {
    const { session, partial } = await interrupted();
    chat.reply(text(' a frog.'));
    const { run, cursor } = await session.accept<Started>('resume', { message: { content: 'Twice upon' }, ifRev: 1 });
    expect(await session.ended(run)).toMatchObject({ reason: 'done', turn: 2, text: 'Twice upon a frog.' });
    const events = await session.events(isEvent('turn_ended', { run }), cursor);
    expect(events.find(isEvent('message_resumed'))).toMatchObject({ id: partial });
    expect(events.some(isEvent('message_started'))).toBe(false);
    expect(saidIn(chat.requests[1]?.body.messages ?? []).slice(1)).toEqual(['user: Tell', 'assistant: Twice upon']);
    const snapshot = await session.snapshot();
    expect(saidIn(snapshot.messages)).toEqual(['user: Tell', 'assistant: Twice upon a frog.']);
    expect(snapshot).toMatchObject({ partial: null, left: [], step: null });
  });

  it('INTR-05 survives an eviction between the interrupt and the edit', async () => {
    const { session, run } = await interrupted();
    await session.evict();
    expect((await session.snapshot()).partial).toMatchObject({
      run,
      rev: 1,
      by: session.actor,
      message: { content: [{ type: 'text', text: 'Once upon' }] },
    });
    chat.reply(text(' a time.'));
    expect(await session.play('resume', { message: { content: 'Once upon' } })).toMatchObject({ text: 'Once upon a time.' });
  });

  it('INTR-09 needs no stored partial, only a user message at the end', async () => {
    const session = new TestSession();
    chat.reply(status(400, '{}'));
    await session.turn('Tell');
    expect((await session.snapshot()).partial).toBe(null);
    chat.reply(text(' a time.'));
    expect(await session.play('resume', { message: { content: 'Once upon' } })).toMatchObject({ text: 'Once upon a time.' });
    expect(await session.refusal('resume', { message: { content: 'More' } })).toBe('resume_not_valid');
  });

  it('INTR-05 a second interrupt leaves the edit and what came after it, one revision on', async () => {
    const { session, partial } = await interrupted();
    const gate = new Gate();
    chat.reply(text(' a frog'), gate);
    const { run } = await session.accept<Started>('resume', { message: { content: 'Twice upon' } });
    await session.event(isEvent('text_delta', { run }));
    await session.accept('interrupt', {});
    await session.ended(run);
    expect((await session.snapshot()).partial).toMatchObject({
      run,
      rev: 2,
      message: { id: partial, content: [{ type: 'text', text: 'Twice upon a frog' }] },
    });
  });

  it('is refused in this order: revision, added calls, no visible text, a model that cannot', async () => {
    const { session } = await interrupted();
    const added = [{ type: 'tool_call', id: 'x', name: 'clock', input: {} }];
    expect(await session.refusal('resume', { message: { content: added }, ifRev: 7 })).toBe('precondition_failed');
    expect(await session.refusal('resume', { message: { content: added } })).toBe('unmappable_content');
    expect(await session.refusal('resume', { message: { content: [{ type: 'reasoning', text: 'Hm' }] } })).toBe(
      'resume_needs_text',
    );
    expect(await session.refusal('resume', { message: { content: [{ type: 'image', text: 'Hm' }] } })).toBe('unmappable_content');
    expect((await session.snapshot()).partial).toMatchObject({ rev: 1 });
    expect(chat.requests).toHaveLength(1);
  });

  it('of a revision is refused where there is no partial any more', async () => {
    const { session } = await interrupted();
    await session.accept('partial', { op: 'drop' });
    expect(await session.refusal('resume', { message: { content: 'Once' }, ifRev: 1 })).toBe('precondition_failed');
  });

  it('INTR-19 G-10 a call that the edit keeps has the result it had, and one that it leaves out is gone', async () => {
    const session = new TestSession();
    chat.reply(text('Now: '), call('a', 'clock'), call('b', 'wait', { seconds: 60 }));
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    const settled = await session.event(isEvent('tool_ended'));
    await session.accept('interrupt', {});
    const { partial } = await session.ended(run);
    expect(saidIn(partial === null ? [] : [partial])).toEqual(['assistant: Now: <clock><wait>']);
    const kept = partial?.content.filter((part) => part.type !== 'tool_call' || part.name === 'clock') ?? [];
    await session.evict();
    chat.reply();
    chat.reply(text('It is noon.'));
    await session.play('resume', { message: { content: JSON.parse(JSON.stringify(kept)) } });
    const { messages } = await session.snapshot();
    expect(saidIn(messages)).toEqual([
      'user: Go',
      'assistant: Now: <clock>',
      expect.stringMatching(/^user: \[[^\]]+\]$/),
      'assistant: It is noon.',
    ]);
    const [result] = messages[2]?.content ?? [];
    expect(result).toMatchObject({
      type: 'tool_result',
      content: settled.type === 'tool_ended' && 'content' in settled.outcome && settled.outcome.content,
    });
    expect((await session.history()).filter(isEvent('tool_started'))).toHaveLength(2);
  });

  it('INTR-21 a model that turns out not to continue fails the run with the fallback; the edit is kept', async () => {
    const { session } = await interrupted();
    chat.reply(status(400, '{"error":{"message":"Assistant response prefill is incompatible with enable_thinking."}}'));
    const ended = await session.play('resume', { message: { content: 'Twice upon' } });
    expect(ended).toMatchObject({ reason: 'failed', error: { class: 'unsupported_option' }, fallback: 'append_and_ask' });
    const snapshot = await session.snapshot();
    expect(saidIn(snapshot.messages)).toEqual(['user: Tell']);
    expect(snapshot.partial).toMatchObject({ rev: 2, message: { content: [{ type: 'text', text: 'Twice upon' }] } });
    await session.accept('partial', { op: 'keep', ifRev: 2 });
    chat.reply(text('Then what?'));
    await session.turn('Go on');
    expect(saidIn(chat.requests[2]?.body.messages ?? []).slice(1)).toEqual([
      'user: Tell',
      'assistant: Twice upon',
      'user: Go on',
    ]);
  });
});

describe('resume with a model that is known not to continue', () => {
  const known = fakeChat({ HARNESS_HOST: 'openai' });

  it('INTR-21 is refused with the fallback before anything is asked or stored', async () => {
    const session = new TestSession();
    known.reply(text('Once upon'), hangUp);
    await session.turn('Tell');
    const before = await session.snapshot();
    expect(await session.refuse('resume', { message: { content: 'Twice upon' } })).toMatchObject({
      code: 'unsupported_option',
      fallback: 'append_and_ask',
    });
    expect(await session.refusal('resume', { message: { content: '' } })).toBe('resume_needs_text');
    expect(await session.snapshot()).toEqual(before);
    expect(known.requests).toHaveLength(1);
  });
});

describe('retry', () => {
  it('FAIL-10 C-20 after a failed message asks it again, without a second copy of it', async () => {
    const session = new TestSession();
    chat.reply(status(400, '{}'));
    await session.turn('Tell');
    chat.reply(text('Once.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', turn: 2 });
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: Tell', 'assistant: Once.']);
    expect(await session.count('messages')).toBe(2);
    expect(chat.requests[1]?.text).toBe(chat.requests[0]?.text);
  });

  it('FAIL-10 keeps the steps that were complete: their calls do not run again', async () => {
    const session = new TestSession();
    chat.reply(call('a', 'clock'));
    chat.reply(text('It is'), hangUp);
    await session.turn('What time?');
    await session.evict();
    chat.reply(text('It is noon.'));
    const ended = await session.play('retry');
    expect(ended).toMatchObject({ reason: 'done' });
    expect(chat.requests[2]?.text).toBe(chat.requests[1]?.text);
    expect((await session.history()).filter(isEvent('tool_started'))).toHaveLength(1);
    expect(saidIn((await session.snapshot()).messages)).toEqual([
      'user: What time?',
      'assistant: <clock>',
      expect.any(String),
      'assistant: It is noon.',
    ]);
    expect((await session.snapshot()).left).toMatchObject([{ message: { content: [{ text: 'It is' }] } }]);
  });

  it('INTR-05 FAIL-10 after a failed edit goes on from the edit again', async () => {
    const { session } = await interrupted();
    chat.reply(status(500, '{}'));
    await session.play('resume', { message: { content: 'Twice upon' } });
    chat.reply(text(' a frog.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Twice upon a frog.' });
    expect(chat.requests[2]?.text).toBe(chat.requests[1]?.text);
  });

  it('FAIL-10 after an edit whose first step was complete goes on from its results', async () => {
    const { session } = await interrupted();
    chat.reply(text(' noon? '), call('a', 'clock'));
    chat.reply(status(500, '{}'));
    await session.play('resume', { message: { content: 'Is it' } });
    chat.reply(text('Yes.'));
    await session.play('retry');
    expect(saidIn((await session.snapshot()).messages)).toEqual([
      'user: Tell',
      'assistant: Is it noon? <clock>',
      expect.stringMatching(/^user: \[.+\]$/),
      'assistant: Yes.',
    ]);
    expect(chat.requests[3]?.text).toBe(chat.requests[2]?.text);
  });

  it('FAIL-10 after a death in a later step of an edit goes on from the results of the steps that were stored', async () => {
    const { session } = await interrupted();
    const gate = new Gate();
    chat.reply(text(' noon? '), call('a', 'clock'));
    chat.reply(gate);
    await session.accept('resume', { message: { content: 'Is it' } });
    await gate.reached;
    await session.kill();
    await session.snapshot();
    chat.reply(text('Yes.'));
    expect(await session.play('retry')).toMatchObject({ reason: 'done', text: 'Yes.' });
    expect(chat.requests[3]?.text).toBe(chat.requests[2]?.text);
    expect(saidIn((await session.snapshot()).messages)).toEqual([
      'user: Tell',
      'assistant: Is it noon? <clock>',
      expect.stringMatching(/^user: \[.+\]$/),
      'assistant: Yes.',
    ]);
  });

  it('of a turn that was narrowed is narrowed too', async () => {
    const session = new TestSession();
    chat.reply(status(400, '{}'));
    await session.play('turn', { message: 'Go', tools: ['clock'], maxSteps: 1 });
    chat.reply(call('a', 'clock'));
    expect(await session.play('retry')).toMatchObject({ reason: 'stopped' });
    expect(chat.requests[1]?.body.tools?.map((tool) => tool.function.name)).toEqual(['clock']);
  });

  it.each(['done', 'interrupted', 'cancelled'])('after %s there is nothing to retry', async (reason) => {
    const session = new TestSession();
    const gate = new Gate();
    chat.reply(gate, text('Hi'));
    const { run } = await session.accept<Started>('turn', { message: 'Hello' });
    if (reason === 'done') gate.open();
    else await session.accept(reason === 'interrupted' ? 'interrupt' : 'cancel', {});
    expect(await session.ended(run)).toMatchObject({ reason });
    expect(await session.refusal('retry')).toBe('nothing_to_retry');
  });

  it('C-20 another message may come instead: it stands behind the one that failed', async () => {
    const session = new TestSession();
    chat.reply(status(400, '{}'));
    await session.turn('Tell');
    chat.reply(text('Well.'));
    await session.turn('Sing');
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: Tell', 'user: Sing', 'assistant: Well.']);
    expect(await session.refusal('retry')).toBe('nothing_to_retry');
  });
});

describe('partial', () => {
  it('C-2 keeps the reply as it is, without its calls, as a finished message', async () => {
    const session = new TestSession();
    chat.reply(reasoning('Hm. '), text('Now: '), call('a', 'clock'), new Gate());
    const { run } = await session.accept<Started>('turn', { message: 'Go' });
    await session.event(isEvent('text_delta'));
    await session.accept('interrupt', {});
    await session.ended(run);
    expect(await session.accept('partial', { op: 'keep', ifRev: 1 })).toBe(null);
    const snapshot = await session.snapshot();
    expect(saidIn(snapshot.messages)).toEqual(['user: Go', 'assistant: Hm. Now: ']);
    expect(snapshot.messages[1]).toMatchObject({ run, role: 'assistant' });
    expect(snapshot.partial).toBe(null);
    await session.evict();
    expect((await session.snapshot()).messages).toEqual(snapshot.messages);
  });

  it('C-2 keeps it as edited', async () => {
    const { session } = await interrupted();
    await session.accept('partial', { op: 'keep', message: { content: 'Twice' } });
    expect(saidIn((await session.snapshot()).messages)).toEqual(['user: Tell', 'assistant: Twice']);
    chat.reply(text('Well.'));
    await session.turn('More');
    expect(saidIn(chat.requests[1]?.body.messages ?? []).slice(1)).toEqual(['user: Tell', 'assistant: Twice', 'user: More']);
  });

  it('drops it', async () => {
    const { session } = await interrupted();
    await session.accept('partial', { op: 'drop', ifRev: 1 });
    expect(await session.snapshot()).toMatchObject({ partial: null, left: [] });
    expect(await session.refusal('partial', { op: 'drop' })).toBe('nothing_partial');
    await session.evict();
    expect((await session.snapshot()).partial).toBe(null);
  });

  it('is refused for another revision, and for an edit without text', async () => {
    const { session } = await interrupted();
    expect(await session.refusal('partial', { op: 'keep', ifRev: 2 })).toBe('precondition_failed');
    expect(await session.refusal('partial', { op: 'drop', ifRev: 0 })).toBe('precondition_failed');
    expect(await session.refusal('partial', { op: 'keep', message: { content: '' } })).toBe('resume_needs_text');
    expect((await session.snapshot()).partial).toMatchObject({ rev: 1 });
  });

  it('C-2 a turn that does not go on from it leaves it behind: still shown, no longer offered, never sent', async () => {
    const { session, run } = await interrupted();
    chat.reply(text('Well.'));
    await session.turn('Sing');
    const snapshot = await session.snapshot();
    expect(snapshot).toMatchObject({ partial: null, left: [{ run, message: { content: [{ text: 'Once upon' }] } }] });
    expect(chat.requests[1]?.text).not.toContain('Once upon');
    await session.evict();
    expect((await session.snapshot()).left).toEqual(snapshot.left);
  });
});

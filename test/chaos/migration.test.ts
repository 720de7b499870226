import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import first from '../../migrations/session/0001.sql';
import { migrate } from '../../src/session/migrations.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { call, fakeChat, saidIn, TestSession, text } from '../session/support.ts';
import running from './release-1/running.sql';
import waiting from './release-1/waiting.sql';
import { expectWhole, storedEvents } from '../session/whole.ts';

const chat = fakeChat();

/** A session whose rows the release before wrote; the next touch is by the present one. `rows` are those of the scope `scope`. */
async function from(rows: string, scope: string): Promise<TestSession> {
  const session = new TestSession({ scope });
  await runInDurableObject(session.stub, (_, { storage }) => {
    migrate(storage, [first]);
    storage.sql.exec('DELETE FROM migrations');
    storage.sql.exec(rows);
  });
  await session.kill();
  return session;
}

describe('a session of the release before', () => {
  it('RUN-15 THR-09 that died in mid-turn goes on with it: no call runs again, what was queued is answered', async () => {
    const session = await from(running, 'running');
    chat.reply(text('It was noon.'));
    chat.reply(text('No sugar.'));
    const { run, epoch } = await session.snapshot();
    expect(run).not.toBe(null);
    expect(epoch).toBe(1796049713623);
    expect(await session.ended(run ?? '')).toMatchObject({ turn: 4, reason: 'done', text: 'No sugar.' });
    const { messages, left, inbox } = await session.snapshot();
    expect(saidIn(messages).slice(-8)).toEqual([
      'user: Note the milk',
      'assistant: <write_note><ask_user>',
      'user: [Saved.][oat]',
      'assistant: Noted. <clock>',
      expect.stringMatching(/^user: \[Monday, /),
      'assistant: It was noon.',
      'user: And sugar?',
      'assistant: No sugar.',
    ]);
    expect(saidIn(left.map(({ message }) => message))).toEqual(['assistant: Once upon', 'assistant: It was at']);
    // What its first turns cost nobody knows any more.
    expect((await session.snapshot()).usage.session.cost).toBe(null);
    expect([inbox, await session.count('notes')]).toEqual([[], 1]);
    expect((await storedEvents(session)).filter(({ type }) => type === 'tool_started')).toHaveLength(5);
    await expectWhole(session);
  });

  it('PAUSE-23 THR-09 that waits for answers takes them, and what was staged still counts', async () => {
    const session = await from(waiting, 'waiting');
    const { pending, staged, status } = await session.snapshot();
    expect([status, pending.length, staged.length]).toEqual(['awaiting_input', 2, 1]);
    const question = pending.find(({ call }) => call.name === 'ask_user');
    chat.reply(call('r', 'read_notes'));
    chat.reply(text('Noted.'));
    const body: JsonObject = { answers: { [question?.call.id ?? '']: { answer: 'oat' } } };
    expect(await session.play('answers', body)).toMatchObject({ reason: 'done', text: 'Noted.' });
    expect(await session.count('notes')).toBe(1);
    await expectWhole(session);
  });
});

import { expect, test } from 'vitest';
import { allow, type Answer, deny, type JsonObject, question } from '../../src/core/index.ts';
import { TestCall } from '../../src/testing/index.ts';
import { askUserTool } from '../../src/tools/index.ts';

const tool = askUserTool();

/** Asks, and makes the call again with this answer to what was asked. */
async function askAndAnswer(input: JsonObject, answer: Partial<Omit<Answer, 'callId'>>) {
  const call = new TestCall();
  await tool.call(input, call);
  call.answer({ decisions: {}, values: {}, ...answer });
  return tool.call(input, call);
}

test('PAUSE-01 PAUSE-12 ask_user pauses with its question, and with a state so that it hears of any answer', async () => {
  const call = new TestCall();
  await tool.call({ question: 'Which colour?', choices: ['red', 'blue'] }, call);
  expect(call.pending()?.needs).toEqual([question('answer', 'Which colour?', ['red', 'blue'])]);
  expect(call.pending()?.state).not.toBeNull();
});

test('PAUSE-20 without choices the question takes any text', async () => {
  const call = new TestCall();
  await tool.call({ question: 'Your name?' }, call);
  expect(call.pending()?.needs).toMatchObject([{ choices: null }]);
});

test('PAUSE-11 the answer becomes the result', async () => {
  expect(await askAndAnswer({ question: 'Your name?' }, { values: { answer: 'Ada' } })).toMatchObject({
    content: [{ text: 'Ada' }],
    value: 'Ada',
    error: false,
  });
});

test('PAUSE-08 PAUSE-14 the model is told that the user declined, and why', async () => {
  const input = { question: 'Your name?' };
  expect(await askAndAnswer(input, { decisions: { answer: deny('private') } })).toMatchObject({
    content: [{ text: 'The user declined to answer: private' }],
    error: true,
  });
  expect(await askAndAnswer(input, { decisions: { answer: deny() } })).toMatchObject({
    content: [{ text: 'The user declined to answer.' }],
    error: true,
  });
});

test('PAUSE-11 an approval that a middleware asked for first is not taken for the answer', async () => {
  const call = new TestCall({ answer: { decisions: { approval: allow } } });
  await tool.call({ question: 'Your name?' }, call);
  expect(call.pending()?.needs).toMatchObject([{ type: 'question' }]);
});

test('TOOL-28 ask_user refuses an empty question, a single choice and choices that are the same', async () => {
  for (const input of [{ question: ' ' }, { question: 'Q', choices: ['a'] }, { question: 'Q', choices: ['a', 'a'] }]) {
    expect(await tool.check(input), JSON.stringify(input)).toHaveLength(1);
  }
  expect(await tool.check({ question: 'Q', choices: ['a', 'b'] })).toEqual([]);
});

test('TOOL-29 asking changes nothing, so it needs no approval of its own', () => {
  expect(tool.spec.hints.readOnly).toBe(true);
});

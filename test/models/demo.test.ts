import { describe, expect, test } from 'vitest';
import {
  type Clock,
  type Delta,
  defaultOptions,
  errorResult,
  type Message,
  ModelError,
  type Prompt,
  type PromptFields,
  type Result,
  textResult,
  type ToolSpec,
  UnsupportedOptionError,
  userText,
} from '../../src/core/index.ts';
import { DemoModel, demoRequests } from '../../src/models/demo/index.ts';
import { FakeClock, TestPrompt } from '../../src/testing/index.ts';

const names = ['clock', 'wait', 'ask_user', 'write_note', 'read_notes'];
const tools = names.map((name): ToolSpec => ({ name, description: name, input: { type: 'object' }, hints: {} }));
const greeted: readonly Message[] = [userText('u1', 'hello'), said('a1', 'Hello.')];

function said(id: string, text: string): Message {
  return { id, role: 'assistant', content: [{ type: 'text', text }] };
}

function promptOf(fields: Partial<PromptFields>): Prompt {
  return new TestPrompt({ tools, ...fields });
}

/** The prompt of a conversation that has begun, whose newest message is this text. */
function asked(text: string, fields: Partial<PromptFields> = {}): Prompt {
  return promptOf({ messages: [...greeted, userText('u2', text)], ...fields });
}

const instant: Clock = { now: () => 0, sleep: async () => {} };

/** All deltas of a reply, at no pace. */
async function replyTo(prompt: Prompt): Promise<readonly Delta[]> {
  const deltas: Delta[] = [];
  for await (const delta of new DemoModel({ clock: instant }).stream(prompt)) deltas.push(delta);
  return deltas;
}

function textIn(deltas: readonly Delta[], type: 'text' | 'reasoning' = 'text'): string {
  return deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');
}

function callsIn(deltas: readonly Delta[]): readonly { name: string; input: unknown }[] {
  const calls: { name: string; args: string }[] = [];
  for (const delta of deltas) {
    if (delta.type !== 'tool_call') continue;
    if (delta.name !== undefined) calls.push({ name: delta.name, args: '' });
    const open = calls[delta.index ?? -1];
    if (open !== undefined) open.args += delta.args ?? '';
  }
  return calls.map(({ name, args }) => ({ name, input: JSON.parse(args) }));
}

async function speech(prompt: Prompt): Promise<string> {
  return textIn(await replyTo(prompt));
}

describe('what it says of itself', () => {
  test('the first reply says that no language model is connected, how to connect one, and which requests it follows', async () => {
    const text = await speech(promptOf({ messages: [userText('u1', 'hello')] }));
    expect(text).toContain('No language model is connected');
    expect(text).toContain('HARNESS_OPENAI_URL');
    expect(text).toContain('HARNESS_MODEL');
    for (const request of demoRequests) expect(text).toContain(`\`${request.say}\``);
  });

  test('a conversation that begins with a request is told so too, and gets what it asked', async () => {
    const deltas = await replyTo(promptOf({ messages: [userText('u1', 'What time is it?')] }));
    expect(textIn(deltas)).toMatch(/^No language model is connected.*HARNESS_OPENAI_URL.*HARNESS_MODEL/);
    expect(callsIn(deltas)).toEqual([{ name: 'clock', input: {} }]);
    expect(await speech(asked('What time is it?'))).toBe('I look at the clock.');
  });

  test('free text gets a short honest reply, and help the list again', async () => {
    expect(await speech(asked('I wonder whether it rains'))).toMatch(/only the demo model.*help/);
    expect(await speech(asked('help'))).toContain('- `say something long`');
  });
});

describe('the table of requests', () => {
  test.each(demoRequests.map((request) => [request.say, request] as const))(
    '%s is understood by its own entry',
    async (line, request) => {
      expect(demoRequests.find(({ pattern }) => pattern.test(line))).toBe(request);
      expect(demoRequests.find(({ pattern }) => pattern.test(`Please ${line}`))).toBe(request);
    },
  );

  test.each(demoRequests.filter((request) => request.tools !== undefined))(
    '$say is neither listed nor called where a tool is missing',
    async (request) => {
      const [missing] = request.tools ?? [];
      const fewer = tools.filter((spec) => spec.name !== missing);
      const reply = await replyTo(asked(request.say, { tools: fewer }));
      expect(callsIn(reply)).toEqual([]);
      expect(textIn(reply)).toContain(`\`${missing}\` is not offered`);
      expect(await speech(asked('help', { tools: fewer }))).not.toContain(`\`${request.say}\``);
    },
  );

  test('the tools it calls are given what the request names', async () => {
    expect(callsIn(await replyTo(asked('wait 2.5 seconds')))).toEqual([{ name: 'wait', input: { seconds: 2.5 } }]);
    expect(callsIn(await replyTo(asked('wait')))).toEqual([{ name: 'wait', input: { seconds: 5 } }]);
    expect(callsIn(await replyTo(asked('Write a note: buy milk')))).toEqual([
      { name: 'write_note', input: { text: 'buy milk' } },
    ]);
    expect(callsIn(await replyTo(asked('two calls at once')))).toMatchObject([{ name: 'clock' }, { name: 'wait' }]);
    expect(callsIn(await replyTo(asked('ask me')))).toMatchObject([{ name: 'ask_user', input: { choices: expect.any(Array) } }]);
    expect(callsIn(await replyTo(asked('ask me anything')))[0]?.input).not.toHaveProperty('choices');
  });

  test('thinking comes as reasoning before the text', async () => {
    const deltas = await replyTo(asked('think first'));
    expect(textIn(deltas, 'reasoning')).not.toBe('');
    expect(deltas.findIndex((delta) => delta.type === 'text')).toBeGreaterThan(
      deltas.findLastIndex((delta) => delta.type === 'reasoning'),
    );
  });

  test.each([
    ['be cut off', 'length'],
    ['refuse', 'refusal'],
    ['what time is it?', 'tool_calls'],
    ['show me markdown', 'stop'],
  ])('FIN-02 FIN-03 the reply to %s ends with the finish %s', async (line, finish) => {
    expect((await replyTo(asked(line))).at(-1)).toEqual({ type: 'finish', finish });
  });

  test.each([
    ['fail', 'model_error', null],
    ['hit a rate limit', 'rate_limited', 1000],
    ['break off', 'transport_error', null],
  ])('FAIL-13 %s fails with %s, again and again', async (line, kind, retryAfter) => {
    for (const _ of [1, 2]) {
      const failure: unknown = await replyTo(asked(line)).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ModelError);
      expect(failure).toMatchObject({ kind, retryAfter });
    }
  });
});

describe('a conversation that goes on', () => {
  const call = (id: string, name: string) => ({ type: 'tool_call', id, name, input: {} }) as const;
  const results = (...outcomes: readonly [string, Result][]): Message => ({
    id: 'a2_results',
    role: 'user',
    content: outcomes.map(([callId, { content, error }]) => ({ type: 'tool_result', callId, content, error })),
  });
  const called: readonly Message[] = [
    ...greeted,
    userText('u2', 'two calls at once'),
    { id: 'a2', role: 'assistant', content: [call('c1', 'clock'), call('c2', 'wait')] },
  ];

  test('LOOP-02 results are reported in plain words, each by its call', async () => {
    const outcomes = results(['c1', textResult('Monday')], ['c2', errorResult('Cancelled')]);
    const text = await speech(promptOf({ messages: [...called, outcomes] }));
    expect(text).toBe('The clock says: Monday.\n\nThe call of `wait` gave no result: Cancelled');
  });

  test('STEER-06 a message that steers in behind the results is what is answered', async () => {
    const outcomes = results(['c1', textResult('Monday')], ['c2', textResult('Waited.')]);
    expect(await speech(promptOf({ messages: [...called, outcomes, userText('u3', 'refuse')] }))).toBe('I will not do that.');
  });

  const resumed = (line: string, edit: string): Prompt =>
    promptOf({ messages: [...greeted, userText('u2', line), said('a2', edit)], continue: true });

  test('INTR-05 INTR-06 a resumed reply goes on where the edit stands, as it would have gone on', async () => {
    const whole = await speech(asked('say something long'));
    const part = whole.slice(0, 500);
    expect(part + (await speech(resumed('say something long', part)))).toBe(whole);
  });

  test('INTR-06 an edit whose last words are known is continued from them', async () => {
    const whole = await speech(asked('say something long'));
    const at = whole.indexOf('Press Stop instead');
    const rest = await speech(resumed('say something long', 'Another beginning. Press Stop instead'));
    expect(rest).toBe(whole.slice(at + 'Press Stop instead'.length));
  });

  test('INTR-06 INTR-16 an edit that is new to it is continued in its own sentence, and the person is not asked', async () => {
    expect(await speech(resumed('say something long', 'One. Fo'))).toMatch(/^ and so on: .*\.$/);
    expect(await speech(resumed('say something long', 'One. Four.'))).toMatch(/^ That is where your edit ends/);
    expect(await speech(resumed('say something long', 'One. Four. '))).toMatch(/^That is/);
  });

  test('INTR-08 INTR-17 a resumed reply makes the calls that the edit does not hold yet, and thinks no more', async () => {
    const line = 'two calls at once';
    expect(callsIn(await replyTo(resumed(line, 'I look')))).toHaveLength(2);
    const edit: Message = { id: 'a2', role: 'assistant', content: [{ type: 'text', text: 'I' }, call('c1', 'clock')] };
    const messages = [...greeted, userText('u2', line), edit];
    expect(callsIn(await replyTo(promptOf({ messages, continue: true })))).toMatchObject([{ name: 'wait' }]);
    expect(textIn(await replyTo(resumed('think first', 'I thought')), 'reasoning')).toBe('');
  });
});

describe('how it streams', () => {
  test('EVT-28 the same prompt gives the same deltas', async () => {
    expect(await replyTo(asked('show me markdown'))).toEqual(await replyTo(asked('show me markdown')));
  });

  test('a word comes at a time, 40 a second, and one a second when asked to be slow', async () => {
    for (const [line, ms] of [
      ['refuse', 25],
      ['be slow', 1000],
    ] as const) {
      const clock = new FakeClock();
      const stream = new DemoModel({ clock }).stream(asked(line));
      const first = stream.next();
      await clock.sleeping();
      clock.advance(ms);
      expect((await first).value, line).toEqual({ type: 'text', text: 'I' });
      expect(clock.asked, line).toEqual([ms]);
    }
  });

  test('CANC-02 CANC-03 a cancel ends the stream at once', async () => {
    const clock = new FakeClock();
    const cancel = new AbortController();
    const next = new DemoModel({ clock }).stream(asked('be slow', { cancel: cancel.signal })).next();
    await clock.sleeping();
    cancel.abort();
    await expect(next).rejects.toMatchObject({ name: 'Cancelled' });
    expect(clock.now()).toBe(0);
  });

  test('MODEL-06 MODEL-07 FIN-03 it keeps to the token limit, a word being a token', async () => {
    const deltas = await replyTo(asked('say something long', { options: { ...defaultOptions, maxOutputTokens: 3 } }));
    expect(textIn(deltas)).toBe('Here is something');
    expect(deltas.slice(-2)).toMatchObject([
      { type: 'usage', usage: { output: 3 } },
      { type: 'finish', finish: 'length' },
    ]);
  });

  test('MODEL-06 provider options are refused, since it has none', async () => {
    const prompt = asked('hello', { options: { ...defaultOptions, provider: { demo: { mood: 'good' } } } });
    await expect(replyTo(prompt)).rejects.toBeInstanceOf(UnsupportedOptionError);
  });
});

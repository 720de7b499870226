import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defaultOptions,
  type JsonObject,
  type Message,
  MisuseError,
  type Part,
  type PromptFields,
  type ToolCallPart,
  type ToolResultPart,
  type ToolSpec,
  UnsupportedOptionError,
  userText,
} from '../../../src/core/index.ts';
import { bridgeText, encodeRequest } from '../../../src/models/chat/encode.ts';
import { interruptedResult } from '../../../src/models/history.ts';
import { type HostName, hosts } from '../../../src/models/index.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

function encode(fields: Partial<PromptFields>, host: HostName = 'generic') {
  return encodeRequest(new TestPrompt(fields), { model: 'm', host: hosts[host], owner: 'openai/m' });
}

function messagesOf(messages: readonly Message[], host: HostName = 'generic', fields: Partial<PromptFields> = {}) {
  return encode({ messages, ...fields }, host).messages;
}

function assistant(id: string, ...content: readonly Part[]): Message {
  return { id, role: 'assistant', content };
}

function results(...parts: readonly ToolResultPart[]): Message {
  return { id: 'r', role: 'user', content: parts };
}

const text = (value: string): Part => ({ type: 'text', text: value });
const call = (id: string, more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool_call',
  id,
  name: 'read',
  input: { path: id },
  ...more,
});
const result = (callId: string, value = `result of ${callId}`): ToolResultPart => ({
  type: 'tool_result',
  callId,
  content: [{ type: 'text', text: value }],
  error: false,
});
const hi = userText('u1', 'Hi');
const read: ToolSpec = {
  name: 'read',
  description: 'Reads.',
  input: { type: 'object', properties: {} },
  hints: { readOnly: true },
};

describe('the request', () => {
  test('CC-01 CC-03 CC-04 streams, asks for usage, offers the tools, begins with the system text', () => {
    const request = encode({
      system: 'Be brief.',
      messages: [hi],
      tools: [read],
      options: { ...defaultOptions, maxOutputTokens: 9 },
    });
    expect(request).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      tools: [
        { type: 'function', function: { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: {} } } },
      ],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    });
  });

  test('CC-02 has no key that was not asked for', () => {
    expect(Object.keys(encode({ messages: [hi], system: '' }))).toEqual(['model', 'stream', 'stream_options', 'messages']);
    expect(Object.keys(encode({ messages: [hi] }, 'mistral'))).toEqual(['model', 'stream', 'messages']);
  });

  test('MODEL-07 names the token limit as the host does', () => {
    const options = { ...defaultOptions, maxOutputTokens: 9 };
    expect(encode({ options }, 'openai')).toMatchObject({ max_completion_tokens: 9 });
    expect(encode({ options }, 'openai')).not.toHaveProperty('max_tokens');
    expect(encode({ options }, 'llama_cpp')).toMatchObject({ max_tokens: 9 });
  });

  test('MODEL-03 MODEL-04 merges the options of its key last: a given key replaces the built-in value as a whole', () => {
    const provider = {
      openai: { stream_options: { other: 1 }, temperature: 0, chat_template_kwargs: { enable_thinking: false } },
      anthropic: { thinking: {} },
    };
    const request = encode({ options: { ...defaultOptions, provider } });
    expect(request.stream_options).toEqual({ other: 1 });
    expect(request).toMatchObject({ temperature: 0, chat_template_kwargs: { enable_thinking: false } });
    expect(request).not.toHaveProperty('thinking');
    expect(Object.keys(request)).toEqual([
      'model',
      'stream',
      'stream_options',
      'messages',
      'temperature',
      'chat_template_kwargs',
    ]);
  });
});

describe('calls and results', () => {
  test('CC-03 one tool message a call, right behind the assistant message, in the order of the calls', () => {
    const history = [
      hi,
      assistant('a', text('Reading.'), call('c1'), call('c2')),
      results(result('c2'), result('c1')),
      userText('u2', 'And?'),
    ];
    expect(messagesOf(history)).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"c1"}' } },
          { id: 'c2', type: 'function', function: { name: 'read', arguments: '{"path":"c2"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'result of c1' },
      { role: 'tool', tool_call_id: 'c2', content: 'result of c2' },
      { role: 'user', content: 'And?' },
    ]);
  });

  test('CC-03 a call without a result gets one that says it was interrupted, between the call and what follows', () => {
    const messages = messagesOf([hi, assistant('a', call('c1')), userText('u2', 'go on')]);
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: interruptedResult },
      { role: 'user', content: 'go on' },
    ]);
  });

  test('CC-03 results that came in two messages, one before and one after an answer, stand together', () => {
    const history = [hi, assistant('a', call('c1'), call('c2')), results(result('c1')), results(result('c2'))];
    expect(messagesOf(history).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  test('CC-03 a text in the message of the results follows them as a user message', () => {
    const history = [hi, assistant('a', call('c1')), { id: 'r', role: 'user', content: [result('c1'), text('Hurry.')] } as const];
    expect(messagesOf(history).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: 'result of c1' },
      { role: 'user', content: 'Hurry.' },
    ]);
  });

  test('TOOL-28 a call with malformed arguments goes out with an empty object', () => {
    const [, sent] = messagesOf([
      hi,
      assistant('a', call('c1', { input: {}, malformed: '{"path":"x","content":"hel' })),
      results(result('c1')),
    ]);
    expect(sent).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });

  test('CC-02 the content of a message with calls alone is what the host takes', () => {
    const history = [hi, assistant('a', call('c1')), results(result('c1'))];
    expect(messagesOf(history, 'openai')[1]).toMatchObject({ content: null });
    expect(messagesOf(history, 'llama_cpp')[1]).toMatchObject({ content: '' });
  });

  test('CC-02 a short assistant message stands between a tool and a user message where the host demands it', () => {
    const history = [hi, assistant('a', call('c1')), results(result('c1')), userText('u2', 'And?')];
    expect(messagesOf(history, 'mistral').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messagesOf(history, 'mistral')[3]).toEqual({ role: 'assistant', content: bridgeText });
    expect(messagesOf(history, 'openai').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });
});

describe('the ids of calls', () => {
  const idsOf = (messages: readonly Message[], host: HostName): unknown[] =>
    messagesOf(messages, host).flatMap((message) =>
      'tool_calls' in message ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    );
  const step = (n: number, ...calls: readonly ToolCallPart[]): Message[] => [
    assistant(`a${n}`, ...calls),
    results(...calls.map(({ id }) => result(id))),
  ];

  test('CC-05 are those that the provider gave, unchanged', () => {
    const history = [hi, ...step(1, call('c1', { providerId: 'functions.read:0' }), call('c2', { providerId: 'call_9' }))];
    expect(idsOf(history, 'generic')).toEqual(['functions.read:0', 'call_9']);
  });

  test('CC-05 are unique in a request when the provider repeats its own, and each result keeps its call', () => {
    const history = [hi, ...step(1, call('c1', { providerId: 'call_0' })), ...step(2, call('c2', { providerId: 'call_0' }))];
    expect(idsOf(history, 'generic')).toEqual(['call_0', 'c2']);
    expect(messagesOf(history).filter(({ role }) => role === 'tool')).toEqual([
      { role: 'tool', tool_call_id: 'call_0', content: 'result of c1' },
      { role: 'tool', tool_call_id: 'c2', content: 'result of c2' },
    ]);
  });

  test('CC-02 fit the alphabet and the length that the host takes', () => {
    const ids = ['gSIMJiOkT', 'functions.read:0', `call_${'x'.repeat(60)}`, undefined, 'é'];
    const calls = ids.map((providerId, n) => call(`call_${n}`, providerId === undefined ? {} : { providerId }));
    const history = [hi, ...step(1, ...calls)];
    const mistral = idsOf(history, 'mistral');
    expect(mistral[0]).toBe('gSIMJiOkT');
    expect(mistral.every((id) => /^[a-zA-Z0-9]{9}$/.test(String(id)))).toBe(true);
    expect(new Set(mistral).size).toBe(ids.length);
    expect(idsOf(history, 'openai').every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(String(id)))).toBe(true);
  });
});

describe('reasoning', () => {
  const thought = (field: string, more: JsonObject = {}): Part => ({
    type: 'reasoning',
    text: 'r',
    provider: { openai: { field, ...more } },
  });
  const history = (...parts: readonly Part[]): Message[] => [hi, assistant('a', ...parts, call('c1')), results(result('c1'))];

  test.each<[HostName, string]>([
    ['deepseek', 'reasoning_content'],
    ['llama_cpp', 'reasoning_content'],
    ['vllm', 'reasoning'],
    ['openrouter', 'reasoning'],
    ['generic', 'reasoning_text'],
  ])('CC-08 goes back to %s with the call, in the field it came in: %s', (host, field) => {
    expect(messagesOf(history(thought(field)), host)[1]).toMatchObject({ [field]: 'r' });
  });

  test('CC-08 goes back as a part of the content where it came as one', () => {
    expect(messagesOf(history(thought('content'), text('Reading.')), 'mistral')[1]).toMatchObject({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'r' }] },
        { type: 'text', text: 'Reading.' },
      ],
    });
  });

  test('MODEL-11 CC-08 the typed details go back unchanged, to their own model alone', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'xyz', index: 0 }];
    const sent = (owner: string) => messagesOf(history(thought('reasoning', { details, owner })), 'openrouter')[1];
    expect(sent('openai/m')).toMatchObject({ reasoning: 'r', reasoning_details: details });
    expect(sent('openai/other')).toMatchObject({ reasoning: 'r' });
    expect(sent('openai/other')).not.toHaveProperty('reasoning_details');
  });

  test('CC-08 a host that insists gets the field on each message with calls, whoever thought and if nobody did', () => {
    expect(messagesOf(history(), 'deepseek')[1]).toMatchObject({ reasoning_content: '' });
    expect(
      messagesOf(
        history({ type: 'reasoning', text: 'from elsewhere', provider: { anthropic: { signature: 's' } } }),
        'deepseek',
      )[1],
    ).toMatchObject({ reasoning_content: 'from elsewhere' });
  });

  test('CC-08 goes to nobody who does not ask for it: not to OpenAI, not without calls, not in a foreign field', () => {
    const keys = (message: object | undefined): string[] => Object.keys(message ?? {});
    expect(keys(messagesOf(history(thought('reasoning_content')), 'openai')[1])).toEqual(['role', 'content', 'tool_calls']);
    expect(keys(messagesOf(history(thought('content')), 'llama_cpp')[1])).toEqual(['role', 'content', 'tool_calls']);
    const answered = [hi, assistant('a', thought('reasoning_content'), text('Hello')), userText('u2', 'Hm')];
    expect(keys(messagesOf(answered, 'deepseek')[1])).toEqual(['role', 'content']);
  });
});

describe('user messages', () => {
  test('STEER-17 in a row are joined where templates demand alternation, and stay apart elsewhere', () => {
    const history = [hi, userText('u2', 'Are you there?')];
    expect(messagesOf(history, 'llama_cpp')).toEqual([{ role: 'user', content: 'Hi\n\nAre you there?' }]);
    expect(messagesOf(history, 'openai')).toHaveLength(2);
  });

  test('LOOP-16 an empty reply does not break the next request: it is left out', () => {
    const history = [hi, assistant('a', { type: 'reasoning', text: 'hm' }), userText('u2', 'And?')];
    expect(messagesOf(history, 'openai').map(({ role }) => role)).toEqual(['user', 'user']);
  });

  test('MODEL-06 a part that only a reply may hold is refused and named in a user message', () => {
    const stray: Message = { id: 'u', role: 'user', content: [{ type: 'reasoning', text: 'hm' }] };
    expect(() => messagesOf([stray])).toThrow(UnsupportedOptionError);
    expect(() => messagesOf([stray])).toThrow(/reasoning/);
  });

  test('CC-09 an assistant message is never sent last by accident', () => {
    expect(() => messagesOf([hi, assistant('a', text('Hello'))])).toThrow(MisuseError);
    expect(() => messagesOf([hi], 'generic', { continue: true })).toThrow(MisuseError);
  });
});

describe('a reply to be continued', () => {
  const edited = [hi, assistant('a', { type: 'reasoning', text: 'hm' }, text('Once '), call('c1'), text('upon'))];
  const sent = (host: HostName) => encode({ messages: edited, continue: true }, host);

  test('CC-09 INTR-10 is the last message, its visible text as it is and nothing added', () => {
    const request = sent('llama_cpp');
    expect(request.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Once upon' },
    ]);
    expect(Object.keys(request)).toEqual(['model', 'stream', 'stream_options', 'messages']);
  });

  test('INTR-11 has the two keys of vLLM beside it, behind the messages', () => {
    expect(Object.entries(sent('vllm')).slice(-2)).toEqual([
      ['continue_final_message', true],
      ['add_generation_prompt', false],
    ]);
    expect(encode({ messages: [hi] }, 'vllm')).not.toHaveProperty('continue_final_message');
  });

  test('CC-09 is marked where the host wants a mark', () => {
    expect(sent('mistral').messages.at(-1)).toEqual({ role: 'assistant', content: 'Once upon', prefix: true });
  });
});

describe('the bytes of a request', () => {
  /** The request up to and with its last message, without what closes the list. */
  function beginning(messages: readonly Message[], host: HostName, system: string): string {
    const request = encode(
      { messages, system, tools: [read], options: { ...defaultOptions, maxOutputTokens: 7, provider: { openai: { seed: 1 } } } },
      host,
    );
    const whole = JSON.stringify(request);
    const list = JSON.stringify(request.messages);
    return whole.slice(0, whole.indexOf(list) + list.length - 1);
  }

  const inputs = fc.dictionary(
    fc.string(),
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject[string]),
    { maxKeys: 3 },
  );
  const calls = fc.array(fc.record({ input: inputs, providerId: fc.constantFrom('call_0', 'call_1', 'functions.read:0', '') }), {
    maxLength: 3,
  });
  const steps = fc.array(fc.record({ said: fc.string(), thought: fc.boolean(), calls, user: fc.option(fc.string()) }), {
    minLength: 1,
    maxLength: 5,
  });

  /** Messages of a session: each step is a reply, its results, and what a person says behind them. Each ends where a request is made. */
  function session(all: typeof steps extends fc.Arbitrary<infer T> ? T : never): Message[][] {
    const requests: Message[][] = [[hi]];
    let history: Message[] = [hi];
    all.forEach((step, n) => {
      const parts = step.calls.map((item, i) => call(`call_${n}_${i}`, { input: item.input, providerId: item.providerId }));
      const reasoning: Part[] = step.thought
        ? [{ type: 'reasoning', text: 'hm', provider: { openai: { field: 'reasoning_content' } } }]
        : [];
      history = [...history, assistant(`a${n}`, ...reasoning, text(`${step.said}.`), ...parts)];
      if (parts.length > 0) history = [...history, results(...parts.map(({ id }) => result(id)))];
      if (parts.length === 0 || step.user !== null) history = [...history, userText(`u${n}`, step.user ?? 'Go on.')];
      requests.push(history);
    });
    return requests;
  }

  test.each(Object.keys(hosts) as HostName[])('G-21 request n+1 begins with the bytes of request n for %s', (host) => {
    fc.assert(
      fc.property(steps, fc.string(), (all, system) => {
        const requests = session(all).map((messages) => beginning(messages, host, system));
        requests.slice(1).forEach((next, n) => expect(next.startsWith(requests[n] ?? '?')).toBe(true));
      }),
      { numRuns: 50 },
    );
  });

  test('RUN-15 the same conversation read back from JSON makes the same bytes', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const messages = session(all).at(-1) ?? [];
        const restored = JSON.parse(JSON.stringify(messages)) as Message[];
        expect(beginning(restored, 'generic', '')).toBe(beginning(messages, 'generic', ''));
      }),
      { numRuns: 50 },
    );
  });
});

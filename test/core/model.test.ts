import { describe, expect, it } from 'vitest';
import {
  type JsonObject,
  type Message,
  messageFromJSON,
  MisuseError,
  type Options,
  type Part,
  Prompt,
  Run,
  toolList,
  type Transport,
  UnmappableContent,
  UnsupportedOptionError,
} from '../../src/core/index.ts';
import {
  callDelta,
  countingIds,
  FakeModel,
  FakeTransport,
  Gate,
  reasoningDelta,
  TestPrompt,
  textDelta,
  usageDelta,
} from '../../src/testing/index.ts';
import { caught, drain, hello, plain, Reader, start, toolOf } from './support.ts';

describe('the prompt and its options', () => {
  it('MODEL-01 a model gets system, messages, tools, options, cancel and continue, and gives deltas', async () => {
    const { run, model } = start(['Hi'], { tools: toolList(toolOf('clock')) });
    await drain(run.turn(hello));
    const prompt = model.prompts[0];
    expect(prompt).toBeInstanceOf(Prompt);
    expect(Object.keys(prompt ?? {}).toSorted()).toEqual(['cancel', 'continue', 'messages', 'options', 'system', 'tools']);
    expect(prompt?.system).toBeNull();
  });

  it('MODEL-03 MODEL-07 options have their defaults, and the provider map reaches the model as it is', async () => {
    const provider: { readonly [name: string]: JsonObject } = { openai: { temperature: 0, nested: { a: 1 } }, other: { x: [] } };
    const bare = start(['Hi']);
    await drain(bare.run.turn(hello));
    expect(bare.model.prompts[0]?.options).toEqual({ toolRetries: 3, provider: {} });
    const full = start(['Hi'], { options: { maxOutputTokens: 9, toolRetries: 1, contextWindow: 4096, provider } });
    await drain(full.run.turn(hello));
    expect(full.model.prompts[0]?.options).toEqual({ maxOutputTokens: 9, toolRetries: 1, contextWindow: 4096, provider });
  });

  it.each<[string, Partial<Options>]>([
    ['a window of 0', { contextWindow: 0 }],
    ['a negative window', { contextWindow: -4096 }],
    ['half a token of window', { contextWindow: 4096.5 }],
    ['a window that is no number', { contextWindow: Number.NaN }],
    ['no output tokens', { maxOutputTokens: 0 }],
    ['a fraction of a retry', { toolRetries: 1.5 }],
    ['fewer than no retries', { toolRetries: -1 }],
  ])('CTXW-01 MODEL-07 refuses %s as misuse', (_, options) => {
    expect(() => new Run({ model: new FakeModel([]), tools: toolList(), options })).toThrow(
      expect.objectContaining({ code: 'option_invalid' }),
    );
  });

  it('CTXW-01 does nothing else with the window', async () => {
    const { run, model } = start(['x'.repeat(500)], { options: { contextWindow: 1 } });
    await drain(run.turn({ ...hello, content: [{ type: 'text', text: 'long '.repeat(100) }] }));
    expect(run.ended()?.reason).toBe('done');
    expect(model.prompts[0]?.messages).toHaveLength(1);
  });

  it('MODEL-06 an option that a model cannot honour is misuse and says so', async () => {
    const { run } = start([[new UnsupportedOptionError('No temperature here.')]]);
    const { error } = await caught(() => run.turn(hello));
    expect(error).toMatchObject({ code: 'unsupported_option', fallback: null });
    expect(error).toBeInstanceOf(MisuseError);
  });

  it('MODEL-08 a model posts through a transport, with the signal of the turn', async () => {
    const transport = new FakeTransport([{ body: 'Hi' }]);
    const overWire = (wire: Transport) => ({
      async *stream(prompt: Prompt) {
        const response = await wire.post('https://model.test', { a: 'b' }, '{}', prompt.cancel);
        for await (const chunk of response.body) yield textDelta(new TextDecoder().decode(chunk));
      },
    });
    const run = new Run({ model: overWire(transport), tools: toolList() });
    await drain(run.turn(hello));
    expect(run.messages()[1]?.content).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(transport.requests[0]).toMatchObject({ url: 'https://model.test', headers: { a: 'b' }, body: '{}' });
    expect(transport.requests[0]?.cancel).toBeInstanceOf(AbortSignal);
  });
});

describe('what becomes of deltas', () => {
  it('MODEL-09 each is folded once, in order; ids are minted by the core', async () => {
    const { run } = start(
      [
        [
          textDelta('a'),
          textDelta('b'),
          reasoningDelta('r'),
          textDelta('c'),
          callDelta('their-id', 'ok', { x: 1 }),
          textDelta('d'),
        ],
        'end',
      ],
      { tools: toolList(toolOf('ok')), mintId: countingIds() },
    );
    await drain(run.turn(hello));
    expect(run.messages()[1]).toEqual({
      id: 'msg_1',
      role: 'assistant',
      content: [
        { type: 'text', text: 'ab' },
        { type: 'reasoning', text: 'r' },
        { type: 'text', text: 'c' },
        { type: 'tool_call', id: 'call_1', name: 'ok', input: { x: 1 }, providerId: 'their-id' },
        { type: 'text', text: 'd' },
      ],
    });
  });

  it('MODEL-09 ids of two runs differ, unless the host mints them', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 5; n += 1) {
      const run = new Run({ model: new FakeModel([[callDelta('c', 'ok')], 'x']), tools: toolList(toolOf('ok')) });
      await drain(run.turn(hello));
      for (const message of run.messages().slice(1)) ids.add(message.id);
    }
    expect(ids.size).toBe(15);
  });

  it('MODEL-11 what a provider needs of its reasoning comes back to it opaque and unchanged', async () => {
    const data = { signature: 'AbC=', nested: { list: [1, null] } };
    const { run, model } = start(
      [[reasoningDelta('think', { field: 'x' }), reasoningDelta(' more'), reasoningDelta('', data), callDelta('c', 'ok')], 'end'],
      {
        tools: toolList(toolOf('ok')),
      },
    );
    await drain(run.turn(hello));
    expect(model.prompts[1]?.messages[1]?.content[0]).toEqual({
      type: 'reasoning',
      text: 'think more',
      provider: { field: 'x', ...data },
    });
  });

  it('MODEL-11 a provider part without text, as redacted reasoning is, is kept', async () => {
    const { run } = start([[reasoningDelta('', { redacted: 'xyz' }), textDelta('Hi')]]);
    await drain(run.turn(hello));
    expect(run.messages()[1]?.content).toEqual([
      { type: 'reasoning', text: '', provider: { redacted: 'xyz' } },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('MODEL-09 MODEL-11 a border keeps two parts of a kind apart, each with its own data', async () => {
    const border = { type: 'border' } as const;
    const { run } = start([
      [
        reasoningDelta('a'),
        reasoningDelta('', { s: 1 }),
        border,
        reasoningDelta('', { s: 2 }),
        border,
        border,
        reasoningDelta('b'),
        textDelta('one '),
        { type: 'text', text: 'and', provider: { p: 1 } },
        { type: 'text', text: '', provider: { q: 2 } },
        border,
        textDelta('two'),
      ],
    ]);
    await drain(run.turn(hello));
    expect(run.messages()[1]?.content).toEqual([
      { type: 'reasoning', text: 'a', provider: { s: 1 } },
      { type: 'reasoning', text: '', provider: { s: 2 } },
      { type: 'reasoning', text: 'b' },
      { type: 'text', text: 'one and', provider: { p: 1, q: 2 } },
      { type: 'text', text: 'two' },
    ]);
  });

  it('MODEL-11 data without a text are no text part', async () => {
    const { run } = start([[{ type: 'text', text: '', provider: { p: 1 } }]]);
    await drain(run.turn(hello));
    expect(run.messages()[1]?.content).toEqual([]);
  });

  it('MODEL-11 what a provider needs of a call comes back with it, however it came in pieces', async () => {
    const { run, model } = start(
      [
        [
          { type: 'tool_call', index: 0, id: 'c', name: 'ok', provider: { p: { signature: 's' } } },
          { type: 'tool_call', index: 0, args: '{}' },
          { type: 'tool_call', index: 0, provider: { q: 1 } },
        ],
        'end',
      ],
      { tools: toolList(toolOf('ok')) },
    );
    const events = await drain(run.turn(hello));
    expect(events.filter(({ type }) => type === 'tool_call_ready')).toHaveLength(1);
    expect(model.prompts[1]?.messages[1]?.content).toMatchObject([
      { type: 'tool_call', name: 'ok', providerId: 'c', provider: { p: { signature: 's' }, q: 1 } },
    ]);
  });

  it('RESP-07 what only a provider understands keeps its place, makes no event, and is in a partial too', async () => {
    const opaque = (item: string) => ({ type: 'opaque', provider: { p: { item } } }) as const;
    const script = [textDelta('a'), opaque('x'), opaque('y'), textDelta('b')];
    const { run } = start([script, [...script, new Gate()]]);
    const events = await drain(run.turn(hello));
    const parts = [{ type: 'text', text: 'a' }, opaque('x'), opaque('y'), { type: 'text', text: 'b' }];
    expect(run.messages()[1]?.content).toEqual(parts);
    expect(events.map(({ type }) => type).filter((type) => type.endsWith('_delta'))).toEqual(['text_delta', 'text_delta']);
    await new Reader(
      run.turn({ ...hello, id: 'u2' }),
      (event) => event.type === 'text_delta' && event.text === 'b' && run.interrupt(),
    ).done;
    expect(run.ended()?.partial?.content).toEqual(parts);
  });

  it('TEST-01 a message of several parts of a kind is streamed as such', async () => {
    const content: Part[] = [
      { type: 'reasoning', text: '', provider: { s: 1 } },
      { type: 'reasoning', text: 'b' },
      { type: 'opaque', provider: { p: 1 } },
      { type: 'text', text: 'c', provider: { p: 2 } },
      { type: 'text', text: 'd' },
    ];
    const { run } = start([[{ id: 'm', role: 'assistant', content }]]);
    await drain(run.turn(hello));
    expect(run.messages()[1]?.content).toEqual(content);
  });

  it('RUN-16 a usage replaces the one before it in a step, it is never added', async () => {
    const { run } = start([[usageDelta({ input: 5, output: 1 }), textDelta('x'), usageDelta({ input: 5, output: 2 })]]);
    await drain(run.turn(hello));
    expect(run.ended()?.usage).toMatchObject({ input: 5, output: 2 });
  });
});

describe('messages as data', () => {
  const every: Part[] = [
    { type: 'text', text: 'é😀\u0000', provider: { phase: 'x' } },
    { type: 'reasoning', text: 'r', provider: { signature: 's' } },
    {
      type: 'tool_call',
      id: 'c',
      name: 'n',
      input: { __proto__: 1, a: [null] },
      providerId: 'p',
      malformed: '{',
      provider: { q: {} },
    },
    { type: 'opaque', provider: { item: { list: [null] } } },
    { type: 'tool_result', callId: 'c', content: [{ type: 'text', text: 't' }], error: true },
    { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    { type: 'document', mediaType: 'text/plain', chunks: ['a', 'b'] },
    { type: 'audio', mediaType: 'audio/wav', blob: 'hash' },
    { type: 'video', mediaType: 'video/mp4', providerFile: 'file_1' },
  ];

  it('MODEL-10 every kind of part comes back from JSON as it was', () => {
    const message: Message = { id: 'm', role: 'assistant', content: every };
    const json = plain(message);
    expect(messageFromJSON(json)).toEqual(message);
    expect(plain(messageFromJSON(json))).toEqual(json);
  });

  it('MODEL-10 fields that we do not know are kept', () => {
    const json = plain({ ...hello, run: 'r1', content: [{ type: 'text', text: 'x', extra: 1 }] });
    expect(plain(messageFromJSON(json))).toEqual(json);
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['no id', { role: 'user', content: [] }],
    ['the role system', { id: 'm', role: 'system', content: [] }],
    ['a text as content', { id: 'm', role: 'user', content: 'Hi' }],
    ['a part of an unknown kind', { id: 'm', role: 'user', content: [{ type: 'hologram' }] }],
    ["a part named after an object's method", { id: 'm', role: 'user', content: [{ type: 'toString' }] }],
    ['a part that is no object', { id: 'm', role: 'user', content: ['Hi'] }],
    ['a text part without text', { id: 'm', role: 'user', content: [{ type: 'text' }] }],
    ['data of a provider that are no object', { id: 'm', role: 'assistant', content: [{ type: 'text', text: '', provider: 1 }] }],
    ['an opaque part without data', { id: 'm', role: 'assistant', content: [{ type: 'opaque' }] }],
    ['an image without bytes', { id: 'm', role: 'user', content: [{ type: 'image', mediaType: 'image/png' }] }],
    ['an image of no bytes', { id: 'm', role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: '' }] }],
    ['a document of no chunks', { id: 'm', role: 'user', content: [{ type: 'document', mediaType: 'text/plain', chunks: [] }] }],
    ['a call without a name', { id: 'm', role: 'assistant', content: [{ type: 'tool_call', id: 'c', input: {} }] }],
    [
      'a call whose input is a list',
      { id: 'm', role: 'assistant', content: [{ type: 'tool_call', id: 'c', name: 'n', input: [] }] },
    ],
    [
      'a result that holds a call',
      { id: 'm', role: 'user', content: [{ type: 'tool_result', callId: 'c', error: false, content: [every[2]] }] },
    ],
  ])('MODEL-10 refuses %s instead of dropping it', (_, value) => {
    expect(() => messageFromJSON(plain(value))).toThrow(UnmappableContent);
  });
});

describe('TestPrompt', () => {
  it('MODEL-02 TEST-04 continue is a field of its own that with() keeps', () => {
    const prompt = new TestPrompt({ continue: true });
    const changed = prompt.with({ system: 'S' });
    expect(changed.continue).toBe(true);
    expect(changed.cancel).toBe(prompt.cancel);
    expect(changed.with({ continue: false }).continue).toBe(false);
  });
});

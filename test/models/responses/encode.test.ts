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
  userText,
} from '../../../src/core/index.ts';
import { interruptedResult } from '../../../src/models/history.ts';
import { encodeRequest } from '../../../src/models/responses/encode.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

const owner = 'openai/m';

function encode(fields: Partial<PromptFields>, model = 'm') {
  return encodeRequest(new TestPrompt(fields), { model, owner });
}

function inputOf(messages: readonly Message[]) {
  return encode({ messages }).input;
}

function assistant(id: string, ...content: readonly Part[]): Message {
  return { id, role: 'assistant', content };
}

function results(...content: readonly Part[]): Message {
  return { id: 'r', role: 'user', content };
}

const text = (value: string): Part => ({ type: 'text', text: value });
const own = (data: JsonObject) => ({ provider: { [owner]: data } });
const item: JsonObject = { type: 'reasoning', summary: [], encrypted_content: 'gAAA==' };
const thought: Part = { type: 'reasoning', text: '', ...own(item) };
const call = (id: string, more: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool_call',
  id,
  name: 'read',
  input: { path: id },
  ...more,
});
const result = (callId: string): ToolResultPart => ({
  type: 'tool_result',
  callId,
  content: [{ type: 'text', text: `result of ${callId}` }],
  error: false,
});
const asked = (value: string): object => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: value }] });
const said = (content: string, more: object = {}): object => ({ type: 'message', role: 'assistant', content, ...more });
const called = (id: string): object => ({ type: 'function_call', call_id: id, name: 'read', arguments: `{"path":"${id}"}` });
const output = (id: string, value: unknown = `result of ${id}`): object => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
});
const hi = userText('u1', 'Hi');
const read: ToolSpec = { name: 'read', description: 'Reads.', input: { type: 'object', properties: {} }, hints: {} };

describe('the request', () => {
  test('RESP-03 RESP-06 is these bytes: the whole conversation, nothing stored, encrypted thoughts asked for', () => {
    const request = encode({
      system: 'Be brief.',
      messages: [hi, assistant('a', thought, call('c1')), results(result('c1'))],
      tools: [read],
      options: { ...defaultOptions, maxOutputTokens: 9, provider: { openai: { reasoning: { effort: 'low' } } } },
    });
    expect(JSON.stringify(request)).toBe(
      '{"model":"m","stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":9,' +
        '"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object","properties":{}},"strict":false}],' +
        '"instructions":"Be brief.","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]},' +
        '{"type":"reasoning","summary":[],"encrypted_content":"gAAA=="},' +
        '{"type":"function_call","call_id":"c1","name":"read","arguments":"{\\"path\\":\\"c1\\"}"},' +
        '{"type":"function_call_output","call_id":"c1","output":"result of c1"}],"reasoning":{"effort":"low"}}',
    );
  });

  test('RESP-06 has no key that was not asked for', () => {
    expect(Object.keys(encode({ system: '' }))).toEqual(['model', 'stream', 'store', 'include', 'input']);
  });

  test.each([
    ['gpt-4.1', false],
    ['openai/gpt-4o-mini', false],
    ['gpt-5-chat-latest', false],
    ['gpt-5.1-chat-latest', false],
    ['gpt-5', true],
    ['gpt-6.2-sol', true],
    ['o4-mini', true],
    ['grok-4', true],
  ])('RESP-03 asks %s for encrypted thoughts: %s', (model, asks) => {
    expect('include' in encode({}, model)).toBe(asks);
  });

  test('MODEL-03 MODEL-04 merges the options of its key last: a given key replaces the built-in value as a whole', () => {
    const provider = { openai: { include: [], store: true, text: { verbosity: 'low' } }, anthropic: { thinking: {} } };
    const request = encode({ options: { ...defaultOptions, provider } });
    expect(request).toMatchObject({ include: [], store: true, text: { verbosity: 'low' } });
    expect(Object.keys(request)).toEqual(['model', 'stream', 'store', 'include', 'input', 'text']);
  });
});

describe('calls and outputs', () => {
  test('RESP-02 an output for each call behind the items of its reply, in the order of the calls', () => {
    const history = [
      hi,
      assistant('a', text('Reading.'), call('c1'), thought, call('c2')),
      results(result('c2'), result('c1'), text('Hurry.')),
      userText('u2', 'And?'),
    ];
    expect(inputOf(history)).toEqual([
      asked('Hi'),
      said('Reading.'),
      called('c1'),
      item,
      called('c2'),
      output('c1'),
      output('c2'),
      asked('Hurry.'),
      asked('And?'),
    ]);
  });

  test('RESP-02 a call without a result gets one that says it was interrupted', () => {
    expect(inputOf([hi, assistant('a', call('c1')), userText('u2', 'go on')]).slice(2)).toEqual([
      output('c1', interruptedResult),
      asked('go on'),
    ]);
  });

  test('RESP-02 ids are those of the calls, in the alphabet, unique', () => {
    const ids = ['call_1', 'call_1', 'functions.read:0', 'x'.repeat(65), undefined];
    const calls = ids.map((providerId, n) => call(`call_${n}`, providerId === undefined ? {} : { providerId }));
    const input = inputOf([hi, assistant('a', ...calls), results()]) as readonly JsonObject[];
    const out = (type: string) => input.flatMap((one) => (one.type === type ? [String(one.call_id)] : []));
    expect(out('function_call')[0]).toBe('call_1');
    expect(new Set(out('function_call')).size).toBe(ids.length);
    expect(out('function_call').every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
    expect(out('function_call_output')).toEqual(out('function_call'));
  });

  test('TOOL-28 a call with malformed arguments goes out with an empty object', () => {
    expect(inputOf([hi, assistant('a', call('c1', { input: {}, malformed: '{"p' })), results()])[1]).toMatchObject({
      arguments: '{}',
    });
  });

  test('CC-14 images go where they are, in a message and in an output', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    const sent = { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' };
    const history = [
      { ...hi, content: [text('Look'), image] },
      assistant('a', call('c1'), call('c2')),
      results({ ...result('c1'), content: [image] }, { ...result('c2'), content: [] }),
    ];
    expect(inputOf(history)).toMatchObject([
      { content: [{ type: 'input_text', text: 'Look' }, sent] },
      {},
      {},
      { output: [sent] },
      { output: '' },
    ]);
  });

  test('ATT-01 ATT-02 PDFs go by their bytes, and files of this provider by their ids', () => {
    const pdf = { type: 'document', mediaType: 'application/pdf', data: 'JVBE' } as const;
    const file = { type: 'document', mediaType: 'application/pdf', providerFile: 'file_1', heldBy: 'openai' } as const;
    const image = { type: 'image', mediaType: 'image/png', providerFile: 'file_2', heldBy: 'openai' } as const;
    expect(inputOf([{ ...hi, content: [pdf, file, image, { ...file, heldBy: 'anthropic' }] }])).toMatchObject([
      {
        content: [
          { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          { type: 'input_file', file_id: 'file_1' },
          { type: 'input_image', detail: 'auto', file_id: 'file_2' },
          { type: 'input_text', text: '[A document (application/pdf) was left out here: another provider holds it.]' },
        ],
      },
    ]);
  });
});

describe('what came with a reply', () => {
  const replies = (...content: readonly Part[]): unknown =>
    inputOf([hi, assistant('a', ...content), userText('u2', 'And?')]).slice(1, -1);

  test('RESP-03 RESP-07 thoughts and unknown items go back as they came and where they were', () => {
    const search = { type: 'web_search_call', status: 'completed', action: { type: 'search' } };
    expect(replies(thought, { type: 'opaque', ...own(search) }, thought, text('Hello'))).toEqual([
      item,
      search,
      item,
      said('Hello'),
    ]);
  });

  test('MODEL-11 RESP-03 not to another model, and not where nothing follows a thought', () => {
    const provider = { 'openai/other': item };
    const foreign: Part[] = [
      { type: 'reasoning', text: 'x', provider },
      { type: 'opaque', provider },
    ];
    expect(replies({ type: 'reasoning', text: 'cut' }, ...foreign, text('Hello'), thought)).toEqual([said('Hello')]);
    expect(replies(thought)).toEqual([]);
    expect(replies(call('c1', { provider }))).toEqual([called('c1'), output('c1', interruptedResult)]);
  });

  test('MODEL-11 messages keep their phase, others in a row are one', () => {
    const phased = (phase: string): Part => ({ type: 'text', text: `${phase}.`, ...own({ phase }) });
    expect(replies(phased('commentary'), phased('final_answer'))).toEqual([
      said('commentary.', { phase: 'commentary' }),
      said('final_answer.', { phase: 'final_answer' }),
    ]);
    const cited: Part = { type: 'text', text: 'is', provider: { 'anthropic/x': { citations: [] } } };
    expect(replies(text('It '), cited, text(' so.'), phased('final_answer'))).toEqual([
      said('It is so.'),
      said('final_answer.', { phase: 'final_answer' }),
    ]);
  });

  test('MODEL-11 calls keep what else they held', () => {
    const caller = { type: 'program', caller_id: 'call_9' };
    expect(replies(call('c1', own({ caller })))).toMatchObject([{ ...called('c1'), caller }, {}]);
  });

  test('LOOP-16 an empty reply does not break the next request', () => {
    expect(inputOf([hi, assistant('a', text('')), userText('u2', 'And?')])).toEqual([asked('Hi'), asked('And?')]);
  });

  test('INTR-16 a reply is never sent last', () => {
    expect(() => inputOf([hi, assistant('a', text('Hello'))])).toThrow(MisuseError);
    expect(() => inputOf([hi, assistant('a', call('c1'))])).not.toThrow();
  });
});

describe('the bytes of a request', () => {
  const parts = fc.array(
    fc.oneof(
      fc.string().map(text),
      fc.constant(thought),
      fc.constant<Part>({ type: 'opaque', ...own({ type: 'web_search_call' }) }),
      fc.constantFrom('call_0', 'call_1', 'functions.read:0', '').map((providerId) => call('', { providerId })),
    ),
    { maxLength: 5 },
  );
  const steps = fc.array(fc.record({ parts, user: fc.option(fc.string()) }), { minLength: 1, maxLength: 5 });

  /** Messages of a session: each step is a reply, its results, and what a person says behind them. Each ends where a request is made. */
  function session(all: typeof steps extends fc.Arbitrary<infer T> ? T : never): Message[][] {
    const requests: Message[][] = [[hi]];
    let history: Message[] = [hi];
    all.forEach((step, n) => {
      const content = step.parts.map((part, i): Part => (part.type === 'tool_call' ? { ...part, id: `call_${n}_${i}` } : part));
      const ids = content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      history = [...history, assistant(`a${n}`, ...content)];
      if (ids.length > 0) history = [...history, results(...ids.map((id) => result(id)))];
      if (ids.length === 0 || step.user !== null) history = [...history, userText(`u${n}`, `${step.user ?? ''}.`)];
      requests.push(history);
    });
    return requests;
  }

  test('G-21 request n+1 begins with the bytes of request n', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const requests = session(all).map((messages) => JSON.stringify(encode({ messages, tools: [read] })).replace(/\]\}$/, ''));
        requests.slice(1).forEach((next, n) => expect(next.startsWith(requests[n] ?? '?')).toBe(true));
      }),
      { numRuns: 200 },
    );
  });

  test('RESP-02 RESP-03 any conversation makes an output for each call, and no thought that nothing follows', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const input = inputOf(session(all).at(-1) ?? []) as readonly JsonObject[];
        const idsOf = (type: string) => input.flatMap((one) => (one.type === type ? [one.call_id] : []));
        expect(new Set(idsOf('function_call_output'))).toEqual(new Set(idsOf('function_call')));
        const follows = (at: number) => input[at + 1]?.type !== 'function_call_output' && input[at + 1]?.role !== 'user';
        input.forEach((one, at) => one.type === 'reasoning' && expect(at < input.length - 1 && follows(at)).toBe(true));
      }),
      { numRuns: 200 },
    );
  });
});

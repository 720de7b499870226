import { describe, expect, test } from 'vitest';
import {
  Cancelled,
  type Delta,
  ModelError,
  Run,
  textResult,
  tool,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../../src/core/index.ts';
import { BindingTransport, ChatCompletions, isAiBinding } from '../../../src/models/index.ts';
import { FakeClock, Gate, TestPrompt } from '../../../src/testing/index.ts';
import { chunk, collect, cuttings, event, eventStream, hello, rejection, replyOf } from '../support.ts';
import { FakeBinding } from './fake-binding.ts';

const name = '@cf/lab/m';
/** A quarter of an hour before midnight, and half a second. */
const now = Date.UTC(2026, 10, 30, 23, 45, 0, 500);
const never = new AbortController().signal;

const clock = new FakeClock();
clock.advance(now);

function modelOn(binding: FakeBinding): ChatCompletions {
  return new ChatCompletions({
    transport: new BindingTransport(binding, clock),
    baseUrl: 'https://workers-ai.invalid/v1',
    model: name,
    provider: 'workers-ai',
    host: 'workers_ai',
    clock,
  });
}

/** An answer that streams these bytes. */
function streamed(...chunks: readonly (string | Uint8Array)[]): Response {
  const bytes = chunks.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of bytes) controller.enqueue(piece);
      controller.close();
    },
  });
  return new Response(body, { headers: eventStream });
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });

const ask = (answer: Response | Error): Promise<Delta[]> => collect(modelOn(new FakeBinding(answer)).stream(new TestPrompt()));

describe('a request', () => {
  test('MODEL-08 names the model to the binding and gives it the rest, with the signal and for the raw response', async () => {
    const binding = new FakeBinding(streamed(hello));
    const deltas = await collect(modelOn(binding).stream(new TestPrompt({ system: 'Be kind.' })));
    expect(deltas).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'finish', finish: 'stop' },
    ]);
    const [run] = binding.runs;
    expect(run).toMatchObject({
      model: name,
      inputs: { stream: true, stream_options: { include_usage: true }, messages: [{ role: 'system' }, { role: 'user' }] },
      options: { returnRawResponse: true, signal: { aborted: false } },
    });
    expect(run?.inputs).not.toHaveProperty('model');
  });

  test('INTR-21 is not sent for a reply that is to be continued', async () => {
    const binding = new FakeBinding();
    const edit = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'It' }] } as const;
    const prompt = new TestPrompt().with({ messages: [userText('u', 'Hi'), edit], continue: true });
    expect(await rejection(collect(modelOn(binding).stream(prompt)))).toBeInstanceOf(UnsupportedOptionError);
    expect(binding.runs).toEqual([]);
  });

  test('is made of a binding that can be run, and of nothing else', () => {
    expect(isAiBinding(new FakeBinding())).toBe(true);
    for (const other of [undefined, null, 'none', {}, { run: true }]) expect(isAiBinding(other)).toBe(false);
  });
});

const call = (id: string, n: number) => ({ id, type: 'function', function: { name: 'read', arguments: JSON.stringify({ n }) } });
const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const counted = { input: 9, output: 4, cacheRead: 0, cacheWrite: 0 };

// The tests that cut a stream in every way read it some thousand times.
describe('a reply', { timeout: 60_000 }, () => {
  const old = [
    { response: 'Grüße, ', p: 'abcd' },
    { response: 7 },
    { response: '', tool_calls: [{ name: 'read', arguments: { n: 1 } }, { name: 'look' }] },
    { response: null, tool_calls: [{ name: 'read', arguments: '{"n":2}' }], usage },
  ];
  const oldDeltas: readonly Delta[] = [
    { type: 'text', text: 'Grüße, ' },
    { type: 'text', text: '7' },
    { type: 'tool_call', name: 'read', args: '{"n":1}' },
    { type: 'tool_call', name: 'look', args: '{}' },
    { type: 'tool_call', name: 'read', args: '{"n":2}' },
    { type: 'usage', usage: counted },
    { type: 'finish', finish: 'other' },
  ];
  const wire = replyOf(...old);

  test('CC-05 HTTP-06 of an older model is text and whole calls, however its bytes are cut', async () => {
    for (const chunks of cuttings(wire)) expect(await ask(streamed(...chunks))).toEqual(oldDeltas);
  });

  test('CC-05 HTTP-06 in the form of the API is the same however its bytes are cut', async () => {
    const fragment = (of: object) => chunk({ tool_calls: [{ index: 0, ...of }] });
    const body = replyOf(
      chunk({ role: 'assistant', content: '', reasoning_content: 'Hm' }),
      chunk({ content: 'Grüße' }),
      fragment({ id: 'functions.read:0', type: 'function', function: { name: 'read', arguments: '' } }),
      fragment({ function: { arguments: '{"n":1}' } }),
      fragment({ id: null, type: null, function: { name: null, arguments: '' } }),
      { ...chunk({}, 'tool_calls'), usage },
    );
    const expected = [
      { type: 'reasoning', text: 'Hm', provider: { openai: { field: 'reasoning_content' } } },
      { type: 'text', text: 'Grüße' },
      { type: 'tool_call', index: 0, id: 'functions.read:0', name: 'read' },
      { type: 'tool_call', index: 0, args: '{"n":1}' },
      { type: 'usage', usage: counted },
      { type: 'finish', finish: 'tool_calls' },
    ];
    for (const chunks of cuttings(body)) expect(await ask(streamed(...chunks))).toEqual(expected);
  });

  test('CC-05 the calls of an older model are calls of their own', async () => {
    const seen: unknown[] = [];
    const tools = ['read', 'look'].map((title) =>
      tool({
        name: title,
        description: 'Reads.',
        input: { type: 'object' },
        call: (input) => {
          seen.push([title, input]);
          return textResult('1');
        },
      }),
    );
    const model = modelOn(new FakeBinding(streamed(wire), streamed(hello)));
    const run = new Run({ model, tools: toolList(...tools) });
    await collect(run.turn(userText('u', 'Read')));
    expect(run.ended()).toMatchObject({ reason: 'done' });
    expect(seen).toEqual([
      ['read', { n: 1 }],
      ['look', {}],
      ['read', { n: 2 }],
    ]);
  });

  test('an older model that says why it stopped is believed', async () => {
    expect(await ask(streamed(event({ response: 'Hi', finish_reason: 'length' })))).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'finish', finish: 'length' },
    ]);
  });

  test('CC-13 that breaks off before its end is no reply', async () => {
    expect(await rejection(ask(streamed(event({ response: 'Hi' }))))).toMatchObject({ kind: 'transport_error' });
  });

  test('that comes whole, in either form, is read as a stream of one chunk', async () => {
    const message = { role: 'assistant', content: 'Hi', tool_calls: [call('a', 1), call('b', 2)] };
    expect(
      await ask(json({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage })),
    ).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'tool_call', id: 'a', name: 'read', args: '{"n":1}' },
      { type: 'tool_call', id: 'b', name: 'read', args: '{"n":2}' },
      { type: 'usage', usage: counted },
      { type: 'finish', finish: 'tool_calls' },
    ]);
    expect(await ask(json({ response: 'Hi', usage }, 200, { 'content-length': '3' }))).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'usage', usage: counted },
      { type: 'finish', finish: 'other' },
    ]);
  });
});

describe('a refusal', () => {
  const errors = (code: number, message: string) => ({ errors: [{ code, message }], success: false, result: {}, messages: [] });

  test.each<[string, Response | Error, object]>([
    [
      'requests a minute',
      json(errors(3021, 'Too many.'), 429, { 'retry-after': '7' }),
      { kind: 'rate_limited', retryAfter: 7000 },
    ],
    ['no machine is free, under another status', json(errors(3040, 'Full.'), 502), { kind: 'rate_limited', status: 429 }],
    ['no machine is free, thrown', new Error('3040: Full.'), { kind: 'rate_limited', status: 429, retryAfter: null }],
    ['the day is used up', json(errors(3036, 'Used up.'), 429), { kind: 'rate_limited', retryAfter: 900_000 }],
    ['the day is used up, thrown', new Error('InferenceUpstreamError: 3036: Used up.'), { retryAfter: 900_000 }],
    ['the prompt is too long', json(errors(5021, 'Too long.'), 400), { kind: 'context_too_long' }],
    ['the request is too large', json({ internalCode: 3006, description: 'Too large.' }, 400), { kind: 'context_too_long' }],
    ['its server was too slow', json(errors(3007, 'Slow.'), 408), { kind: 'model_error', status: 504 }],
    [
      'no such model',
      json({ internalCode: 5007, description: 'No such model.', name: 'AiError' }, 400),
      { kind: 'model_error', status: 400 },
    ],
    ['no such model, thrown', new Error('5007: No such model.'), { kind: 'model_error', status: 400 }],
    ['in the form of the API', json({ error: { message: 'No.' } }, 403), { kind: 'model_error', status: 403 }],
    ['under status 200', json(errors(9999, 'Broken.')), { kind: 'model_error', status: 500 }],
  ])('CC-13 FAIL-13 FAIL-14 is told by its code: %s', async (_, answer, expected) => {
    const error = await rejection(ask(answer));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject(expected);
  });

  test('CC-13 says what Workers AI said, without its codes', async () => {
    const message = async (answer: Response | Error) => String(await rejection(ask(answer)));
    expect(await message(json(errors(3040, 'Full.'), 429))).toMatch(/answered 429: Full\.$/);
    expect(await message(json({ internalCode: 5004, message: 'Bad data.' }, 400))).toMatch(/answered 400: Bad data\.$/);
    expect(await message(new Error('5004: Bad data.'))).toMatch(/answered 400: Bad data\.$/);
    expect(await message(new Response('gone', { status: 502 }))).toMatch(/answered 502: gone$/);
    expect(await message(new Response(null, { status: 502 }))).toMatch(/answered 502\.$/);
    expect(await message(json('text'))).toMatch(/answered 200: text$/);
  });

  test('CC-13 a binding that fails is not reached, and nothing of how is told', async () => {
    const error = await rejection(ask(new Error('Binding AI of secret-account needs to be run remotely')));
    expect(error).toMatchObject({ kind: 'transport_error', message: expect.not.stringContaining('secret') });
  });
});

describe('cancelling', () => {
  const post = (binding: FakeBinding, cancel: AbortSignal) =>
    new BindingTransport(binding, clock).post('', {}, JSON.stringify({ model: name }), cancel);

  test('CANC-02 CANC-03 leaves a run behind that does not look at its signal, and closes what it answers later', async () => {
    const [opening, closed] = [new Gate(), Promise.withResolvers<void>()];
    const late = new Response(new ReadableStream({ cancel: () => closed.resolve() }), { headers: eventStream });
    const binding = new FakeBinding(opening.wait().then(() => late));
    const cancel = new AbortController();
    const posting = post(binding, cancel.signal);
    await opening.reached;
    cancel.abort();
    expect(await rejection(posting)).toBeInstanceOf(Cancelled);
    expect(binding.runs[0]?.options.signal.aborted).toBe(true);
    opening.open();
    await closed.promise;
  });

  test('CANC-03 ends the wait for a stream that stalls, and closes it', async () => {
    const closed = Promise.withResolvers<void>();
    const source = new ReadableStream<Uint8Array>({ cancel: () => closed.resolve() });
    const cancel = new AbortController();
    const { body } = await post(new FakeBinding(new Response(source, { headers: eventStream })), cancel.signal);
    const reading = collect(body);
    cancel.abort();
    expect(await rejection(reading)).toBeInstanceOf(Cancelled);
    await closed.promise;
  });

  test('CANC-03 a signal that has fired runs nothing', async () => {
    const binding = new FakeBinding();
    expect(await rejection(post(binding, AbortSignal.abort()))).toBeInstanceOf(Cancelled);
    expect(binding.runs).toEqual([]);
  });

  test('HTTP-01 a stream goes through as it came', async () => {
    const response = await post(new FakeBinding(streamed('data: {', '}\n\n')), never);
    expect([response.status, await collect(response.body)]).toEqual([
      200,
      ['data: {', '}\n\n'].map((text) => new TextEncoder().encode(text)),
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Event,
  type JsonObject,
  type Message,
  Resume,
  Run,
  textOf,
  textResult,
  tool,
  toolCalls,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { ChatCompletions, FetchTransport } from '../../src/models/index.ts';
import { type LlamaServer, startLlamaServer } from './server.ts';
import { makeWeights } from './weights.ts';

type RunInit = ConstructorParameters<typeof Run>[0];

/** What the weights make the model say. */
const answer =
  'The harness keeps every step of this run in one durable log, so that a crash costs no work. When power returns, it reads ' +
  'what was done, drops half-made pieces, and goes on from there. Cafés close, threads wait 🧵 until someone answers.';
const thought = 'First weigh which tools fit, then check their inputs, act.';
const hello = userText('u1', 'Hello?');

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city', 'days'],
  },
  hints: { readOnly: true },
  call: (input) => textResult(`rain in the ${String(input.city)} for ${String(input.days)} days`),
});

let server: LlamaServer;
const bodies: JsonObject[] = [];

beforeAll(async () => {
  server = await startLlamaServer({ weights: makeWeights(), contextTokens: 2048, requestDefaults: { temperature: 0 } });
});

afterAll(() => server.close());

function runOn(init: Partial<RunInit> = {}): Run {
  const transport = new FetchTransport((url, request) => {
    bodies.push(JSON.parse(String(request.body)) as JsonObject);
    return fetch(url, request);
  });
  const model = new ChatCompletions({ transport, baseUrl: `${server.url}/v1`, model: 'any', host: 'llama_cpp' });
  return new Run({ model, tools: toolList(), ...init });
}

async function play(run: Run, input: Message | Resume): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of run.turn(input)) events.push(event);
  return events;
}

function options(maxOutputTokens: number, thinking = false): NonNullable<RunInit['options']> {
  return { maxOutputTokens, provider: { openai: { chat_template_kwargs: { enable_thinking: thinking } } } };
}

const joined = (events: readonly Event[], type: 'text_delta' | 'reasoning_delta'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('');

describe("a turn on llama.cpp's own server", () => {
  test('CC-02 CC-04 streams text piece by piece, with usage and finish', async () => {
    const run = runOn();
    const events = await play(run, hello);
    expect(joined(events, 'text_delta')).toBe(answer);
    expect(events.filter(({ type }) => type === 'text_delta').length).toBeGreaterThan(20);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'stop', usage: { input: 25, output: 48 } });
  });

  test('FIN-03 is done with finish length at the token limit', async () => {
    const run = runOn({ options: options(3) });
    await play(run, hello);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'length' });
    expect(run.messages().map(textOf)).toEqual(['Hello?', 'The harness keeps']);
  });

  test('CC-03 CC-05 calls a tool, gets its result, and answers', async () => {
    const run = runOn({ tools: toolList(weather) });
    await play(run, hello);
    const [, called, results, answered] = run.messages();
    expect(called === undefined ? [] : toolCalls(called)).toMatchObject([
      { name: 'get_weather', input: { city: 'north', days: 7 } },
    ]);
    expect(results?.content).toMatchObject([{ type: 'tool_result', content: [{ text: 'rain in the north for 7 days' }] }]);
    expect(answered === undefined ? '' : textOf(answered)).toBe(answer);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'stop' });
  });

  test('FIN-09 CC-15 does not run a call that the token limit cut', async () => {
    const run = runOn({ tools: toolList(weather), options: options(36), stop: [({ steps }) => steps >= 1] });
    const events = await play(run, hello);
    expect(events.find(({ type }) => type === 'message_ended')).toMatchObject({ finish: 'length' });
    expect(events.find(({ type }) => type === 'tool_ended')).toMatchObject({ outcome: { error: true } });
  });

  test('CC-08 CC-11 tells reasoning apart, and gives it back with the call', async () => {
    const run = runOn({ tools: toolList(weather), options: options(200, true) });
    bodies.length = 0;
    const events = await play(run, hello);
    expect(joined(events, 'reasoning_delta')).toContain(thought);
    expect(bodies[1]).toMatchObject({ messages: [{}, { reasoning_content: thought, tool_calls: [{}] }, { role: 'tool' }] });
    expect(run.ended()).toMatchObject({ reason: 'done' });
  });

  test('G-21 finds the next request in its cache, up to what is new', async () => {
    const run = runOn({ tools: toolList(weather) });
    const events = await play(run, userText('u1', 'Is it raining up there, and for how long will it?'));
    const [first, second] = events.flatMap((event) => (event.type === 'message_ended' ? [event.usage] : []));
    expect(second?.cacheRead).toBeGreaterThan((first?.input ?? Infinity) * 0.95);
  });
});

describe('continuing a reply', () => {
  const edit: Message = { id: 'a1', role: 'assistant', content: [{ type: 'text', text: 'The harness keeps every' }] };

  test('INTR-06 INTR-10 goes on from the edit, which the server repeats and the reply does not', async () => {
    const run = runOn({ messages: [hello] });
    const events = await play(run, new Resume(edit));
    expect(joined(events, 'text_delta')).toBe(answer.slice('The harness keeps every'.length));
    expect(run.messages().map(textOf)).toEqual(['Hello?', answer]);
  });

  test('INTR-11 goes on just so when it is asked by keys, as vLLM is', async () => {
    const keys = { continue_final_message: true, add_generation_prompt: false };
    const run = runOn({ messages: [hello], options: { provider: { openai: keys } } });
    await play(run, new Resume(edit));
    expect(run.messages().map(textOf)).toEqual(['Hello?', answer]);
  });
});

describe('a turn that cannot be', () => {
  test('CC-13 CTXW-03 fails as context_too_long when the prompt is larger than the window', async () => {
    const run = runOn();
    await play(run, userText('u1', 'x'.repeat(3000)));
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'context_too_long' });
  });

  test('CC-13 fails as transport_error where nobody listens', async () => {
    const model = new ChatCompletions({ transport: new FetchTransport(), baseUrl: 'http://127.0.0.1:1/v1', model: 'any' });
    const run = new Run({ model, tools: toolList() });
    await play(run, hello);
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'transport_error' });
  });
});

describe('a turn that is stopped', () => {
  const endless: RunInit['options'] = { maxOutputTokens: 1500, provider: { openai: { ignore_eos: true } } };

  test('CANC-03 CANC-08 ends cancelled in the middle of the stream, and the server goes on to the next request', async () => {
    const run = runOn({ options: endless });
    for await (const event of run.turn(hello)) if (event.type === 'text_delta') run.cancel();
    expect(run.ended()).toMatchObject({ reason: 'cancelled', partial: null });
    expect(run.messages()).toEqual([hello]);

    const next = runOn({ options: options(3) });
    await play(next, hello);
    expect(next.ended()).toMatchObject({ reason: 'done', finish: 'length' });
  });

  test('INTR-02 INTR-05 is interrupted with what it had said, and goes on from there to the same words', async () => {
    const run = runOn();
    let words = 0;
    for await (const event of run.turn(hello)) {
      if (event.type === 'text_delta') words += 1;
      if (words === 5) run.interrupt();
    }
    const partial = run.ended()?.partial;
    expect(partial === null || partial === undefined ? '' : textOf(partial)).toBe('The harness keeps every step');
    if (partial) await play(run, new Resume(partial));
    expect(run.messages().map(textOf)).toEqual(['Hello?', answer]);
  });
});

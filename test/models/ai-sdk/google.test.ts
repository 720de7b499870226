import { createGoogle } from '@ai-sdk/google';
import { describe, expect, test } from 'vitest';
import { type Delta, type Message, ModelError, Run, textResult, tool, toolList, userText } from '../../../src/core/index.ts';
import { AiSdkModel, type AiSdkModelInit, withoutRedirects } from '../../../src/models/ai-sdk/index.ts';
import { countingIds, TestPrompt } from '../../../src/testing/index.ts';
import { collect, collectUntilError, cuttings, event } from '../support.ts';
import { wire, type WireAnswer } from './wire.ts';

const id = 'gemini-3-pro-preview';

/** The package's own model object, speaking to a scripted wire. */
function gemini(fetch: typeof globalThis.fetch, init: Partial<AiSdkModelInit> = {}): AiSdkModel {
  return new AiSdkModel({ name: `google/${id}`, load: () => createGoogle({ apiKey: 'secret-key-1', fetch })(id), ...init });
}

/** A reply as the Gemini API streams it, an event for each list of parts. */
function reply(...chunks: readonly (readonly object[] | object)[]): string {
  return chunks
    .map((chunk) => event(Array.isArray(chunk) ? { candidates: [{ content: { role: 'model', parts: chunk } }] } : chunk))
    .join('');
}

const stop = {
  candidates: [{ finishReason: 'STOP' }],
  usageMetadata: {
    promptTokenCount: 900,
    cachedContentTokenCount: 700,
    candidatesTokenCount: 40,
    thoughtsTokenCount: 60,
    totalTokenCount: 1000,
  },
};

/** Thoughts, a text and two calls, the first of them signed, as the API signs parallel calls. */
const calling = reply(
  [{ text: 'Two cities: ', thought: true }],
  [{ text: 'look both up 🌦.', thought: true, thoughtSignature: 'c2lnLTE=' }],
  [{ text: 'Let me see.' }],
  [
    { functionCall: { id: 'fc-1', name: 'weather', args: { city: 'Zürich' } }, thoughtSignature: 'c2lnLTI=' },
    { functionCall: { id: 'fc-2', name: 'weather', args: { city: 'Paris' } } },
  ],
  stop,
);
const rain = reply([{ text: 'Rain.' }], stop);

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  hints: { readOnly: true },
  call: ({ city }) => textResult(`rain in ${String(city)}`),
});

async function turn(...answers: readonly WireAnswer[]) {
  const { fetch, requests } = wire(...answers);
  const run = new Run({ model: gemini(fetch), tools: toolList(weather), system: 'Be brief.', mintId: countingIds() });
  const events = await collect(run.turn(userText('u', 'Weather?')));
  return { run, events, requests };
}

const deltasOf = (body: WireAnswer['body']): Promise<Delta[]> => collect(gemini(wire({ body }).fetch).stream(new TestPrompt()));

async function failure(...answers: Parameters<typeof wire>): Promise<unknown> {
  return (await collectUntilError(gemini(wire(...answers).fetch).stream(new TestPrompt()))).error;
}

describe('Gemini through its AI SDK package', () => {
  test('MODEL-09 RUN-16 a turn of thoughts, text and parallel calls runs to its end', async () => {
    const { run, events } = await turn({ body: calling }, { body: rain });
    const [first, last] = events.filter((item) => item.type === 'message_ended');
    expect(
      first?.message.content.map((part) => [part.type, 'text' in part ? part.text : 'input' in part ? part.input : null]),
    ).toEqual([
      ['reasoning', 'Two cities: look both up 🌦.'],
      ['text', 'Let me see.'],
      ['tool_call', { city: 'Zürich' }],
      ['tool_call', { city: 'Paris' }],
    ]);
    expect(first).toMatchObject({ finish: 'tool_calls', usage: { input: 900, output: 100, cacheRead: 700, cacheWrite: 0 } });
    expect(last).toMatchObject({ finish: 'stop', message: { content: [{ type: 'text', text: 'Rain.' }] } });
    expect(run.ended()?.reason).toBe('done');
  });

  test('MODEL-11 signatures go back unchanged on the parts they came with, and results follow their calls', async () => {
    const { requests } = await turn({ body: calling }, { body: rain });
    expect(requests[1]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Weather?' }] },
        {
          role: 'model',
          parts: [
            { text: 'Two cities: look both up 🌦.', thought: true, thoughtSignature: 'c2lnLTE=' },
            { text: 'Let me see.' },
            { functionCall: { id: 'fc-1', name: 'weather', args: { city: 'Zürich' } }, thoughtSignature: 'c2lnLTI=' },
            { functionCall: { id: 'fc-2', name: 'weather', args: { city: 'Paris' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'fc-1', name: 'weather', response: { content: 'rain in Zürich' } } },
            { functionResponse: { id: 'fc-2', name: 'weather', response: { content: 'rain in Paris' } } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'weather', description: 'The weather of a city.' }] }],
    });
    const begun = JSON.stringify(requests[0]?.body).split('"contents":[')[1]?.split(']}]')[0] ?? 'none';
    expect(JSON.stringify(requests[1]?.body)).toContain(begun);
  });

  test('HTTP-05 HTTP-06 the reply is the same however its bytes are cut', async () => {
    const [whole, ...others] = cuttings(calling);
    const expected = await deltasOf(whole ?? []);
    expect(expected.at(-1)).toEqual({ type: 'finish', finish: 'tool_calls' });
    for (const chunks of others) expect(await deltasOf(chunks)).toEqual(expected);
  }, 120_000);

  test('MODEL-11 a signature in an empty text at the end keeps its place', async () => {
    const signed = reply([{ text: 'Done.' }], [{ text: '', thoughtSignature: 'c2lnLTM=' }], stop);
    const { fetch, requests } = wire({ body: signed }, { body: rain });
    const run = new Run({ model: gemini(fetch), tools: toolList() });
    await collect(run.turn(userText('u', 'Go')));
    await collect(run.turn(userText('v', 'And?')));
    expect(requests[1]?.body).toMatchObject({
      contents: [{}, { role: 'model', parts: [{ text: 'Done.', thoughtSignature: 'c2lnLTM=' }] }, {}],
    });
  });

  test('RESP-07 what the provider ran itself is shown to nobody and goes back in its place', async () => {
    const code = { language: 'PYTHON', code: 'print(6*7)' };
    const ran = reply(
      [{ text: 'Counting.' }, { executableCode: code }, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } }],
      [{ inlineData: { mimeType: 'image/png', data: 'aWNvbg==' }, thoughtSignature: 'c2lnLTQ=' }],
      [{ text: '42.' }],
      stop,
    );
    const { fetch, requests } = wire({ body: ran }, { body: rain });
    const run = new Run({ model: gemini(fetch), tools: toolList() });
    const events = await collect(run.turn(userText('u', 'Count')));
    expect(events.some(({ type }) => type.startsWith('tool_'))).toBe(false);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'stop' });
    await collect(run.turn(userText('v', 'And?')));
    expect(requests[1]?.body).toMatchObject({
      contents: [
        {},
        {
          role: 'model',
          parts: [
            { text: 'Counting.' },
            { executableCode: code },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
            { inlineData: { mimeType: 'image/png', data: 'aWNvbg==' }, thoughtSignature: 'c2lnLTQ=' },
            { text: '42.' },
          ],
        },
        {},
      ],
    });
  });

  test('MODEL-10 images and results with images reach the wire', async () => {
    const { fetch, requests } = wire({ body: rain });
    const image = { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' } as const;
    const messages: readonly Message[] = [
      { id: 'u', role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] },
      { id: 'a', role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'look', input: {} }] },
      {
        id: 'r',
        role: 'user',
        content: [{ type: 'tool_result', callId: 'c1', error: false, content: [{ type: 'text', text: 'here' }, image] }],
      },
    ];
    await collect(gemini(fetch).stream(new TestPrompt({ messages })));
    const inlineData = { mimeType: 'image/png', data: 'aWNvbg==' };
    expect(requests[0]?.body).toMatchObject({
      contents: [
        { role: 'user', parts: [{ text: 'What is it?' }, { inlineData }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'look' } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', response: { content: 'here' }, parts: [{ inlineData }] } }] },
      ],
    });
  });
});

describe('how Gemini ends', () => {
  test.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'refusal'],
    ['RECITATION', 'refusal'],
    ['STOP', 'stop'],
  ])('FIN-02 %s is %s', async (finishReason, finish) => {
    const deltas = await deltasOf(reply([{ text: 'A' }], { candidates: [{ finishReason }] }));
    expect(deltas.at(-1)).toEqual({ type: 'finish', finish });
    expect(deltas.some(({ type }) => type === 'usage')).toBe(false);
  });

  test('FIN-02 a prompt that is blocked is a refusal', async () => {
    const deltas = await deltasOf(reply({ promptFeedback: { blockReason: 'SAFETY' } }));
    expect(deltas.at(-1)).toEqual({ type: 'finish', finish: 'refusal' });
  });

  test('HTTP-08 a stream without an end is a transport error, after what came', async () => {
    const { items, error } = await collectUntilError(
      gemini(wire({ body: reply([{ text: 'Half' }]) }).fetch).stream(new TestPrompt()),
    );
    expect(items[0]).toEqual({ type: 'text', text: 'Half' });
    expect(error).toMatchObject({ kind: 'transport_error' });
  });

  test('FAIL-14 an end that is an error is a model error', async () => {
    expect(await failure({ body: reply({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] }) })).toMatchObject({
      kind: 'model_error',
    });
  });
});

describe('how Gemini fails', () => {
  const json = { 'content-type': 'application/json' };
  const body = (code: number, status: string, message: string): string => JSON.stringify({ error: { code, message, status } });

  test('FAIL-13 CC-13 a rate limit carries the time to wait', async () => {
    const limited = { status: 429, headers: { ...json, 'retry-after': '7' }, body: body(429, 'RESOURCE_EXHAUSTED', 'Too many.') };
    expect(await failure(limited)).toMatchObject({
      kind: 'rate_limited',
      retryAfter: 7000,
      message: "The model's server answered 429: Too many.",
    });
  });

  test('FAIL-14 a key that the server repeats is not told', async () => {
    const refused = { status: 400, headers: json, body: body(400, 'INVALID_ARGUMENT', 'API key secret-key-1 not valid.') };
    const model = gemini(wire(refused).fetch, { key: 'secret-key-1' });
    const { error } = await collectUntilError(model.stream(new TestPrompt()));
    expect(error).toMatchObject({ kind: 'model_error', message: "The model's server answered 400: API key [key] not valid." });
  });

  test('CTXW-03 a prompt that is too long is told apart', async () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
    expect(await failure({ status: 400, headers: json, body: body(400, 'INVALID_ARGUMENT', message) })).toMatchObject({
      kind: 'context_too_long',
    });
  });

  test('FAIL-14 an error in the stream keeps its kind', async () => {
    const error = { error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED' } };
    expect(await failure({ body: reply([{ text: 'A' }], error) })).toMatchObject({ kind: 'rate_limited' });
    const other = { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } };
    expect(await failure({ body: reply(other) })).toMatchObject({ kind: 'model_error' });
  });

  test('FAIL-14 a server that cannot be reached is a transport error, and names no address', async () => {
    const error = await failure(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.1:443') }));
    expect(error).toEqual(
      new ModelError('transport_error', "The model's server could not be reached, or broke off the connection."),
    );
  });

  test('HTTP-10 a redirect is not followed', async () => {
    const { fetch } = wire({ status: 302, headers: { location: 'https://elsewhere.test/' }, body: '' });
    const seen: unknown[] = [];
    const spied: typeof globalThis.fetch = (input, init) => {
      seen.push(init?.redirect);
      return fetch(input, init);
    };
    const { error } = await collectUntilError(gemini(withoutRedirects(spied)).stream(new TestPrompt()));
    expect(seen).toEqual(['manual']);
    expect(error).toMatchObject({ kind: 'model_error', message: expect.stringContaining('redirect') });
  });
});

import { createMistral } from '@ai-sdk/mistral';
import { describe, expect, test } from 'vitest';
import { type Delta, type Message, Run, textResult, tool, toolList, userText } from '../../../src/core/index.ts';
import { AiSdkModel, type AiSdkModelInit } from '../../../src/models/ai-sdk/index.ts';
import { countingIds, TestPrompt } from '../../../src/testing/index.ts';
import { chunk, collect, collectUntilError, cuttings, replyOf } from '../support.ts';
import { wire, type WireAnswer } from './wire.ts';

/** The package's own model object, speaking to a scripted wire. */
function mistral(fetch: typeof globalThis.fetch, init: Partial<AiSdkModelInit> = {}): AiSdkModel {
  const load = () => createMistral({ apiKey: 'secret-key-1', fetch, generateId: () => 'r1' })('mistral-medium-latest');
  return new AiSdkModel({ name: 'mistral/mistral-medium-latest', load, ...init });
}

const usage = { prompt_tokens: 171, total_tokens: 185, completion_tokens: 14, prompt_tokens_details: { cached_tokens: 128 } };
const ended = (reason: string): object => ({ ...chunk({ content: '' }, reason), usage });
const thinking = (text: string): object => chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] });

/** Thoughts in the typed list, then a call whose arguments stream. */
const calling = replyOf(
  thinking('Naïve: '),
  thinking('ask first.'),
  chunk({ content: 'I look.' }),
  chunk({ tool_calls: [{ id: 'Zk3qWv9aB', index: 0, function: { name: 'weather', arguments: '{"city": "Zü' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { name: '', arguments: 'rich"}' } }] }),
  ended('tool_calls'),
);
const rain = replyOf(chunk({ content: 'Rain.' }), ended('stop'));

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  hints: { readOnly: true },
  call: ({ city }) => textResult(`rain in ${String(city)}`),
});

const deltasOf = (body: WireAnswer['body']): Promise<Delta[]> => collect(mistral(wire({ body }).fetch).stream(new TestPrompt()));

describe('Mistral through its AI SDK package', () => {
  test('MODEL-09 MODEL-11 a turn with thoughts and a call, and what goes back of it', async () => {
    const { fetch, requests } = wire({ body: calling }, { body: rain });
    const run = new Run({ model: mistral(fetch), tools: toolList(weather), mintId: countingIds() });
    const events = await collect(run.turn(userText('u', 'Weather?')));
    expect(events.flatMap((item) => (item.type === 'tool_input_delta' ? [item.json] : [])).join('')).toBe('{"city": "Zürich"}');
    expect(events.find((item) => item.type === 'message_ended')).toMatchObject({
      finish: 'tool_calls',
      usage: { input: 171, output: 14, cacheRead: 128, cacheWrite: 0 },
    });
    expect(run.ended()?.reason).toBe('done');
    expect(requests[1]?.body).toMatchObject({
      model: 'mistral-medium-latest',
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'Naïve: ask first.' }] },
            { type: 'text', text: 'I look.' },
          ],
          tool_calls: [{ id: 'Zk3qWv9aB', function: { name: 'weather', arguments: '{"city":"Zürich"}' } }],
        },
        { role: 'tool', tool_call_id: 'Zk3qWv9aB', name: 'weather', content: 'rain in Zürich' },
      ],
    });
  });

  test('HTTP-05 HTTP-06 the reply is the same however its bytes are cut', async () => {
    const [whole, ...others] = cuttings(calling);
    const expected = await deltasOf(whole ?? []);
    expect(expected.at(-1)).toEqual({ type: 'finish', finish: 'tool_calls' });
    for (const chunks of others) expect(await deltasOf(chunks)).toEqual(expected);
  }, 120_000);

  test('MODEL-11 of another model go neither its thoughts nor its ids', async () => {
    const { fetch, requests } = wire({ body: rain });
    const messages: readonly Message[] = [
      userText('u', 'Hi'),
      {
        id: 'a',
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Secret.', provider: { 'google/gemini': { google: { thoughtSignature: 's' } } } },
          { type: 'opaque', provider: { 'google/gemini': { type: 'text', text: '' } } },
          { type: 'tool_call', id: 'call_1', providerId: 'toolu_01A', name: 'weather', input: { city: 'Bern' } },
        ],
      },
      { id: 'r', role: 'user', content: [{ type: 'tool_result', callId: 'call_1', content: [], error: true }] },
    ];
    await collect(mistral(fetch).stream(new TestPrompt({ messages })));
    const sent = requests[0]?.body as {
      messages: { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string }[];
    };
    const id = sent.messages[1]?.tool_calls?.[0]?.id;
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(sent.messages.map(({ role, content, tool_call_id: of }) => [role, content, of])).toEqual([
      ['user', [{ type: 'text', text: 'Hi' }], undefined],
      ['assistant', '', undefined],
      ['tool', '', id],
    ]);
  });

  test('INTR-21 a model that was told to continue gets the edit last, and the echo of it is taken off', async () => {
    const { fetch, requests } = wire({
      body: replyOf(chunk({ content: 'The sky' }), chunk({ content: ' is blue.' }), ended('stop')),
    });
    const messages: readonly Message[] = [
      userText('u', 'Sky?'),
      { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'The sky is' }] },
    ];
    const model = mistral(fetch, { continues: true });
    const deltas = await collect(model.stream(new TestPrompt({ messages, continue: true })));
    expect(requests[0]?.body).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: 'The sky is', prefix: true }],
    });
    expect(deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []))).toEqual([' blue.']);
  });

  test('CC-13 FAIL-14 its errors have their kinds', async () => {
    const answer = (status: number, message: string, type: string): WireAnswer => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ object: 'error', message, type, param: null, code: null }),
    });
    const kinds = [
      answer(429, 'Requests rate limit exceeded', 'rate_limited'),
      answer(400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 'invalid_request_error'),
      answer(401, 'Unauthorized', 'invalid_request_error'),
    ].map(async (one) => (await collectUntilError(mistral(wire(one).fetch).stream(new TestPrompt()))).error);
    expect(await Promise.all(kinds)).toMatchObject([
      { kind: 'rate_limited' },
      { kind: 'context_too_long' },
      { kind: 'model_error' },
    ]);
  });
});

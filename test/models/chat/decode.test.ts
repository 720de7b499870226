import { describe, expect, test } from 'vitest';
import type { Delta, JsonObject } from '../../../src/core/index.ts';
import { ChatDecoder } from '../../../src/models/chat/decode.ts';

/** The deltas of a reply's chunks, its finish included. */
function decode(...chunks: readonly object[]): Delta[] {
  const decoder = new ChatDecoder('openai/m');
  return [...chunks.flatMap((chunk) => decoder.add(chunk as JsonObject)), ...decoder.end()];
}

const delta = (value: object, more: object = {}): object => ({
  choices: [{ index: 0, delta: value, finish_reason: null, ...more }],
});
const finish = (reason: unknown): object => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const without = (deltas: readonly Delta[], ...types: readonly Delta['type'][]): Delta[] =>
  deltas.filter(({ type }) => !types.includes(type));
const calls = (...fragments: readonly object[]): object => delta({ tool_calls: fragments });

describe('text and reasoning', () => {
  test('CC-08 the first field that holds something is the reasoning, and is remembered', () => {
    const decoded = decode(
      delta({ role: 'assistant', content: null, reasoning_content: '' }),
      delta({ content: null, reasoning_content: 'Hm' }),
      delta({ reasoning: 'Hm', reasoning_text: 'other' }),
      delta({ reasoning_text: 'Hm' }),
      delta({ content: 'Hello', reasoning_content: null }),
    );
    expect(without(decoded, 'finish')).toEqual([
      { type: 'reasoning', text: 'Hm', provider: { openai: { field: 'reasoning_content' } } },
      { type: 'reasoning', text: 'Hm', provider: { openai: { field: 'reasoning' } } },
      { type: 'reasoning', text: 'Hm', provider: { openai: { field: 'reasoning_text' } } },
      { type: 'text', text: 'Hello' },
    ]);
  });

  test('CC-08 content that is a list of parts holds reasoning and text', () => {
    const decoded = decode(
      delta({
        content: [
          {
            type: 'thinking',
            thinking: [
              { type: 'text', text: 'H' },
              { type: 'text', text: 'm' },
            ],
          },
        ],
      }),
      delta({
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'reference', reference_ids: [1] },
        ],
      }),
    );
    expect(without(decoded, 'finish')).toEqual([
      { type: 'reasoning', text: 'Hm', provider: { openai: { field: 'content' } } },
      { type: 'text', text: 'Hello' },
    ]);
  });

  test('MODEL-11 typed details are joined by index and travel with the reasoning', () => {
    const piece = (text: string, more: object = {}): object => ({ type: 'reasoning.text', index: 0, format: 'f', text, ...more });
    const decoded = decode(
      delta({ reasoning: 'a', reasoning_details: [piece('a', { signature: null })] }),
      delta({ reasoning: 'b', reasoning_details: [piece('b')] }),
      delta({ reasoning_details: [piece('', { signature: 's' }), { type: 'reasoning.encrypted', index: 1, data: 'x' }] }),
    );
    expect(decoded.filter(({ type }) => type === 'reasoning').map((item) => ('text' in item ? item.text : null))).toEqual([
      'a',
      'b',
      '',
    ]);
    expect(decoded.findLast(({ type }) => type === 'reasoning')).toMatchObject({
      provider: {
        openai: {
          field: 'reasoning',
          details: [
            { type: 'reasoning.text', index: 0, format: 'f', text: 'ab', signature: 's' },
            { type: 'reasoning.encrypted', index: 1, data: 'x' },
          ],
          owner: 'openai/m',
        },
      },
    });
  });

  test('CC-07 a refusal is text, and the finish says refusal', () => {
    expect(decode(delta({ refusal: 'I can' }), delta({ refusal: 'not.' }), finish('stop'))).toEqual([
      { type: 'text', text: 'I can' },
      { type: 'text', text: 'not.' },
      { type: 'finish', finish: 'refusal' },
    ]);
  });

  test('FIN-05 CC-12 text that looks like a call or a thought stays text', () => {
    const leaked = '<think>x</think><tool_call>{"name":"read"}</tool_call>';
    expect(decode(delta({ content: leaked }), finish('length'))).toEqual([
      { type: 'text', text: leaked },
      { type: 'finish', finish: 'length' },
    ]);
  });

  test('HTTP-09 a chunk that says nothing gives nothing', () => {
    const nothing = [
      {},
      { choices: [] },
      { choices: null },
      delta({}),
      delta({ role: 'assistant', content: '' }),
      { choices: [{}] },
      calls({ index: 0, function: { arguments: '' } }),
    ];
    for (const chunk of nothing) expect(new ChatDecoder('openai/m').add(chunk as JsonObject)).toEqual([]);
  });

  test('CC-04 a second choice is not mixed into the first', () => {
    const decoded = decode({
      choices: [
        { index: 1, delta: { content: 'no' } },
        { index: 0, delta: { content: 'yes' } },
      ],
    });
    expect(without(decoded, 'finish')).toEqual([{ type: 'text', text: 'yes' }]);
  });
});

describe('fragments of calls', () => {
  const fragmentsOf = (...chunks: readonly object[]): Delta[] => without(decode(...chunks), 'finish');

  test('CC-05 pass as they came', () => {
    expect(
      fragmentsOf(
        calls({ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '' } }),
        calls({ index: 0, function: { arguments: '{"p' } }),
      ),
    ).toEqual([
      { type: 'tool_call', index: 0, id: 'a', name: 'read' },
      { type: 'tool_call', index: 0, args: '{"p' },
    ]);
  });

  test('CC-05 what is missing, empty or null stays missing', () => {
    expect(
      fragmentsOf(
        calls({ id: 'x', function: { name: 'read', arguments: '{}' } }),
        calls({ id: '', index: null, function: { name: '', arguments: '1' } }),
      ),
    ).toEqual([
      { type: 'tool_call', id: 'x', name: 'read', args: '{}' },
      { type: 'tool_call', args: '1' },
    ]);
  });

  test('CC-05 several calls of one chunk keep their order', () => {
    const both = calls(
      { index: 0, id: 'a', function: { name: 'read', arguments: '{}' } },
      { index: 0, id: 'b', function: { name: 'read', arguments: '{}' } },
    );
    expect(fragmentsOf(both).map((fragment) => ('id' in fragment ? fragment.id : null))).toEqual(['a', 'b']);
  });

  test('CC-05 arguments that are an object are written out', () => {
    expect(fragmentsOf(calls({ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'x' } } }))).toEqual([
      { type: 'tool_call', index: 0, id: 'a', name: 'read', args: '{"path":"x"}' },
    ]);
  });
});

describe('usage', () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
  };
  const read = { input: 10, output: 4, cacheRead: 3, cacheWrite: 2 };
  const usages = (...chunks: readonly object[]): unknown[] =>
    decode(...chunks).flatMap((item) => (item.type === 'usage' ? [item.usage] : []));

  test.each<[string, object]>([
    ['in a chunk of its own', { usage }],
    ['in a chunk with no choices', { choices: [], usage }],
    ['on the chunk of the finish', { ...finish('stop'), usage }],
    ['in the choice', { choices: [{ usage }] }],
    ['in a field of the host', { choices: [], x_groq: { usage } }],
  ])('CC-04 is read %s', (_, chunk) => {
    expect(usages(chunk)).toEqual([read]);
  });

  test('CC-04 is replaced, never added, and told once when it is repeated', () => {
    expect(
      usages({ usage: { prompt_tokens: 10, completion_tokens: 1 } }, { usage }, { usage: null }, { usage, x_groq: { usage } }),
    ).toEqual([{ input: 10, output: 1, cacheRead: 0, cacheWrite: 0 }, read]);
  });

  test('CC-04 counts reasoning that only the total has', () => {
    expect(usages({ usage: { prompt_tokens: 307, completion_tokens: 26, total_tokens: 560 } })).toMatchObject([
      { input: 307, output: 253 },
    ]);
  });

  test('CC-04 reads the cache hits of DeepSeek', () => {
    expect(usages({ usage: { prompt_tokens: 9, completion_tokens: 1, prompt_cache_hit_tokens: 8 } })).toMatchObject([
      { cacheRead: 8 },
    ]);
  });
});

describe('the finish', () => {
  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool_calls'],
    ['content_filter', 'refusal'],
    ['model_length', 'length'],
    ['function_call', 'tool_calls'],
    ['insufficient_system_resource', 'other'],
    ['toString', 'other'],
  ])('CC-06 %s is %s', (reason, expected) => {
    expect(decode(finish(reason))).toEqual([{ type: 'finish', finish: expected }]);
  });

  test('HTTP-08 is not there before the server names it', () => {
    const decoder = new ChatDecoder('openai/m');
    decoder.add(delta({ content: 'Hello' }) as JsonObject);
    decoder.add(finish('') as JsonObject);
    expect(decoder.finished).toBe(false);
    decoder.add(finish('stop') as JsonObject);
    expect(decoder.finished).toBe(true);
  });

  test('FAIL-14 error is no finish but a failure', () => {
    expect(() => decode(finish('error'))).toThrow(expect.objectContaining({ kind: 'model_error' }));
  });
});

describe('an error inside the stream', () => {
  test.each<[string, object, string]>([
    ['an object', { error: { message: 'boom', code: 500 } }, 'model_error'],
    ['a text', { error: 'boom' }, 'model_error'],
    ['a whole chunk', { object: 'error', message: 'boom', code: 400 }, 'model_error'],
    ['a rate limit with a status', { error: { message: 'boom', code: 429 } }, 'rate_limited'],
    ['a rate limit with a code', { error: { message: 'boom', code: 'rate_limit_exceeded' } }, 'rate_limited'],
    ['an overflow', { error: { message: 'boom', type: 'exceed_context_size_error', code: 400 } }, 'context_too_long'],
  ])('CC-13 %s', (_, chunk, kind) => {
    expect(() => decode(delta({ content: 'Hel' }), chunk)).toThrow(
      expect.objectContaining({ kind, message: expect.stringContaining('boom') }),
    );
  });
});

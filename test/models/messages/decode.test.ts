import { describe, expect, test } from 'vitest';
import type { Delta, JsonObject } from '../../../src/core/index.ts';
import { MessagesDecoder } from '../../../src/models/messages/decode.ts';

const owner = 'anthropic/m';

/** The deltas of a reply's events, its finish included. */
function decode(...events: readonly object[]): readonly Delta[] {
  const decoder = new MessagesDecoder(owner);
  return [...events.flatMap((event) => decoder.add(event as JsonObject)), ...decoder.end()];
}

const opened = (block: object, index = 0): object => ({ type: 'content_block_start', index, content_block: block });
const delta = (value: object, index = 0): object => ({ type: 'content_block_delta', index, delta: value });
const closed = (index = 0): object => ({ type: 'content_block_stop', index });
const stopped = (reason: unknown, usage: object = {}): object => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage,
});
const started = (message: object = {}): object => ({ type: 'message_start', message: { id: 'msg_1', content: [], ...message } });
const without = (deltas: readonly Delta[], ...types: readonly Delta['type'][]): Delta[] =>
  deltas.filter(({ type }) => !types.includes(type));
const contentOf = (...events: readonly object[]): Delta[] => without(decode(...events), 'usage', 'finish');
const provider = (data: object): object => ({ provider: { [owner]: data } });
const border = { type: 'border' };

describe('thoughts', () => {
  test('ANT-01 are reasoning, with their signature as data', () => {
    expect(
      contentOf(
        opened({ type: 'thinking', thinking: '', signature: '' }),
        delta({ type: 'thinking_delta', thinking: 'Hm' }),
        delta({ type: 'thinking_delta', thinking: '' }),
        delta({ type: 'thinking_delta', thinking: '.' }),
        delta({ type: 'signature_delta', signature: 'S+/=' }),
        closed(),
      ),
    ).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', text: '.' },
      { type: 'reasoning', text: '', ...provider({ signature: 'S+/=' }) },
      border,
    ]);
  });

  test('ANT-02 ANT-03 without a text are kept apart from each other', () => {
    expect(
      contentOf(
        opened({ type: 'redacted_thinking', data: 'R==' }),
        closed(),
        opened({ type: 'thinking', thinking: '', signature: '' }, 1),
        delta({ type: 'signature_delta', signature: 'S' }, 1),
        closed(1),
      ),
    ).toEqual([
      { type: 'reasoning', text: '', ...provider({ redacted: 'R==' }) },
      border,
      { type: 'reasoning', text: '', ...provider({ signature: 'S' }) },
      border,
    ]);
  });

  test('ANT-01 that stand whole in the opening event lose nothing', () => {
    expect(contentOf(opened({ type: 'thinking', thinking: 'Hm', signature: 'S' }), closed())).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', text: '', ...provider({ signature: 'S' }) },
      border,
    ]);
  });
});

describe('text', () => {
  test('MODEL-11 gets its citations, which come before it', () => {
    const citation = { type: 'char_location', cited_text: 'x' };
    expect(
      contentOf(
        opened({ type: 'text', text: 'A', citations: [] }),
        delta({ type: 'citations_delta', citation }),
        delta({ type: 'text_delta', text: 'b' }),
        closed(),
        opened({ type: 'text', text: '' }, 1),
        closed(1),
      ),
    ).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'b' },
      { type: 'text', text: '', ...provider({ citations: [citation] }) },
      border,
      border,
    ]);
  });
});

describe('calls', () => {
  const toolUse = (more: object = {}): object => ({ type: 'tool_use', id: 'toolu_1', name: 'read', input: {}, ...more });

  test('CC-05 stream their input as text', () => {
    expect(
      contentOf(
        opened(toolUse(), 3),
        delta({ type: 'input_json_delta', partial_json: '' }, 3),
        delta({ type: 'input_json_delta', partial_json: '{"p' }, 3),
        delta({ type: 'input_json_delta', partial_json: '":1}' }, 3),
        closed(3),
      ),
    ).toEqual([
      { type: 'tool_call', index: 3, id: 'toolu_1', name: 'read' },
      { type: 'tool_call', index: 3, args: '{"p' },
      { type: 'tool_call', index: 3, args: '":1}' },
    ]);
  });

  test('CC-05 may have it in the opening event, which counts when nothing streams', () => {
    expect(contentOf(opened(toolUse({ input: { p: 1 } })), closed())).toEqual([
      { type: 'tool_call', index: 0, id: 'toolu_1', name: 'read' },
      { type: 'tool_call', index: 0, args: '{"p":1}' },
    ]);
    const streamed = delta({ type: 'input_json_delta', partial_json: '{"q":2}' });
    expect(contentOf(opened(toolUse({ input: { p: 1 } })), streamed, closed()).at(-1)).toMatchObject({ args: '{"q":2}' });
    expect(contentOf(opened(toolUse()), closed())).toHaveLength(1);
  });

  test('MODEL-11 keep what else they hold', () => {
    expect(contentOf(opened(toolUse({ caller: { type: 'direct' } })), closed())).toEqual([
      { type: 'tool_call', index: 0, id: 'toolu_1', name: 'read', ...provider({ caller: { type: 'direct' } }) },
    ]);
  });
});

describe('blocks that we do not know', () => {
  test('RESP-07 are kept as they are, once they are whole', () => {
    const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(
      contentOf(
        opened(use),
        delta({ type: 'input_json_delta', partial_json: '{"query":' }),
        delta({ type: 'input_json_delta', partial_json: '"x"}' }),
        closed(),
        opened({ type: 'fallback', to: { model: 'm' } }, 1),
        closed(1),
        opened({ type: 'cut' }, 2),
      ),
    ).toEqual([
      { type: 'opaque', ...provider({ ...use, input: { query: 'x' } }) },
      { type: 'opaque', ...provider({ type: 'fallback', to: { model: 'm' } }) },
    ]);
  });

  test('RESP-07 grow by whatever their deltas hold', () => {
    expect(
      contentOf(
        opened({ type: 'compaction', content: null }),
        delta({ type: 'compaction_delta', content: 'So ', index: 1 }),
        delta({ type: 'compaction_delta', content: 'far', index: 2 }),
        closed(),
      ),
    ).toEqual([{ type: 'opaque', ...provider({ type: 'compaction', content: 'So far', index: 2 }) }]);
  });
});

describe('the finish', () => {
  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'refusal'],
    ['pause_turn', 'other'],
    ['compaction', 'other'],
    ['toString', 'other'],
  ])('ANT-08 %s is %s', (reason, finish) => {
    expect(decode(stopped(reason)).at(-1)).toEqual({ type: 'finish', finish });
  });

  test('HTTP-08 is not there before the server names it, and message_stop ends the stream', () => {
    const decoder = new MessagesDecoder(owner);
    for (const event of [started({ stop_reason: null }), stopped(null)]) decoder.add(event as JsonObject);
    expect([decoder.finished, decoder.done]).toEqual([false, false]);
    decoder.add(stopped('end_turn') as JsonObject);
    expect([decoder.finished, decoder.done]).toEqual([true, false]);
    decoder.add({ type: 'message_stop' });
    expect(decoder.done).toBe(true);
  });

  test('ANT-08 may stand in the opening event, with the whole content', () => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { p: 1 } };
    expect(decode(started({ content: [block], stop_reason: 'tool_use', usage: { input_tokens: 0, output_tokens: 0 } }))).toEqual([
      { type: 'tool_call', index: 0, id: 'toolu_1', name: 'read' },
      { type: 'tool_call', index: 0, args: '{"p":1}' },
      { type: 'usage', usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
      { type: 'finish', finish: 'tool_calls' },
    ]);
  });
});

describe('usage', () => {
  const usages = (...events: readonly object[]): unknown[] =>
    decode(...events).flatMap((item) => (item.type === 'usage' ? [item.usage] : []));
  const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 7, cache_creation_input_tokens: 5 };

  test('ANT-09 has what the cache gave and took beside the input', () => {
    expect(usages(started({ usage }))).toEqual([{ input: 10, output: 1, cacheRead: 7, cacheWrite: 5 }]);
  });

  test('ANT-09 RUN-16 a later count replaces an earlier one, and one that is absent or null stays', () => {
    expect(
      usages(
        started({ usage }),
        stopped('end_turn', { input_tokens: null, output_tokens: 30 }),
        stopped('end_turn', { input_tokens: 12, output_tokens: 30, cache_read_input_tokens: 0 }),
        stopped('end_turn', { output_tokens: 30 }),
      ),
    ).toEqual([
      { input: 10, output: 1, cacheRead: 7, cacheWrite: 5 },
      { input: 10, output: 30, cacheRead: 7, cacheWrite: 5 },
      { input: 12, output: 30, cacheRead: 0, cacheWrite: 5 },
    ]);
  });
});

describe('events that say nothing', () => {
  test('HTTP-09 give nothing: pings, events and deltas that we do not know', () => {
    const nothing = [
      { type: 'ping' },
      { type: 'vibe' },
      {},
      started(),
      started({ content: null, usage: null }),
      { type: 'message_start' },
      { type: 'content_block_start' },
      { type: 'content_block_delta', index: 0 },
      delta({ type: 'text_delta', text: 'of no block' }, 7),
      closed(7),
      { type: 'message_delta' },
      { type: 'message_stop' },
    ];
    for (const event of nothing) expect(new MessagesDecoder(owner).add(event as JsonObject)).toEqual([]);
    expect(contentOf(opened({ type: 'text', text: '' }), delta({ type: 'vibe_delta', text: 'x' }))).toEqual([]);
  });
});

describe('a second opening event', () => {
  const hello = [opened({ type: 'text', text: '' }), delta({ type: 'text_delta', text: 'Hel' })];

  test('ANT-01 of the same reply changes nothing', () => {
    expect(contentOf(started(), started(), ...hello, started(), delta({ type: 'text_delta', text: 'lo' }), closed())).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      border,
    ]);
  });

  test('ANT-01 of another reply before the first said anything is the one that counts', () => {
    expect(contentOf(started(), started({ id: 'msg_2' }), ...hello)).toEqual([{ type: 'text', text: 'Hel' }]);
  });

  test('HTTP-08 of another reply in the middle of one is a broken stream', () => {
    expect(() => decode(started(), ...hello, started({ id: 'msg_2' }))).toThrow(
      expect.objectContaining({ kind: 'transport_error' }),
    );
  });
});

describe('an error inside the stream', () => {
  test.each([
    ['overloaded_error', 'Overloaded', 'rate_limited'],
    ['rate_limit_error', 'Number of requests has exceeded your rate limit', 'rate_limited'],
    ['api_error', 'Internal server error', 'model_error'],
    ['invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_too_long'],
  ])('FAIL-14 %s: %s', (type, message, kind) => {
    expect(() => decode(started(), { type: 'error', error: { type, message }, request_id: 'r' })).toThrow(
      expect.objectContaining({ kind, message: expect.stringContaining(message) }),
    );
  });
});

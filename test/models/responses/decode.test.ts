import { describe, expect, test } from 'vitest';
import type { Delta, JsonObject } from '../../../src/core/index.ts';
import { ResponsesDecoder } from '../../../src/models/responses/decode.ts';

const owner = 'openai/m';

/** The deltas of a reply's events, its finish included. */
function decode(...events: readonly object[]): readonly Delta[] {
  const decoder = new ResponsesDecoder(owner);
  return [...events.flatMap((event) => decoder.add(event as JsonObject)), ...decoder.end()];
}

const event = (type: string, at: number, fields: object): object => ({ type: `response.${type}`, output_index: at, ...fields });
const added = (item: object, at = 0): object => event('output_item.added', at, { item });
const done = (item: object, at = 0): object => event('output_item.done', at, { item });
const delta = (type: string, value: string, at = 0, more: object = {}): object =>
  event(`${type}.delta`, at, { delta: value, content_index: 0, summary_index: 0, ...more });
const ended = (status: string, more: object = {}): object => ({
  type: `response.${status}`,
  response: { status, output: [], ...more },
});
const contentOf = (...events: readonly object[]): Delta[] =>
  decode(...events).filter(({ type }) => type !== 'usage' && type !== 'finish');
const finishOf = (...events: readonly object[]): unknown => decode(...events).at(-1);
const provider = (data: object): object => ({ provider: { [owner]: data } });
const border = { type: 'border' };

describe('messages', () => {
  const message = (text: string, more: object = {}): object => ({
    type: 'message',
    id: 'msg_1',
    content: [{ type: 'output_text', text }],
    ...more,
  });

  test('RESP-04 stream their text', () => {
    expect(
      contentOf(
        added({ type: 'message', id: 'msg_1', content: [] }),
        delta('output_text', 'Hel'),
        delta('output_text', ''),
        delta('output_text', 'lo'),
        event('output_text.done', 0, { text: 'Hello', content_index: 0 }),
        done(message('Hello')),
      ),
    ).toEqual([{ type: 'text', text: 'Hel' }, { type: 'text', text: 'lo' }, border]);
  });

  test('RESP-04 lose nothing that only their end says, and take back nothing that they said', () => {
    expect(contentOf(added(message('')), delta('output_text', 'Hel'), done(message('Hello')))).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      border,
    ]);
    expect(contentOf(added(message('')), delta('output_text', 'Hi'), done(message('Hello')))).toEqual([
      { type: 'text', text: 'Hi' },
      border,
    ]);
    expect(contentOf(done(message('Hello')))).toEqual([{ type: 'text', text: 'Hello' }, border]);
    expect(contentOf(ended('completed', { output: [message('Hello')] }))).toEqual([{ type: 'text', text: 'Hello' }, border]);
  });

  test('MODEL-11 keep their phase, each its own', () => {
    expect(contentOf(done(message('A', { phase: 'commentary' })), done(message('B', { phase: 'final_answer' }), 2))).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: '', ...provider({ phase: 'commentary' }) },
      border,
      { type: 'text', text: 'B' },
      { type: 'text', text: '', ...provider({ phase: 'final_answer' }) },
      border,
    ]);
  });

  test('CC-07 a refusal is text, and the finish says refusal', () => {
    const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    expect(decode(added({ type: 'message', content: [] }), delta('refusal', 'No.'), done(refusal), ended('completed'))).toEqual([
      { type: 'text', text: 'No.' },
      border,
      { type: 'finish', finish: 'refusal' },
    ]);
    expect(finishOf(done(refusal), ended('completed'))).toEqual({ type: 'finish', finish: 'refusal' });
  });
});

describe('reasoning', () => {
  const reasoning = (more: object = {}): object => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more });
  const summary = (...texts: readonly string[]): object => ({ summary: texts.map((text) => ({ type: 'summary_text', text })) });

  test('RESP-05 streams its summaries, apart from each other', () => {
    expect(
      contentOf(
        added(reasoning()),
        delta('reasoning_summary_text', '**A', 0, { summary_index: 0 }),
        delta('reasoning_summary_text', '**', 0, { summary_index: 0 }),
        delta('reasoning_summary_text', '**B**', 0, { summary_index: 1 }),
        done(reasoning(summary('**A**', '**B**'))),
      ),
    ).toEqual([
      { type: 'reasoning', text: '**A' },
      { type: 'reasoning', text: '**' },
      { type: 'reasoning', text: '\n\n**B**' },
      border,
    ]);
  });

  test('RESP-03 goes back whole when it can be read there: encrypted, or in the open; without its id', () => {
    const encrypted = reasoning({ ...summary('A'), encrypted_content: 'gAAA==' });
    expect(contentOf(added(reasoning({ encrypted_content: 'half' })), done(encrypted))).toEqual([
      { type: 'reasoning', text: 'A' },
      { type: 'reasoning', text: '', ...provider({ type: 'reasoning', ...summary('A'), encrypted_content: 'gAAA==' }) },
      border,
    ]);
    const open = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
    expect(contentOf(added(reasoning()), delta('reasoning_text', 'Hm'), done({ id: 'rs_2', ...open }))).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'reasoning', text: '.' },
      { type: 'reasoning', text: '', ...provider(open) },
      border,
    ]);
    for (const more of [{ encrypted_content: null }, { encrypted_content: '', content: [] }]) {
      expect(contentOf(done(reasoning({ ...summary('A'), ...more })))).toEqual([{ type: 'reasoning', text: 'A' }, border]);
    }
  });

  test('RESP-03 two without a text stay two', () => {
    const one = reasoning({ encrypted_content: 'A' });
    expect(contentOf(done(one), done({ ...one, encrypted_content: 'B' }, 1)).map(({ type }) => type)).toEqual([
      'reasoning',
      'border',
      'reasoning',
      'border',
    ]);
  });
});

describe('calls', () => {
  const head = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read' };
  const started = { type: 'tool_call', index: 1, id: 'call_1', name: 'read' };

  test('RESP-02 go by their call id, and their arguments are joined by the place of the item', () => {
    expect(
      contentOf(
        added({ ...head, arguments: '' }, 1),
        delta('function_call_arguments', '{"p', 1, { item_id: 'fc_other' }),
        delta('function_call_arguments', '":1}', 1),
        event('function_call_arguments.done', 1, { arguments: '{"p":1}' }),
        done({ ...head, id: 'fc_rotated', arguments: '{"p":1}', status: 'completed' }, 1),
      ),
    ).toEqual([started, { type: 'tool_call', index: 1, args: '{"p' }, { type: 'tool_call', index: 1, args: '":1}' }]);
  });

  test('RESP-02 may tell their arguments at their end alone', () => {
    const whole = { ...head, arguments: '{"p":1}' };
    const expected = [started, { type: 'tool_call', index: 1, args: '{"p":1}' }];
    expect(contentOf(added({ ...head, arguments: '' }, 1), done(whole, 1))).toEqual(expected);
    expect(contentOf(done(whole, 1))).toEqual(expected);
    expect(contentOf(done({ ...head, arguments: '' }, 1))).toEqual([started]);
  });

  test('MODEL-11 keep what else they hold', () => {
    const caller = { type: 'program', caller_id: 'call_9' };
    const whole = { ...head, arguments: '{}', status: 'in_progress', caller, namespace: 'n' };
    expect(contentOf(added(whole, 1), done(whole, 1)).at(-1)).toEqual({
      type: 'tool_call',
      index: 1,
      ...provider({ caller, namespace: 'n' }),
    });
  });
});

describe('items that we do not know', () => {
  const search = (n: number): object => ({ type: 'web_search_call', id: `ws_${n}`, status: 'completed' });
  const opaque = { type: 'opaque', ...provider({ type: 'web_search_call', status: 'completed' }) };

  test('RESP-07 are kept whole, without their ids, ahead of what is said after them', () => {
    const said = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] };
    expect(
      contentOf(
        added({ type: 'web_search_call', action: {} }),
        event('web_search_call.searching', 0, {}),
        done(search(1)),
        done(said, 1),
      ),
    ).toEqual([opaque, { type: 'text', text: 'Hello' }, border]);
    expect(contentOf(done(search(1)), ended('completed'))).toEqual([opaque]);
  });

  test('RESP-07 are in the order of the output, whatever the order in which they became whole', () => {
    const custom = (n: number): object => ({ type: 'custom_tool_call', call_id: `call_${n}` });
    const order = [2, 0, 1].flatMap((at) => [added(custom(at), at)]);
    const events = [...order, ...[2, 0, 1].map((at) => done(custom(at), at)), ended('completed')];
    expect(contentOf(...events)).toEqual([0, 1, 2].map((n) => ({ type: 'opaque', ...provider(custom(n)) })));
  });
});

describe('the end', () => {
  test.each<[string, object, string]>([
    ['completed', {}, 'stop'],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'refusal'],
    ['incomplete', { incomplete_details: { reason: 'max_messages' } }, 'other'],
    ['incomplete', { incomplete_details: { reason: 'steered' } }, 'other'],
    ['incomplete', { incomplete_details: null }, 'other'],
    ['completed', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
  ])('RESP-04 %s %j is %s', (status, more, finish) => {
    const decoder = new ResponsesDecoder(owner);
    expect([decoder.finished, decoder.done]).toEqual([false, false]);
    decoder.add(ended(status, more) as JsonObject);
    expect([decoder.finished, decoder.done]).toEqual([true, true]);
    expect(decoder.end()).toEqual([{ type: 'finish', finish }]);
  });

  test('RESP-04 with calls is tool_calls', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'read', arguments: '{}' };
    expect(finishOf(done(call), ended('completed'))).toEqual({ type: 'finish', finish: 'tool_calls' });
  });

  test.each<[string, object, string]>([
    ['failed', ended('failed', { error: { code: 'server_error', message: 'boom' } }), 'model_error'],
    ['failed for a rate', ended('failed', { error: { code: 'rate_limit_exceeded', message: 'boom' } }), 'rate_limited'],
    ['failed for the window', ended('failed', { error: { code: 'context_length_exceeded', message: '' } }), 'context_too_long'],
    ['failed without a word', ended('failed', { error: null }), 'model_error'],
    ['completed and failed', ended('completed', { status: 'failed', error: { code: 'x', message: 'boom' } }), 'model_error'],
    ['an error', { type: 'error', code: 'server_error', message: 'boom', param: null }, 'model_error'],
    ['an error in an error', { type: 'error', error: { type: 'insufficient_quota', message: 'boom' } }, 'model_error'],
    [
      'an overflow',
      { type: 'error', code: null, message: 'Your input exceeds the context window of this model.' },
      'context_too_long',
    ],
  ])('RESP-04 FAIL-14 %s is an error', (_, last, kind) => {
    expect(() => decode(last)).toThrow(expect.objectContaining({ name: 'ModelError', kind }));
  });

  test('RUN-16 has the usage: cached and reasoning tokens are parts of the others', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_details: { cached_tokens: 7, cache_write_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 4 },
    };
    expect(decode(ended('completed', { usage }))[0]).toEqual({
      type: 'usage',
      usage: { input: 10, output: 5, cacheRead: 7, cacheWrite: 2 },
    });
    expect(decode(ended('completed', { usage: null }))).toHaveLength(1);
  });
});

describe('events that say nothing', () => {
  test('HTTP-09 give nothing', () => {
    const nothing = [
      { type: 'response.created', response: {} },
      { type: 'response.in_progress', response: {} },
      { type: 'response.queued' },
      { type: 'response.vibe', output_index: 0 },
      {},
      delta('output_text', 'of no item', 7),
      { type: 'response.output_item.added' },
      { type: 'response.output_item.done' },
      { type: 'response.completed' },
      added({ type: 'message', content: [] }),
    ];
    for (const one of nothing) expect(new ResponsesDecoder(owner).add(one as JsonObject)).toEqual([]);
  });
});

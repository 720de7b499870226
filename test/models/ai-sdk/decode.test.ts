import { describe, expect, test } from 'vitest';
import { type Delta, type Part, ReplyAccumulator } from '../../../src/core/index.ts';
import { PartDecoder } from '../../../src/models/ai-sdk/decode.ts';
import type { StreamPart } from '../../../src/models/ai-sdk/interface.ts';

const owner = 'lab/m';

function decoded(...parts: readonly StreamPart[]): Delta[] {
  const decoder = new PartDecoder(owner);
  return parts.flatMap((part) => [...decoder.add(part)]);
}

/** The message that parts make. */
function content(...parts: readonly StreamPart[]): readonly Part[] {
  let minted = 0;
  const accumulator = new ReplyAccumulator('m', 1, () => `call_${(minted += 1)}`);
  for (const delta of decoded(...parts)) accumulator.add(delta);
  return accumulator.end().reply.message.content;
}

const text = (id: string, delta: string): StreamPart => ({ type: 'text-delta', id, delta });
const think = (id: string, delta: string): StreamPart => ({ type: 'reasoning-delta', id, delta });
const signed = (signature: string) => ({ lab: { signature } });
const mine = (signature: string) => ({ [owner]: { lab: { signature } } });
const unknown = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

describe('texts and thoughts', () => {
  test('MODEL-11 metadata are kept wherever they come: before, with or behind the text, and the newest count', () => {
    expect(
      content(
        { type: 'reasoning-start', id: 'r1', providerMetadata: signed('1') },
        think('r1', 'a'),
        { type: 'reasoning-end', id: 'r1' },
        { type: 'reasoning-start', id: 'r2', providerMetadata: signed('old') },
        think('r2', 'b'),
        { type: 'reasoning-delta', id: 'r2', delta: '', providerMetadata: signed('2') },
        { type: 'reasoning-end', id: 'r2' },
        { type: 'text-start', id: 't1' },
        text('t1', 'c'),
        { type: 'text-end', id: 't1', providerMetadata: signed('3') },
      ),
    ).toEqual([
      { type: 'reasoning', text: 'a', provider: mine('1') },
      { type: 'reasoning', text: 'b', provider: mine('2') },
      { type: 'text', text: 'c', provider: mine('3') },
    ]);
  });

  test('ANT-02 ANT-03 a thought without a text is kept for its data', () => {
    expect(
      content({ type: 'reasoning-start', id: 'r', providerMetadata: signed('x') }, { type: 'reasoning-end', id: 'r' }),
    ).toEqual([{ type: 'reasoning', text: '', provider: mine('x') }]);
  });

  test('MODEL-11 metadata of a text that has none, or that came before a call, keep their place', () => {
    const call: StreamPart = { type: 'tool-call', toolCallId: 'c', toolName: 'x', input: '{}' };
    const end: StreamPart = { type: 'text-end', id: 't', providerMetadata: signed('late') };
    const opaque = { type: 'opaque', provider: { [owner]: { type: 'text', text: '', providerOptions: signed('late') } } };
    expect(content({ type: 'text-start', id: 't' }, end)).toEqual([opaque]);
    expect(content({ type: 'text-start', id: 't' }, text('t', 'a'), call, end)).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'tool_call', name: 'x' },
      opaque,
    ]);
  });

  test('blocks that are told side by side stay apart', () => {
    expect(content(text('1', 'a'), text('2', 'b'), text('1', 'c'))).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'text', text: 'c' },
    ]);
  });

  test('an empty delta says nothing', () => {
    expect(decoded({ type: 'text-start', id: 't' }, text('t', ''), { type: 'ping' }, { type: 'text-end', id: 't' })).toEqual([]);
  });
});

describe('calls', () => {
  test('TOOL-28 input streams as it comes, and the whole call adds only what is missing', () => {
    expect(
      decoded(
        { type: 'tool-input-start', id: 'c', toolName: 'read' },
        { type: 'tool-input-delta', id: 'c', delta: '{"pa' },
        { type: 'tool-input-end', id: 'c' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{"path":1}', providerMetadata: signed('s') },
      ),
    ).toEqual([
      { type: 'tool_call', id: 'c', name: 'read' },
      { type: 'tool_call', id: 'c', args: '{"pa' },
      { type: 'tool_call', id: 'c', name: 'read', args: 'th":1}', provider: mine('s') },
    ]);
  });

  test('a call that does not stream comes whole, and a dynamic one is a call like any other', () => {
    const call: StreamPart = { type: 'tool-call', toolCallId: 'c', toolName: 'read', input: '{"a":1}', dynamic: true };
    expect(decoded(call)).toEqual([{ type: 'tool_call', id: 'c', name: 'read', args: '{"a":1}' }]);
  });

  test('input that streams as text counts only once it is JSON', () => {
    expect(
      content(
        { type: 'tool-input-start', id: 'c', toolName: 'patch', inputEncoding: 'text' },
        { type: 'tool-input-delta', id: 'c', delta: '*** Begin' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'patch', input: '{"patch":"*** Begin"}' },
      ),
    ).toMatchObject([{ type: 'tool_call', input: { patch: '*** Begin' } }]);
  });

  test('RESP-07 a call that the provider makes, and its result, are no calls of ours', () => {
    const parts: readonly StreamPart[] = [
      { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-input-delta', id: 's', delta: '{"q":"x"}' },
      { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: '{"q":"x"}' },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: { hits: 0 }, preliminary: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'web_search', result: { hits: 2 }, isError: true },
    ];
    const kept = (data: object) => ({ type: 'opaque', provider: { [owner]: data } });
    expect(decoded(...parts)).toEqual([
      kept({ type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: { q: 'x' }, providerExecuted: true }),
      kept({ type: 'tool-result', toolCallId: 's', toolName: 'web_search', output: { type: 'error-json', value: { hits: 2 } } }),
    ]);
  });
});

describe('other parts', () => {
  const bytes = new Uint8Array([105, 99, 111, 110]);
  const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aWNvbg==' } };

  test.each<[string, StreamPart, object]>([
    ['a file of version 4', { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } }, image],
    ['a file of version 3', { type: 'file', mediaType: 'image/png', data: bytes }, image],
    ['a file of version 3 in base64', { type: 'file', mediaType: 'image/png', data: 'aWNvbg==' }, image],
    [
      'a thought that is a file, by its address',
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://lab.test/1') } },
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url: 'https://lab.test/1' } },
    ],
    [
      'content of its own kind',
      { type: 'custom', kind: 'lab.compaction', providerMetadata: signed('c') },
      { type: 'custom', kind: 'lab.compaction', providerOptions: signed('c') },
    ],
  ])('RESP-07 %s is kept as JSON', (_, part, data) => {
    expect(decoded(part)).toEqual([{ type: 'opaque', provider: { [owner]: data } }]);
  });

  test('sources, raw chunks and metadata of the response say nothing', () => {
    expect(
      decoded(
        { type: 'source', sourceType: 'url', id: '1', url: 'https://x.test' },
        { type: 'response-metadata', id: 'r' },
        { type: 'raw', rawValue: 1 },
      ),
    ).toEqual([]);
  });

  test('a question of the provider that nobody can answer fails the reply', () => {
    expect(() => decoded({ type: 'tool-approval-request', approvalId: 'a', toolCallId: 's' })).toThrow(/let it ask never/);
  });
});

describe('the end', () => {
  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool-calls', 'tool_calls'],
    ['content-filter', 'refusal'],
    ['other', 'other'],
  ] as const)('FIN-02 %s is %s', (unified, finish) => {
    expect(decoded({ type: 'finish', finishReason: { unified, raw: undefined }, usage: unknown })).toEqual([
      { type: 'finish', finish },
    ]);
  });

  test.each([
    ['error', 'model_error'],
    ['interrupted', 'transport_error'],
  ] as const)('HTTP-08 FAIL-14 %s is no end but a %s', (unified, kind) => {
    const end: StreamPart = { type: 'finish', finishReason: { unified, raw: undefined }, usage: unknown };
    expect(() => decoded(end)).toThrow(expect.objectContaining({ kind }));
  });

  test.each([
    ['totals', { total: 10, noCache: 3, cacheRead: 5, cacheWrite: 2 }, { total: 7, text: 3, reasoning: 4 }],
    ['parts alone', { total: undefined, noCache: 3, cacheRead: 5, cacheWrite: 2 }, { total: undefined, text: 3, reasoning: 4 }],
  ])('RUN-16 usage by %s counts the cache in the input and thoughts in the output', (_, inputTokens, outputTokens) => {
    const end: StreamPart = {
      type: 'finish',
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens, outputTokens },
    };
    expect(decoded(end)[0]).toEqual({ type: 'usage', usage: { input: 10, output: 7, cacheRead: 5, cacheWrite: 2 } });
  });
});

import { describe, expect, test } from 'vitest';
import {
  appendAndAsk,
  Cancelled,
  defaultOptions,
  type Delta,
  type JsonObject,
  type Message,
  MisuseError,
  type Options,
  type PromptFields,
  Resume,
  Run,
  textResult,
  tool,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../../src/core/index.ts';
import { AnthropicMessages, type AnthropicMessagesInit } from '../../../src/models/index.ts';
import { countingIds, FakeClock, type FakeResponse, FakeTransport, Gate, TestPrompt } from '../../../src/testing/index.ts';
import { collect, collectUntilError, cuttings, eventStream, rejection, typed } from '../support.ts';

const baseUrl = 'https://api.anthropic.com/v1';
const model = 'claude-opus-4-5';

const block = (index: number, opened: object, ...deltas: readonly object[]): string =>
  typed(
    { type: 'content_block_start', index, content_block: opened },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  );
const saying = (index: number, ...texts: readonly string[]): string =>
  block(index, { type: 'text', text: '' }, ...texts.map((text) => ({ type: 'text_delta', text })));
const thinking = (index: number, text: string, signature: string): string =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: text },
    { type: 'signature_delta', signature },
  );
const calling = (index: number, id: string, json: string): string =>
  block(index, { type: 'tool_use', id, name: 'read', input: {} }, { type: 'input_json_delta', partial_json: json });
const begun = typed({
  type: 'message_start',
  message: { id: 'msg_1', content: [], stop_reason: null, usage: { input_tokens: 7, output_tokens: 1 } },
});
const stopping = (reason: string): string =>
  typed({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 5 } });
const ended = typed({ type: 'message_stop' });
const reply = (reason: string, ...blocks: readonly string[]): string => begun + blocks.join('') + stopping(reason) + ended;
const hello = reply('end_turn', saying(0, 'Hello'));

function streamed(...body: NonNullable<Exclude<FakeResponse['body'], string>>): FakeResponse {
  return { headers: eventStream, body };
}

function modelOf(responses: ConstructorParameters<typeof FakeTransport>[0], init: Partial<AnthropicMessagesInit> = {}) {
  const transport = new FakeTransport(responses);
  return { transport, model: new AnthropicMessages({ transport, baseUrl, model, ...init }) };
}

function ask(body: string | FakeResponse, fields: Partial<PromptFields> = {}, init: Partial<AnthropicMessagesInit> = {}) {
  return modelOf([typeof body === 'string' ? streamed(body) : body], init).model.stream(new TestPrompt(fields));
}

const textIn = (deltas: readonly Delta[]): string => deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
const optionsOf = (anthropic: JsonObject): Options => ({ ...defaultOptions, provider: { anthropic } });

describe('the request', () => {
  test('CC-01 goes to the path below the base URL, with the key and the version of the API', async () => {
    const { transport, model: opus } = modelOf([streamed(hello)], { key: 'k', headers: { 'anthropic-beta': 'b' } });
    await collect(opus.stream(new TestPrompt()));
    expect(transport.requests[0]).toMatchObject({
      url: `${baseUrl}/messages`,
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'anthropic-version': '2023-06-01',
        'x-api-key': 'k',
        'anthropic-beta': 'b',
      },
    });
    expect(transport.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({ model, stream: true, max_tokens: 16_384 });
  });

  test('CC-01 a gateway may want no key, or another header', async () => {
    const { transport, model: opus } = modelOf([streamed(hello)], { headers: { authorization: 'Bearer t' } });
    await collect(opus.stream(new TestPrompt()));
    expect(transport.requests[0]?.headers).not.toHaveProperty('x-api-key');
    expect(transport.requests[0]?.headers).toMatchObject({ authorization: 'Bearer t' });
  });

  test('MODEL-07 the bound of a reply that the operator knows counts more than the name', async () => {
    const { transport, model: opus } = modelOf([streamed(hello)], { maxOutputTokens: 64_000 });
    await collect(opus.stream(new TestPrompt()));
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({ max_tokens: 64_000 });
  });

  test('FAIL-01 a base URL that is no http address is misuse', () => {
    expect(() => modelOf([], { baseUrl: 'api.anthropic.com' })).toThrow(MisuseError);
  });
});

describe('the stream', { timeout: 60_000 }, () => {
  const whole = reply(
    'tool_use',
    thinking(0, 'Hm, é😀.', 'S+/='),
    saying(1, 'Hellö ', 'you.'),
    calling(2, 'toolu_1', '{"path":"ü"}'),
  );

  test('HTTP-05 HTTP-06 gives the same deltas however the bytes are cut', async () => {
    const expected = await collect(ask(whole));
    expect(expected.map(({ type }) => type)).toEqual([
      'usage',
      'reasoning',
      'reasoning',
      'border',
      'text',
      'text',
      'border',
      'tool_call',
      'tool_call',
      'usage',
      'finish',
    ]);
    for (const chunks of cuttings(whole)) expect(await collect(ask(streamed(...chunks)))).toEqual(expected);
  });

  test('HTTP-08 that ends before its reason is a broken connection', async () => {
    const { items, error } = await collectUntilError(ask(begun + saying(0, 'Hel')));
    expect([textIn(items), error]).toMatchObject(['Hel', { kind: 'transport_error' }]);
  });

  test('HTTP-08 that breaks behind its reason is whole, and what comes behind its end is not read', async () => {
    const broken = streamed(begun + saying(0, 'Hello') + stopping('end_turn'), new Cancelled());
    expect((await collect(ask(broken))).at(-1)).toEqual({ type: 'finish', finish: 'stop' });
    expect(textIn(await collect(ask(hello + begun + saying(0, 'Again'))))).toBe('Hello');
  });

  test('FAIL-14 an error inside it comes after the deltas before it, however the bytes are cut', async () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    for (const chunks of cuttings(begun + saying(0, 'Hel') + typed(overloaded))) {
      const { items, error } = await collectUntilError(ask(streamed(...chunks)));
      expect([textIn(items), error]).toMatchObject(['Hel', { kind: 'rate_limited' }]);
    }
  });
});

describe('an answer that is no stream', () => {
  test.each<[number, string, string, string]>([
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_too_long'],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000, decrease input length or `max_tokens`',
      'context_too_long',
    ],
    [
      400,
      'invalid_request_error',
      'max_tokens: 90000 > 64000, which is the maximum allowed number of output tokens',
      'model_error',
    ],
    [401, 'authentication_error', 'invalid x-api-key', 'model_error'],
    [402, 'billing_error', 'Your credit balance is too low', 'model_error'],
    [403, 'permission_error', 'Your API key does not have permission', 'model_error'],
    [404, 'not_found_error', 'model: claude-x', 'model_error'],
    [409, 'conflict_error', 'conflict', 'model_error'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'context_too_long'],
    [429, 'rate_limit_error', 'This request would exceed the rate limit of 30000 input tokens per minute', 'rate_limited'],
    [500, 'api_error', 'Internal server error', 'model_error'],
    [529, 'overloaded_error', 'Overloaded', 'rate_limited'],
  ])('FAIL-14 CC-13 %i %s: %s', async (status, type, message, kind) => {
    const body = JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' });
    const headers = { 'content-type': 'application/json', 'retry-after': '7' };
    const error = await rejection(collect(ask({ status, headers, body })));
    expect(error).toMatchObject({ kind, message: `The model's server answered ${status}: ${message}` });
    if (kind === 'rate_limited') expect(error).toMatchObject({ retryAfter: 7000 });
  });

  test('HTTP-07 the key is not repeated, even if the server does so', async () => {
    const body = JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'wrong: topsecret!' } });
    const error = await rejection(collect(ask({ status: 401, body }, {}, { key: 'topsecret!' })));
    expect(error).toMatchObject({ kind: 'model_error', message: expect.not.stringContaining('topsecret') });
  });
});

describe('silence and cancel', () => {
  test('HTTP-09 pings do not end a silence', async () => {
    const clock = new FakeClock();
    const gates = Array.from({ length: 4 }, () => new Gate());
    const ping = typed({ type: 'ping' });
    const timers = { firstEvent: 1000, idle: 200 };
    const stream = ask(streamed(begun + saying(0, 'Hel'), ...gates.flatMap((gate) => [gate, ping])), {}, { clock, timers });
    for (const type of ['usage', 'text', 'border']) expect((await stream.next()).value).toMatchObject({ type });
    const next = rejection(stream.next());
    for (const gate of gates) {
      await gate.reached;
      clock.advance(50);
      gate.open();
    }
    expect(await next).toMatchObject({ kind: 'transport_error', message: 'The model was silent for 0.2 s.' });
  });

  test('CANC-02 CANC-03 the signal ends the request and is told as Cancelled', async () => {
    const cancel = new AbortController();
    const stall = new Gate();
    const { transport, model: opus } = modelOf([streamed(begun, stall)]);
    const reading = rejection(collect(opus.stream(new TestPrompt({ cancel: cancel.signal }))));
    await stall.reached;
    cancel.abort();
    expect(await reading).toBeInstanceOf(Cancelled);
    expect(transport.requests[0]?.cancel.aborted).toBe(true);
  });
});

describe('continuing a reply', () => {
  const edit: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] };
  const fields = { continue: true, messages: [userText('u', 'Tell me.'), edit] };
  const edited = (text: string) => ({
    ...fields,
    messages: [userText('u', 'Tell me.'), { ...edit, content: [{ type: 'text', text }] } as const],
  });

  test('INTR-12 sends the edit last, and a Run goes on from it', async () => {
    const { transport, model: opus } = modelOf([streamed(reply('end_turn', saying(0, ' a time', '.')))]);
    const run = new Run({ model: opus, tools: toolList(), messages: [userText('u', 'Tell me.')] });
    await collect(run.turn(new Resume(edit)));
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] }],
    });
    expect(run.messages().at(-1)).toMatchObject({ id: 'a', content: [{ type: 'text', text: 'Once upon a time.' }] });
  });

  test.each<[string, readonly string[], string]>([
    ['Once upon ', [' a', ' time.'], 'a time.'],
    ['Once upon ', ['a time.'], 'a time.'],
    ['Once upon\n\n', ['\n', '\n', 'a time.'], 'a time.'],
    ['Once upon\n', ['\n'], ''],
    ['Once upon', [' a time.'], ' a time.'],
  ])('INTR-12 the white space that %j lost at its end is not doubled by %j', async (text, pieces, expected) => {
    expect(textIn(await collect(ask(reply('end_turn', saying(0, ...pieces)), edited(text))))).toBe(expected);
  });

  test('ANT-06 a model that is known not to says so before any request, with the fallback', async () => {
    for (const init of [{ model: 'claude-opus-4-6' }, { model: 'claude-sonnet-5' }, { continues: false }]) {
      const { transport, model: newer } = modelOf([], init);
      expect(newer.continues).toBe(false);
      const error = await rejection(collect(newer.stream(new TestPrompt(fields))));
      expect(error).toBeInstanceOf(UnsupportedOptionError);
      expect(error).toMatchObject({ fallback: appendAndAsk });
      expect(transport.requests).toHaveLength(0);
    }
  });

  test('INTR-21 what is known is told, and what is not is not', () => {
    expect(modelOf([]).model.continues).toBe(true);
    expect(modelOf([], { model: 'claude-opus-4-6', continues: true }).model.continues).toBe(true);
    expect(modelOf([], { model: 'glm-5' }).model.continues).toBeUndefined();
  });

  test.each([{ type: 'enabled', budget_tokens: 1024 }, { type: 'adaptive' }])(
    'ANT-05 INTR-13 with thinking on (%j) none does',
    async (thoughts) => {
      const { transport, model: opus } = modelOf([]);
      const prompt = new TestPrompt({ ...fields, options: optionsOf({ thinking: thoughts }) });
      expect(await rejection(collect(opus.stream(prompt)))).toMatchObject({ code: 'unsupported_option', fallback: appendAndAsk });
      expect(transport.requests).toHaveLength(0);
    },
  );

  test('ANT-05 thinking that is switched off is no hindrance', async () => {
    const off = { ...fields, options: optionsOf({ thinking: { type: 'disabled' } }) };
    expect(textIn(await collect(ask(reply('end_turn', saying(0, ' a time.')), off)))).toBe(' a time.');
  });

  test('INTR-21 a refusal of the server is the same error', async () => {
    const message = 'This model does not support assistant message prefill. The conversation must end with a user message.';
    const response = { status: 400, body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }) };
    const error = await rejection(collect(ask(response, fields, { model: 'glm-5' })));
    expect(error).toMatchObject({ code: 'unsupported_option', fallback: appendAndAsk });
    expect(await rejection(collect(ask(response)))).toMatchObject({ kind: 'model_error' });
  });
});

describe('in a Run', () => {
  const read = tool({
    name: 'read',
    description: 'Reads.',
    input: { type: 'object' },
    hints: { readOnly: true },
    call: (input) => textResult(`content of ${String(input.path)}`),
  });

  async function play(bodies: readonly string[], init: Partial<AnthropicMessagesInit> = {}) {
    const { transport, model: opus } = modelOf(
      bodies.map((body) => streamed(body)),
      init,
    );
    const run = new Run({ model: opus, tools: toolList(read), mintId: countingIds() });
    await collect(run.turn(userText('u', 'Read.')));
    return { run, requests: transport.requests.map(({ body }) => JSON.parse(body) as { messages: readonly unknown[] }) };
  }

  test('ANT-01 ANT-07 thoughts go back with their calls, and the results behind them', async () => {
    const both = reply('tool_use', thinking(0, 'Hm.', 'S'), calling(1, 't1', '{"path":"x"}'), calling(2, 't2', '{"path":"y"}'));
    const { run, requests } = await play([both, hello]);
    expect(requests[1]?.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'S' },
          { type: 'tool_use', id: 't1', input: { path: 'x' } },
          { type: 'tool_use', id: 't2', input: { path: 'y' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ text: 'content of x' }] },
          { type: 'tool_result', tool_use_id: 't2', content: [{ text: 'content of y' }] },
        ],
      },
    ]);
    expect(run.ended()).toMatchObject({ reason: 'done', usage: { input: 14, output: 10 } });
  });

  test('ANT-04 MODEL-11 of an interrupted thought nothing goes back, and of whole ones nothing to another model', async () => {
    const stall = new Gate();
    const { model: opus } = modelOf([
      streamed(
        begun +
          typed(
            { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
          ),
        stall,
      ),
    ]);
    const run = new Run({ model: opus, tools: toolList(), mintId: countingIds() });
    const reading = collect(run.turn(userText('u', 'Hi')));
    await stall.reached;
    run.interrupt();
    await reading;
    expect(run.ended()?.partial?.content).toEqual([{ type: 'reasoning', text: 'Hm' }]);

    const { run: before } = await play([reply('end_turn', thinking(0, 'Hm.', 'S'), saying(1, 'Hello'))]);
    const other = modelOf([streamed(hello)], { model: 'claude-sonnet-4-5' });
    const after = new Run({ model: other.model, tools: toolList(), messages: before.messages() });
    await collect(after.turn(userText('u2', 'And?')));
    expect(JSON.parse(other.transport.requests[0]?.body ?? '')).toMatchObject({
      messages: [{}, { content: [{ type: 'text', text: 'Hello' }] }, {}],
    });
  });

  test('FIN-09 a call that was cut at the limit does not run and goes back as an empty object', async () => {
    const { run, requests } = await play([reply('max_tokens', calling(0, 't1', '{"path":"x","content":"hel')), hello]);
    expect(run.messages()[1]).toMatchObject({ content: [{ type: 'tool_call', malformed: '{"path":"x","content":"hel' }] });
    expect(requests[1]?.messages).toMatchObject([{}, { content: [{ input: {} }] }, { content: [{ is_error: true }] }]);
  });

  test('FIN-03 a refusal without a word is the finish of the turn', async () => {
    const { run } = await play([reply('refusal')]);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'refusal' });
  });
});

describe('a pause of the server in the middle of its own tools', () => {
  const searching = block(
    0,
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    { type: 'input_json_delta', partial_json: '{"query":"weather"}' },
  );
  const paused = reply('pause_turn', thinking(1, 'Hm.', 'SIG'), searching.replaceAll('"index":0', '"index":2'));
  const found = reply(
    'end_turn',
    block(0, { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }),
    saying(1, 'Sunny.'),
  );
  const options = optionsOf({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] });
  const bodies = (transport: FakeTransport): readonly JsonObject[] =>
    transport.requests.map(({ body }) => JSON.parse(body) as JsonObject);

  test('ANT-08 INTR-16 is answered by what was said so far, as it is, and by nothing else: it stays one reply', async () => {
    const { transport, model: opus } = modelOf([streamed(paused), streamed(found)]);
    const deltas = await collect(opus.stream(new TestPrompt({ messages: [userText('u', 'Rain?')], options })));
    const [first, second] = bodies(transport);
    expect({ ...second, messages: null }).toEqual({ ...first, messages: null });
    expect(second?.messages).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'Rain?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'SIG' },
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'weather' } },
        ],
      },
    ]);
    expect(deltas.filter(({ type }) => type === 'finish')).toEqual([{ type: 'finish', finish: 'stop' }]);
    expect(textIn(deltas)).toBe('Sunny.');
    // Both requests were paid for.
    expect(deltas.findLast((delta) => delta.type === 'usage')).toMatchObject({ usage: { input: 14, output: 10 } });
  });

  test('ANT-08 a server that does nothing but pause is left after ten times, and the reply ends as other', async () => {
    const { transport, model: opus } = modelOf(() => streamed(paused));
    const deltas = await collect(opus.stream(new TestPrompt({ options })));
    expect(transport.requests).toHaveLength(11);
    expect(deltas.filter(({ type }) => type === 'finish')).toEqual([{ type: 'finish', finish: 'other' }]);
    expect(bodies(transport).at(-1)?.messages).toHaveLength(2);
  });

  test('ANT-08 a failure behind a pause is a failure of the reply', async () => {
    const { model: opus } = modelOf([
      streamed(paused),
      { status: 500, headers: { 'content-type': 'application/json' }, body: '{}' },
    ]);
    const { items, error } = await collectUntilError(opus.stream(new TestPrompt({ options })));
    expect(error).toMatchObject({ kind: 'model_error', status: 500 });
    expect(items.map(({ type }) => type)).not.toContain('finish');
  });
});

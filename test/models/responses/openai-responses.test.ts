import { describe, expect, test } from 'vitest';
import {
  appendAndAsk,
  Cancelled,
  type Delta,
  type Message,
  MisuseError,
  type PromptFields,
  Resume,
  Run,
  textResult,
  tool,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../../src/core/index.ts';
import { OpenAIResponses, type OpenAIResponsesInit } from '../../../src/models/index.ts';
import { countingIds, type FakeResponse, FakeTransport, Gate, TestPrompt } from '../../../src/testing/index.ts';
import { collect, collectUntilError, cuttings, event, eventStream, rejection, typed } from '../support.ts';

const baseUrl = 'https://api.openai.com/v1';

const item = (at: number, whole: object, ...deltas: readonly (readonly [type: string, delta: string])[]): string =>
  typed(
    { type: 'response.output_item.added', output_index: at, item: { ...whole, id: `a${at}`, content: [], arguments: '' } },
    ...deltas.map(([type, delta]) => ({ type: `response.${type}.delta`, output_index: at, item_id: `b${at}`, delta })),
    { type: 'response.output_item.done', output_index: at, item: { ...whole, id: `c${at}` } },
  );
const saying = (at: number, ...texts: readonly string[]): string =>
  item(
    at,
    { type: 'message', content: [{ type: 'output_text', text: texts.join('') }] },
    ...texts.map((text) => ['output_text', text] as const),
  );
const thinking = (at: number, text: string, encrypted: string): string =>
  item(at, { type: 'reasoning', summary: [{ type: 'summary_text', text }], encrypted_content: encrypted }, [
    'reasoning_summary_text',
    text,
  ]);
const calling = (at: number, id: string, json: string): string =>
  item(at, { type: 'function_call', call_id: id, name: 'read', arguments: json }, ['function_call_arguments', json]);
const ended = (status: string, more: object = {}): string => {
  const usage = { input_tokens: 7, output_tokens: 5, input_tokens_details: { cached_tokens: 2 } };
  return typed({ type: `response.${status}`, response: { status, output: [], usage, ...more } });
};
const hello = saying(0, 'Hello') + ended('completed');

function streamed(...body: NonNullable<Exclude<FakeResponse['body'], string>>): FakeResponse {
  return { headers: eventStream, body };
}

function modelOf(responses: ConstructorParameters<typeof FakeTransport>[0], init: Partial<OpenAIResponsesInit> = {}) {
  const transport = new FakeTransport(responses);
  return { transport, model: new OpenAIResponses({ transport, baseUrl, model: 'gpt-5', ...init }) };
}

function ask(body: string | FakeResponse, fields: Partial<PromptFields> = {}, init: Partial<OpenAIResponsesInit> = {}) {
  return modelOf([typeof body === 'string' ? streamed(body) : body], init).model.stream(new TestPrompt(fields));
}

const textIn = (deltas: readonly Delta[]): string => deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

describe('the request', () => {
  test('CC-01 goes to the path below the base URL, with the key as a bearer token', async () => {
    const { transport, model } = modelOf([streamed(hello)], { key: 'k', baseUrl: `${baseUrl}/?api-version=1` });
    await collect(model.stream(new TestPrompt()));
    expect(transport.requests[0]).toMatchObject({
      url: `${baseUrl}/responses?api-version=1`,
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer k' },
    });
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({ model: 'gpt-5', stream: true, store: false });
  });

  test('FAIL-01 a base URL that is no http address is misuse', () => {
    expect(() => modelOf([], { baseUrl: 'api.openai.com' })).toThrow(MisuseError);
  });
});

describe('the stream', { timeout: 60_000 }, () => {
  const whole =
    thinking(0, 'Hm, é😀.', 'gAAA==') + saying(1, 'Hellö ', 'you.') + calling(2, 'c1', '{"p":"ü"}') + ended('completed');

  test('HTTP-05 HTTP-06 gives the same deltas however the bytes are cut', async () => {
    const expected = await collect(ask(whole));
    expect(expected.map(({ type }) => type)).toEqual([
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

  test('RESP-04 that was cut at the limit has its text and says length', async () => {
    const cut = saying(0, 'hi') + ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } });
    const deltas = await collect(ask(cut));
    expect([textIn(deltas), deltas.at(-1)]).toEqual(['hi', { type: 'finish', finish: 'length' }]);
  });

  test.each([['nothing'], ['a mark that other APIs have', event('[DONE]')]])(
    'HTTP-08 that ends with %s before its end event is a broken connection',
    async (_, mark = '') => {
      const { items, error } = await collectUntilError(ask(saying(0, 'Hel') + mark));
      expect([textIn(items), error]).toMatchObject(['Hel', { kind: 'transport_error' }]);
    },
  );

  test('HTTP-08 is not read behind its end event', async () => {
    expect(textIn(await collect(ask(hello + saying(1, 'Again'))))).toBe('Hello');
  });

  test('FAIL-14 an error inside it comes after the deltas before it, however the bytes are cut', async () => {
    const error = { code: 'rate_limit_exceeded', message: 'slow down' };
    const body = saying(0, 'Hel') + typed({ type: 'response.failed', response: { status: 'failed', error } });
    for (const chunks of cuttings(body)) {
      const { items, error: thrown } = await collectUntilError(ask(streamed(...chunks)));
      expect([textIn(items), thrown]).toMatchObject(['Hel', { kind: 'rate_limited' }]);
    }
  });
});

describe('an answer that is no stream', () => {
  test.each<[number, object, string]>([
    [
      400,
      { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' },
      'context_too_long',
    ],
    [400, { message: 'Encrypted content is not supported with this model.', param: 'include' }, 'model_error'],
    [401, { message: 'Incorrect API key provided', code: 'invalid_api_key' }, 'model_error'],
    [404, { message: 'The model `x` does not exist', code: 'model_not_found' }, 'model_error'],
    [429, { message: 'Rate limit reached', code: 'rate_limit_exceeded' }, 'rate_limited'],
    [500, { message: 'The server had an error', type: 'server_error' }, 'model_error'],
  ])('FAIL-14 CC-13 %i %j', async (status, error, kind) => {
    const response = { status, headers: { 'retry-after-ms': '300' }, body: JSON.stringify({ error }) };
    expect(await rejection(collect(ask(response)))).toMatchObject({ kind, retryAfter: kind === 'context_too_long' ? null : 300 });
  });

  test('HTTP-07 the key is not repeated, even if the server does so', async () => {
    const body = JSON.stringify({ error: { message: 'Wrong key: topsecret!' } });
    const error = await rejection(collect(ask({ status: 401, body }, {}, { key: 'topsecret!' })));
    expect(error).toMatchObject({ kind: 'model_error', message: expect.not.stringContaining('topsecret') });
  });
});

describe('cancel', () => {
  test('CANC-02 CANC-03 ends the request and is told as Cancelled', async () => {
    const cancel = new AbortController();
    const stall = new Gate();
    const { transport, model } = modelOf([streamed(saying(0, 'Hel'), stall)]);
    const reading = rejection(collect(model.stream(new TestPrompt({ cancel: cancel.signal }))));
    await stall.reached;
    cancel.abort();
    expect(await reading).toBeInstanceOf(Cancelled);
    expect(transport.requests[0]?.cancel.aborted).toBe(true);
  });
});

describe('continuing a reply', () => {
  const edit: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] };

  test('RESP-01 INTR-14 is refused before any request, with the fallback', async () => {
    const { transport, model } = modelOf([]);
    expect(model.continues).toBe(false);
    const prompt = new TestPrompt({ continue: true, messages: [userText('u', 'Tell me.'), edit] });
    const error = await rejection(collect(model.stream(prompt)));
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({ fallback: appendAndAsk });
    expect(transport.requests).toHaveLength(0);
  });

  test('INTR-15 INTR-16 a Run says so too, and what the fallback keeps is a reply like any other', async () => {
    const { transport, model } = modelOf([streamed(hello)]);
    const run = new Run({ model, tools: toolList(), messages: [userText('u', 'Tell me.')] });
    expect(await rejection(collect(run.turn(new Resume(edit))))).toMatchObject({ fallback: appendAndAsk });
    const kept = new Run({ model, tools: toolList(), messages: [userText('u', 'Tell me.'), edit] });
    await collect(kept.turn(userText('u2', 'And then?')));
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({
      input: [{ role: 'user' }, { role: 'assistant', content: 'Once upon' }, { role: 'user' }],
    });
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

  async function play(...bodies: readonly string[]) {
    const { transport, model } = modelOf(bodies.map((body) => streamed(body)));
    const run = new Run({ model, tools: toolList(read), mintId: countingIds() });
    await collect(run.turn(userText('u', 'Read.')));
    return { run, requests: transport.requests.map(({ body }) => JSON.parse(body) as { input: readonly unknown[] }) };
  }

  test('RESP-02 RESP-03 encrypted thoughts go back ahead of their calls, outputs by call id, whatever the ids of items', async () => {
    const step = thinking(0, 'Hm.', 'gAAA==') + calling(1, 'call_1', '{"path":"x"}') + calling(2, 'call_2', '{"path":"y"}');
    const { run, requests } = await play(step + ended('completed'), hello);
    expect(requests[1]?.input.slice(1)).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA==' },
      { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"x"}' },
      { type: 'function_call', call_id: 'call_2', name: 'read', arguments: '{"path":"y"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'content of x' },
      { type: 'function_call_output', call_id: 'call_2', output: 'content of y' },
    ]);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'stop', usage: { input: 14, output: 10, cacheRead: 4 } });
  });

  test('MODEL-11 they go to the same model alone', async () => {
    const { run } = await play(thinking(0, 'Hm.', 'gAAA==') + saying(1, 'Hello') + ended('completed'));
    const asOther = async (init: Partial<OpenAIResponsesInit>) => {
      const { transport, model } = modelOf([streamed(hello)], init);
      await collect(new Run({ model, tools: toolList(), messages: run.messages() }).turn(userText('u2', 'And?')));
      return (JSON.parse(transport.requests[0]?.body ?? '') as { input: { type: string }[] }).input.map(({ type }) => type);
    };
    expect(await asOther({})).toEqual(['message', 'reasoning', 'message', 'message']);
    expect(await asOther({ model: 'gpt-5-mini' })).toEqual(['message', 'message', 'message']);
    expect(await asOther({ provider: 'azure' })).toEqual(['message', 'message', 'message']);
  });

  test('FIN-09 a call that was cut at the limit does not run', async () => {
    const cut = calling(0, 'call_1', '{"path":"x","content":"hel');
    const { run, requests } = await play(
      cut + ended('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
      hello,
    );
    expect(run.messages()[1]).toMatchObject({ content: [{ type: 'tool_call', malformed: '{"path":"x","content":"hel' }] });
    expect(requests[1]?.input).toMatchObject([{}, { arguments: '{}' }, { type: 'function_call_output' }]);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  appendAndAsk,
  Cancelled,
  type Delta,
  type Event,
  type JsonObject,
  type Message,
  MisuseError,
  ModelError,
  type PromptFields,
  Resume,
  Run,
  textResult,
  tool,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../../src/core/index.ts';
import { ChatCompletions, type ChatCompletionsInit, retryModel } from '../../../src/models/index.ts';
import { countingIds, FakeClock, type FakeResponse, FakeTransport, Gate, TestPrompt } from '../../../src/testing/index.ts';
import { chunk, collect, collectUntilError, cuttings, event, eventStream, hello, rejection, replyOf } from '../support.ts';

const baseUrl = 'http://127.0.0.1:8080/v1';

function streamed(...body: NonNullable<Exclude<FakeResponse['body'], string>>): FakeResponse {
  return { headers: eventStream, body };
}

function modelOf(responses: ConstructorParameters<typeof FakeTransport>[0], init: Partial<ChatCompletionsInit> = {}) {
  const transport = new FakeTransport(responses);
  return { transport, model: new ChatCompletions({ transport, baseUrl, model: 'm', ...init }) };
}

function ask(body: string | FakeResponse, fields: Partial<PromptFields> = {}, init: Partial<ChatCompletionsInit> = {}) {
  const { model } = modelOf([typeof body === 'string' ? streamed(body) : body], init);
  return model.stream(new TestPrompt(fields));
}

const textIn = (deltas: readonly Delta[]): string => deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

describe('the request', () => {
  test('CC-01 goes to the path below the base URL, with the key as a bearer token', async () => {
    const { transport, model } = modelOf([streamed(hello)], {
      baseUrl: `${baseUrl}/?api-version=1`,
      key: 'k',
      headers: { 'x-title': 't' },
    });
    await collect(model.stream(new TestPrompt()));
    expect(transport.requests).toMatchObject([
      {
        url: `${baseUrl}/chat/completions?api-version=1`,
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer k', 'x-title': 't' },
      },
    ]);
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({ model: 'm', stream: true });
  });

  test('CC-01 a local server needs no key', async () => {
    const { transport, model } = modelOf([streamed(hello)]);
    await collect(model.stream(new TestPrompt()));
    expect(transport.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each(['127.0.0.1:8080/v1', 'ftp://host/v1', ''])('FAIL-01 a base URL that is no http address is misuse: %s', (url) => {
    expect(() => modelOf([], { baseUrl: url })).toThrow(expect.objectContaining({ code: 'option_invalid' }));
    expect(() => modelOf([], { baseUrl: url })).toThrow(MisuseError);
  });

  test('CC-02 the host that is named wins over the one of the address', async () => {
    const named = modelOf([streamed(hello)], { baseUrl: 'https://api.openai.com/v1', host: 'mistral' });
    await collect(named.model.stream(new TestPrompt()));
    expect(JSON.parse(named.transport.requests[0]?.body ?? '')).not.toHaveProperty('stream_options');
  });
});

// The tests that cut a stream in every way read it some thousand times.
describe('the stream', { timeout: 60_000 }, () => {
  const reply = replyOf(
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm, é😀.' }),
    chunk({ content: 'Hellö ' }),
    chunk({ content: 'you.' }),
    chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: 'read', arguments: '{"path":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"ü"}' } }] }),
    chunk({}, 'tool_calls'),
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } },
  );

  test('HTTP-05 HTTP-06 gives the same deltas however the bytes are cut', async () => {
    const whole = await collect(ask(reply));
    expect(whole.map(({ type }) => type)).toEqual(['reasoning', 'text', 'text', 'tool_call', 'tool_call', 'usage', 'finish']);
    for (const chunks of cuttings(reply)) expect(await collect(ask(streamed(...chunks)))).toEqual(whole);
  });

  test('HTTP-05 gives the same with other line ends, comments, a BOM and no last blank line', async () => {
    const whole = await collect(ask(reply));
    for (const end of ['\r', '\r\n']) {
      const dressed = `\u{feff}: hi\n\n${reply}`.replaceAll('\n\n', '\n: keepalive\n\n').trimEnd().replaceAll('\n', end);
      for (const chunks of cuttings(dressed)) expect(await collect(ask(streamed(...chunks)))).toEqual(whole);
    }
  });

  test('HTTP-08 that ends without a reason or [DONE] is a transport error, after what came', async () => {
    const { items, error } = await collectUntilError(ask(event(chunk({ content: 'Hel' }))));
    expect(textIn(items)).toBe('Hel');
    expect(error).toMatchObject({ kind: 'transport_error' });
  });

  test('HTTP-08 that is cut at any byte before its reason is a transport error, and never a finish', async () => {
    const body = event(chunk({ content: 'Hello' })) + event(chunk({}, 'stop'));
    const broken: unknown = expect.objectContaining({ kind: 'transport_error' });
    for (let at = 0; at < body.length; at += 1) {
      const { items, error } = await collectUntilError(ask(body.slice(0, at)));
      const whole = at >= body.trimEnd().length;
      const finished = items.some(({ type }) => type === 'finish');
      expect([finished, error]).toEqual(whole ? [true, undefined] : [false, broken]);
    }
  });

  test('HTTP-05 HTTP-08 the last event counts without a line end', async () => {
    const body = event(chunk({ content: 'Hello' })) + event(chunk({}, 'length')).trimEnd();
    expect((await collect(ask(body))).at(-1)).toEqual({ type: 'finish', finish: 'length' });
  });

  test('HTTP-08 [DONE] alone ends a reply, for a reason unknown', async () => {
    expect((await collect(ask(replyOf(chunk({ content: 'Hello' }))))).at(-1)).toEqual({ type: 'finish', finish: 'other' });
  });

  test('HTTP-08 nothing is read behind [DONE]', async () => {
    const tail = new Gate();
    expect(textIn(await collect(ask(streamed(hello, tail))))).toBe('Hello');
  });

  test('HTTP-08 a connection that breaks behind the reason takes nothing from the reply', async () => {
    const broken = new ModelError('transport_error', 'gone');
    const deltas = await collect(ask(streamed(event(chunk({ content: 'Hello' }, 'stop')), broken)));
    expect(deltas).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'finish', finish: 'stop' },
    ]);
  });

  test('CC-13 a connection that breaks before it is a transport error', async () => {
    const broken = new ModelError('transport_error', 'gone');
    const { items, error } = await collectUntilError(ask(streamed(event(chunk({ content: 'Hel' })), broken)));
    expect([textIn(items), error]).toEqual(['Hel', broken]);
  });

  test('HTTP-08 an event that is no JSON object is a transport error', async () => {
    expect(await rejection(collect(ask(event('{"choices":[') + hello)))).toMatchObject({ kind: 'transport_error' });
    expect(await rejection(collect(ask(event('null') + hello)))).toMatchObject({ kind: 'transport_error' });
  });

  test('CC-13 an error inside the stream comes after the deltas before it, however the bytes are cut', async () => {
    const body = event(chunk({ content: 'Hel' })) + event({ error: { message: 'slow down', code: 429 } });
    for (const chunks of cuttings(body)) {
      const { items, error } = await collectUntilError(ask(streamed(...chunks)));
      expect([textIn(items), error]).toMatchObject(['Hel', { kind: 'rate_limited' }]);
    }
  });

  test('CC-13 an event of the type error is one, whatever its shape', async () => {
    const body = `event: error\ndata: {"error":{"message":"the context is greater than the context length"}}\n\n`;
    expect(await rejection(collect(ask(body)))).toMatchObject({ kind: 'context_too_long' });
    expect(await rejection(collect(ask('event: error\ndata: boom\n\n')))).toMatchObject({
      kind: 'model_error',
      message: expect.stringMatching(/boom/),
    });
  });
});

describe('an answer that is no stream', () => {
  test('HTTP-07 is read to a limit and becomes an error with the time to wait', async () => {
    const headers = { 'content-type': 'application/json', 'retry-after': '7' };
    const body = JSON.stringify({ error: { message: 'slow down' } });
    const error = await rejection(collect(ask({ status: 429, headers, body })));
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfter: 7000, message: expect.stringMatching(/slow down/) });

    const tail = new Gate();
    const long = { status: 500, body: [...Array.from({ length: 5 }, () => 'x'.repeat(16 * 1024)), tail] };
    expect(String(await rejection(collect(ask(long)))).length).toBeLessThan(700);
  });

  test('HTTP-07 dates are read against the clock that was given', async () => {
    const clock = new FakeClock();
    clock.advance(Date.UTC(2026, 0, 1));
    const response = { status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT' } };
    expect(await rejection(collect(ask(response, {}, { clock })))).toMatchObject({ retryAfter: 7000 });
  });

  test('CC-13 JSON under status 200 is the error that it holds', async () => {
    const body = JSON.stringify({ error: 'The prompt is greater than the context length.' });
    const error = await rejection(collect(ask({ headers: { 'content-type': 'application/json' }, body })));
    expect(error).toMatchObject({ kind: 'context_too_long' });
  });

  test('HTTP-03 another content type is refused by its name', async () => {
    const error = await rejection(collect(ask({ headers: { 'content-type': 'text/html' }, body: '<html>' })));
    expect(error).toMatchObject({ kind: 'model_error', message: expect.stringMatching(/text\/html/) });
  });

  test('HTTP-07 the key is not repeated, even if the server does so', async () => {
    const body = JSON.stringify({ error: { message: 'Wrong key: topsecret!' } });
    const error = await rejection(collect(ask({ status: 401, body }, {}, { key: 'topsecret!' })));
    expect(error).toMatchObject({ kind: 'model_error', message: expect.not.stringContaining('topsecret') });
  });
});

describe('silence', () => {
  const timers = { firstEvent: 1000, idle: 200 };

  test('HTTP-09 comments and empty deltas do not end it', async () => {
    const clock = new FakeClock();
    const gates = Array.from({ length: 4 }, () => new Gate());
    const alive = [': keepalive\n\n', event(chunk({})), event(chunk({ content: '' }))];
    const body = [event(chunk({ content: 'Hel' })), ...gates.flatMap((gate, n) => [gate, alive[n % 3] ?? ''])];
    const stream = ask(streamed(...body), {}, { clock, timers });
    await stream.next();
    const next = rejection(stream.next());
    for (const gate of gates) {
      await gate.reached;
      clock.advance(50);
      gate.open();
    }
    expect(await next).toMatchObject({ kind: 'transport_error', message: 'The model was silent for 0.2 s.' });
    expect(clock.now()).toBe(200);
  });

  test('HTTP-09 counts from the request on', async () => {
    const clock = new FakeClock();
    const next = rejection(ask(streamed(new Gate()), {}, { clock, timers }).next());
    await clock.sleeping();
    clock.advance(1000);
    expect(await next).toMatchObject({ kind: 'transport_error', message: 'The model was silent for 1 s.' });
  });

  test('HTTP-09 behind the reason takes nothing from the reply', async () => {
    const clock = new FakeClock();
    const tail = new Gate();
    const reading = collect(ask(streamed(event(chunk({ content: 'Hello' }, 'stop')), tail), {}, { clock, timers }));
    await tail.reached;
    clock.advance(1000);
    expect((await reading).at(-1)).toEqual({ type: 'finish', finish: 'stop' });
  });
});

describe('cancel', () => {
  test('CANC-02 CANC-03 ends the request and is told as Cancelled', async () => {
    const cancel = new AbortController();
    const stall = new Gate();
    const { transport, model } = modelOf([streamed(event(chunk({ content: 'Hel' })), stall)]);
    const stream = model.stream(new TestPrompt({ cancel: cancel.signal }));
    await stream.next();
    const next = stream.next();
    await stall.reached;
    cancel.abort();
    expect(await rejection(next)).toBeInstanceOf(Cancelled);
    expect(transport.requests[0]?.cancel.aborted).toBe(true);
  });

  test('CANC-03 behind the reason is still a cancel', async () => {
    const cancel = new AbortController();
    const stall = new Gate();
    const reading = collect(ask(streamed(event(chunk({}, 'stop')), stall), { cancel: cancel.signal }));
    await stall.reached;
    cancel.abort();
    expect(await rejection(reading)).toBeInstanceOf(Cancelled);
  });
});

describe('continuing a reply', { timeout: 60_000 }, () => {
  const edit: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] };
  const fields = { continue: true, messages: [userText('u', 'Tell me.'), edit] };
  const said = (...texts: readonly string[]): string => replyOf(...texts.map((content) => chunk({ content })), chunk({}, 'stop'));

  test.each<[string, readonly string[], string]>([
    ['repeated in one piece with what follows', ['Once upon a time', '.'], ' a time.'],
    ['repeated in pieces', ['On', 'ce ', 'upon', ' a time.'], ' a time.'],
    ['repeated and nothing more', ['Once upon'], ''],
    ['not repeated', [' a time.'], ' a time.'],
    ['begun, then left', ['Once', ' more.'], 'Once more.'],
    ['begun only', ['Once'], 'Once'],
    ['repeated twice: the second time is new', ['Once upon', 'Once upon'], 'Once upon'],
  ])('CC-09 the edit is compared and taken off: %s', async (_, pieces, expected) => {
    expect(textIn(await collect(ask(said(...pieces), fields, { host: 'llama_cpp' })))).toBe(expected);
  });

  test('CC-09 any edit, repeated or not, in any pieces, gives the continuation alone', async () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.boolean(), fc.array(fc.nat(16)), async (before, after, repeats, places) => {
        fc.pre(repeats || !after.startsWith(before));
        const reply = (repeats ? before : '') + after;
        const cuts = [0, ...places.filter((at) => at < reply.length).sort((a, b) => a - b), reply.length];
        const pieces = cuts.slice(1).map((end, n) => reply.slice(cuts[n], end));
        const message: Message = { ...edit, content: [{ type: 'text', text: before }] };
        const deltas = await collect(
          ask(said(...pieces), { ...fields, messages: [userText('u', 'Hm'), message] }, { host: 'llama_cpp' }),
        );
        expect(textIn(deltas)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  test('CC-09 a host that repeats nothing is taken at its word', async () => {
    expect(textIn(await collect(ask(said('Once upon'), fields, { host: 'vllm' })))).toBe('Once upon');
  });

  test('CC-09 reasoning and the finish pass while text is held', async () => {
    const body = replyOf(chunk({ reasoning_content: 'Hm' }), chunk({ content: 'Once' }), chunk({}, 'length'));
    expect((await collect(ask(body, fields, { host: 'llama_cpp' }))).map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'finish',
    ]);
  });

  test('MODEL-02 INTR-21 a host that cannot says so before any request, with the fallback', async () => {
    for (const init of [{ host: 'openai' as const }, { baseUrl: 'https://api.deepseek.com/v1' }]) {
      const { transport, model } = modelOf([], init);
      expect(model.continues).toBe(false);
      const error = await rejection(collect(model.stream(new TestPrompt(fields))));
      expect(error).toBeInstanceOf(UnsupportedOptionError);
      expect(error).toMatchObject({ fallback: appendAndAsk });
      expect(transport.requests).toHaveLength(0);
    }
  });

  test('INTR-21 whether a host can is not claimed where the model behind it decides', () => {
    expect(modelOf([], { host: 'llama_cpp' }).model.continues).toBeUndefined();
    expect(modelOf([], { baseUrl: 'https://api.deepseek.com/beta/' }).model.continues).toBeUndefined();
  });

  test('INTR-21 a refusal of the server is the same error', async () => {
    const body = JSON.stringify({ error: { message: 'Assistant response prefill is incompatible with enable_thinking.' } });
    const error = await rejection(collect(ask({ status: 400, body }, fields)));
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({ fallback: appendAndAsk });
    expect(await rejection(collect(ask({ status: 400, body })))).toMatchObject({ kind: 'model_error' });
  });

  test('INTR-06 INTR-10 a Run goes on from the edit', async () => {
    const { transport, model } = modelOf([streamed(said('Once upon a time.'))], { host: 'llama_cpp' });
    const run = new Run({ model, tools: toolList(), messages: [userText('u', 'Tell me.')] });
    await collect(run.turn(new Resume(edit)));
    expect(JSON.parse(transport.requests[0]?.body ?? '')).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: 'Once upon' }],
    });
    expect(run.messages().at(-1)).toMatchObject({ id: 'a', content: [{ type: 'text', text: 'Once upon a time.' }] });
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
  const calling = (...calls: readonly object[]): FakeResponse =>
    streamed(replyOf(chunk({ tool_calls: calls }), chunk({}, 'tool_calls')));
  const head = (id: string, args: string, more: object = {}): object => ({
    id,
    function: { name: 'read', arguments: args },
    ...more,
  });

  async function play(responses: readonly FakeResponse[], init: Partial<ChatCompletionsInit> = {}) {
    const { transport, model } = modelOf(responses, init);
    const run = new Run({ model, tools: toolList(read), mintId: countingIds() });
    const events: Event[] = await collect(run.turn(userText('u', 'Read.')));
    return { events, run, requests: transport.requests.map(({ body }) => JSON.parse(body) as JsonObject) };
  }

  test('CC-05 two calls that share an index and differ in their ids are two calls', async () => {
    const { requests } = await play([
      calling(head('a', '{"path":"x"}', { index: 0 }), head('b', '{"path":"y"}', { index: 0 })),
      streamed(hello),
    ]);
    expect(requests[1]).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
        { role: 'tool', tool_call_id: 'a', content: 'content of x' },
        { role: 'tool', tool_call_id: 'b', content: 'content of y' },
      ],
    });
  });

  test('CC-05 fragments without an index belong to the call before them', async () => {
    const { requests } = await play([calling(head('x', '{"path"'), { function: { arguments: ':"z"}' } }), streamed(hello)]);
    expect(requests[1]).toMatchObject({
      messages: [{}, { tool_calls: [{ id: 'x' }] }, { tool_call_id: 'x', content: 'content of z' }],
    });
  });

  test('CC-05 an empty object ahead of the arguments is a placeholder, alone it is the arguments', async () => {
    const { requests } = await play([
      calling(head('x', '{}', { index: 0 }), { index: 0, function: { arguments: '{"path":"z"}' } }),
      streamed(hello),
    ]);
    expect(requests[1]).toMatchObject({ messages: [{}, {}, { content: 'content of z' }] });
  });

  test('CC-15 FIN-09 arguments cut at the token limit do not run and go back as an empty object', async () => {
    const { events, requests } = await play([calling(head('x', '{"path":"x","content":"hel', { index: 0 })), streamed(hello)]);
    expect(events.find(({ type }) => type === 'message_ended')).toMatchObject({ finish: 'length' });
    expect(events.find(({ type }) => type === 'tool_ended')).toMatchObject({ outcome: { error: true } });
    expect(requests[1]).toMatchObject({ messages: [{}, { tool_calls: [{ function: { arguments: '{}' } }] }, { role: 'tool' }] });
  });

  test('CC-08 reasoning goes back with the call in the field it came in', async () => {
    const body = replyOf(
      chunk({ reasoning_content: 'r' }),
      chunk({ tool_calls: [head('c', '{}', { index: 0 })] }),
      chunk({}, 'tool_calls'),
    );
    const { requests } = await play([streamed(body), streamed(hello)], { host: 'deepseek' });
    expect(requests[1]).toMatchObject({
      messages: [{}, { role: 'assistant', reasoning_content: 'r', tool_calls: [{ id: 'c' }] }, {}],
    });
  });

  test('G-18 a provider that repeats its ids in each step is answered under ids of its own', async () => {
    const step = calling(head('call_0', '{"path":"x"}', { index: 0 }));
    const { requests } = await play([step, step, streamed(hello)]);
    expect(requests[2]).toMatchObject({
      messages: [
        {},
        { tool_calls: [{ id: 'call_0' }] },
        { tool_call_id: 'call_0' },
        { tool_calls: [{ id: 'call_2' }] },
        { tool_call_id: 'call_2' },
      ],
    });
  });

  test('MW-14 a rate limit is waited out by the retry middleware', async () => {
    const clock = new FakeClock();
    const { transport, model } = modelOf([{ status: 429, headers: { 'retry-after-ms': '300' } }, streamed(hello)]);
    const run = new Run({ model, tools: toolList(), middleware: [retryModel({ clock })] });
    const playing = collect(run.turn(userText('u', 'Hi')));
    await clock.sleeping();
    clock.advance(300);
    await playing;
    expect(run.ended()).toMatchObject({ reason: 'done' });
    expect(transport.requests).toHaveLength(2);
  });

  test('FAIL-14 the kind of a failure is the kind of the turn', async () => {
    const { model } = modelOf([{ status: 413 }]);
    const run = new Run({ model, tools: toolList() });
    await collect(run.turn(userText('u', 'Hi')));
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'context_too_long' });
  });
});

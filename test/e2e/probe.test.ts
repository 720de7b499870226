import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { probe } from '../../scripts/probe.ts';
import {
  call,
  type ChatMessage,
  type ChatRequest,
  type FakeOpenAI,
  finish,
  type Piece,
  raw,
  reasoning,
  startFakeOpenAI,
  status,
  text,
} from './fake-openai.ts';

let server: FakeOpenAI;

beforeEach(async () => {
  server = await startFakeOpenAI();
});

afterEach(() => server.close());

const run = (...more: readonly string[]) => probe(['--url', server.url, '--model', 'm', ...more], {});
const last = ({ messages }: ChatRequest): ChatMessage => messages.at(-1) ?? { role: 'none' };
const said = (message: ChatMessage): string => (typeof message.content === 'string' ? message.content : '');
const hasCalls = ({ messages }: ChatRequest): ChatMessage | undefined =>
  messages.find((message) => message.tool_calls !== undefined);

/** A local server: takes what it gets, wants alternating roles and no null, and repeats what it continues. */
function local(request: ChatRequest): readonly Piece[] {
  if (request.model !== 'm') return [status(404, 'model not found')];
  if (hasCalls(request)?.content === null) return [status(500, 'content must be a string')];
  const roles = request.messages.map(({ role }) => role);
  if (roles.some((role, at) => role === 'user' && roles[at - 1] === 'user')) return [status(500, 'roles must alternate')];
  if (Array.isArray(last(request).content)) return [status(500, 'image input is not supported')];
  if (said(last(request)).length > 2000) return [status(400, 'the request exceeds the available context size')];
  if (said(last(request)).includes('one hundred')) {
    return request.max_tokens === undefined ? [text('one '.repeat(100))] : [text('one two'), finish('length')];
  }
  if (request.tools !== undefined && hasCalls(request) === undefined) {
    return [call('x1', 'get_weather', { city: 'Paris' }), call('x2', 'get_weather', { city: 'Rome' })];
  }
  if (last(request).role === 'assistant') return [text(`${said(last(request))} five, six.`)];
  return [reasoning('Hm.'), text('ready')];
}

describe('the probe of a Chat Completions endpoint', () => {
  test('CC-02 prints the row of a local server, and what it says', async () => {
    server.otherwise(local);
    const { ok, text: printed } = await run('--window', '1000');
    expect(ok).toBe(true);
    for (const line of [
      "tokenLimit: 'max_tokens',",
      'asksForUsage: true,',
      "reasoningFields: ['reasoning_content'],",
      "echoesReasoning: 'present',",
      "continuation: { how: 'last' },",
      'repeatsEdit: true,',
      'callIds: { refused: /[^\\x21-\\x7e]/, least: 1, most: 64 },',
      "emptyContent: '',",
      'joinsUsers: true,',
      'bridgesTools: false,',
      "{ models: ['<provider>/m'], facts: { parallelCalls: true, prefill: 'implicit', images: false, window: 1000 } },",
      'A prompt that is too long: 400',
      'A model that it does not have: 404',
      'Usage comes when asked for, in a chunk of its own.',
      'Several calls come in one reply, in fragments; index 0, 1; ids such as "x1"; finish_reason tool_calls.',
    ]) {
      expect(printed).toContain(line);
    }
  });

  test('CC-02 prints the row of a service that is strict', async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\n';
    server.otherwise((request) => {
      if (request.stream_options !== undefined) return [status(422, 'extra field stream_options')];
      const id = hasCalls(request)?.tool_calls?.[0]?.id;
      if (id !== undefined && !/^[a-zA-Z0-9]{9}$/.test(id)) return [status(400, `bad id ${id}`)];
      if (request.max_tokens !== undefined) return [status(400, "Use 'max_completion_tokens' instead of 'max_tokens'.")];
      const roles = request.messages.map(({ role }) => role);
      if (roles.some((role, at) => role === 'user' && roles[at - 1] === 'tool'))
        return [status(400, 'unexpected role user after tool')];
      if (said(last(request)).includes('one hundred')) {
        return request.max_completion_tokens === undefined ? [status(400, 'use max_completion_tokens')] : [finish('length')];
      }
      if (last(request).role !== 'assistant') return [text('ready'), raw(usage)];
      return last(request).prefix === true ? [text(' five, six.')] : [status(400, 'Expected last role User or Tool')];
    });
    const { text: printed } = await run();
    for (const line of [
      "tokenLimit: 'max_completion_tokens',",
      'asksForUsage: false,',
      "continuation: { how: 'prefix' },",
      'repeatsEdit: false,',
      'callIds: { refused: /[^a-zA-Z0-9]/, least: 9, most: 9 },',
      'emptyContent: null,',
      'joinsUsers: false,',
      'bridgesTools: true,',
      "facts: { prefill: 'flag', images: true }",
      'It was asked to call a tool, and did not.',
      'Continuing a reply by last: 400',
      'name its window with --window',
    ]) {
      expect(printed).toContain(line);
    }
  });

  test('INTR-21 a reply that begins anew is no continuation', async () => {
    server.otherwise((request) => (last(request).role === 'assistant' ? [text('One, two, three, four, five.')] : local(request)));
    const { text: printed } = await run();
    expect(printed).toContain('Continuing a reply by last: it begins anew.');
    expect(printed).toContain("continuation: { how: 'none' },");
    expect(printed).toContain("prefill: 'none'");
  });

  test('HTTP-07 an endpoint that refuses says why, and the key is never printed', async () => {
    server.otherwise([status(401, 'Incorrect API key provided: secret-key-1')]);
    const { ok, text: printed } = await probe(['--url', server.url, '--model', 'm'], { PROBE_KEY: 'secret-key-1' });
    expect(ok).toBe(true);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret-key-1');
    expect(printed).toContain('It does not stream a reply: 401');
    expect(printed).toContain('Incorrect API key provided: [key]');
    expect(printed).not.toContain('secret-key-1');
  });

  test('arguments that are wrong, and an endpoint that is not there, are said in a sentence', async () => {
    expect(await probe([], {})).toMatchObject({ ok: false, text: expect.stringContaining('--url http') });
    expect(await run('--modle', 'x')).toEqual({ ok: false, text: "Unknown option '--modle'" });
    expect(await run('--format', 'soap')).toEqual({ ok: false, text: '--format is one of chat, responses, messages.' });
    expect(await run('--window', 'big')).toMatchObject({ ok: false });
    await server.close();
    expect(await run()).toMatchObject({ ok: false, text: expect.stringContaining('could not be reached (ECONNREFUSED)') });
  });
});

type Body = { readonly [field: string]: unknown };
type Reply = { readonly status: number; readonly error: string } | readonly object[];

/** A server of another format: `answer` gives the events of a stream, or an error. */
async function serving(answer: (body: Body, headers: NodeJS.Dict<string | string[]>) => Reply) {
  const http = createServer((incoming, response) => {
    void (async () => {
      const sent: Uint8Array[] = [];
      for await (const bytes of incoming) sent.push(bytes as Uint8Array);
      const reply = answer(JSON.parse(Buffer.concat(sent).toString()) as Body, incoming.headers);
      if ('status' in reply) {
        response
          .writeHead(reply.status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: reply.error } }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(reply.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  return { url, close: () => http.close() };
}

test('ANT-06 the probe of a Messages endpoint says whether a reply can be continued', async () => {
  const spoken = (value: string, stop: string): Reply => [
    { type: 'message_start', message: { usage: { input_tokens: 1 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: value } },
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 1 } },
  ];
  const keys: unknown[] = [];
  const fake = await serving((body, headers) => {
    keys.push(headers['x-api-key']);
    const message = (body.messages as { role: string; content: unknown }[]).at(-1);
    if (body.model !== 'm') return { status: 404, error: 'model: m-that-nobody-has' };
    if (message?.role === 'assistant') return { status: 400, error: 'This model does not support assistant message prefill.' };
    if (body.max_tokens === 16) return spoken('one', 'max_tokens');
    if (typeof message?.content === 'string' && message.content.length > 2000)
      return { status: 400, error: 'prompt is too long' };
    if (body.tools === undefined) return spoken('ready', 'end_turn');
    const call = { type: 'content_block_start', content_block: { type: 'tool_use' } };
    return [call, call, { type: 'message_delta', delta: { stop_reason: 'tool_use' } }];
  });
  const args = ['--url', fake.url, '--model', 'm', '--format', 'messages', '--key', 'k-1', '--window', '1000'];
  const { text: printed } = await probe(args, {});
  fake.close();
  expect(new Set(keys)).toEqual(new Set(['k-1']));
  for (const line of [
    'It streams; stop_reason end_turn; usage in message_start, message_delta.',
    'A reply that is too long ends with max_tokens.',
    'Calls in one reply: 2; stop_reason tool_use.',
    'Continuing a reply: 400',
    'A prompt that is too long: 400',
    "facts: { parallelCalls: true, prefill: 'none', images: true, window: 1000 }",
  ]) {
    expect(printed).toContain(line);
  }
  expect(printed).not.toContain('hosts.ts');
});

test('RESP-03 the probe of a Responses endpoint says how reasoning comes', async () => {
  const done = (item: object): object => ({ type: 'response.output_item.done', item });
  const completed = { type: 'response.completed', response: { usage: { input_tokens: 1 } } };
  const fake = await serving((body) => {
    if (body.model !== 'm') return { status: 400, error: 'model_not_found' };
    if (body.max_output_tokens === 16) return [{ type: 'response.incomplete', response: {} }];
    if (body.include !== undefined) return [done({ type: 'reasoning', encrypted_content: 'x' }), completed];
    if (body.tools !== undefined) return [done({ type: 'function_call' }), completed];
    return JSON.stringify(body.input).includes('input_image') ? { status: 400, error: 'no images' } : [completed];
  });
  const { text: printed } = await probe(['--url', fake.url, '--model', 'm', '--format', 'responses'], {});
  fake.close();
  for (const line of [
    'It streams; the last event is response.completed, with usage.',
    'A reply that is too long ends with response.incomplete.',
    'Reasoning comes encrypted.',
    'Calls in one reply: 1.',
    'It takes no images: 400',
    "facts: { prefill: 'none', images: false }",
  ]) {
    expect(printed).toContain(line);
  }
});

import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import { call, type FakeOpenAI, finish, hangUp, raw, reasoning, startFakeOpenAI, status, text, words } from './fake-openai.ts';

let server: FakeOpenAI;
let client: OpenAI;

beforeAll(async () => {
  server = await startFakeOpenAI();
  client = new OpenAI({ baseURL: server.url, apiKey: 'key', maxRetries: 0 });
});

afterAll(() => server.close());

function ask(content: string): ReturnType<OpenAI['chat']['completions']['stream']> {
  return client.chat.completions.stream({
    model: 'fake',
    messages: [{ role: 'user', content }],
    stream_options: { include_usage: true },
  });
}

test('the fake endpoint: the official client reads a scripted reply, a call and the usage, and the request is recorded', async () => {
  server.reply(
    raw(': keepalive\n\n'),
    reasoning('Hm.'),
    words('One two. '),
    call('c1', 'clock', { zone: 'Europe/Oslo' }),
    finish('tool_calls', { prompt_tokens: 3, completion_tokens: 4 }),
  );
  const reply = await ask('hello').finalChatCompletion();

  expect(reply.choices[0]?.message.content).toBe('One two. ');
  expect(reply.choices[0]?.message.tool_calls).toMatchObject([
    { id: 'c1', function: { name: 'clock', arguments: '{"zone":"Europe/Oslo"}' } },
  ]);
  expect(reply.choices[0]?.finish_reason).toBe('tool_calls');
  expect(reply.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  const request = await server.request(1);
  expect(request.body.messages).toEqual([{ role: 'user', content: 'hello' }]);
  expect(request.headers.authorization).toBe('Bearer key');
  expect(await request.closed).toBe('sent');
});

test('the fake endpoint: a reply waits at a gate, and a client that leaves there is seen', async () => {
  const held = new Gate();
  server.reply(text('before'), held, text('after'));
  const stream = ask('wait');
  const aborted = expect(stream.done()).rejects.toThrow('aborted');
  await held.reached;
  stream.abort();
  await aborted;
  expect(await (await server.request(2)).closed).toBe('dropped');
});

test('the fake endpoint: errors, broken connections and requests that nobody scripted are failures for the client', async () => {
  server.reply(status(429, 'slow down', { 'retry-after': '7' }));
  await expect(ask('limit').finalChatCompletion()).rejects.toMatchObject({
    status: 429,
    message: expect.stringContaining('slow down'),
  });
  server.reply(text('half'), hangUp);
  await expect(ask('break').finalChatCompletion()).rejects.toThrow();
  await expect(ask('surprise').finalChatCompletion()).rejects.toMatchObject({ status: 500 });
});

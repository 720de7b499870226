import { describe, expect, test } from 'vitest';
import {
  AllowanceError,
  Cancelled,
  type Delta,
  type Message,
  MisuseError,
  type Model,
  ModelError,
  type ModelMiddleware,
  userText,
} from '../../src/core/index.ts';
import {
  AnthropicMessages,
  ChatCompletions,
  failover,
  type FailoverOptions,
  type OnFailover,
  OpenAIResponses,
  retryModel,
} from '../../src/models/index.ts';
import { FakeClock, FakeModel, FakeTransport, finishDelta, TestPrompt, textDelta } from '../../src/testing/index.ts';
import { collect, collectUntilError, eventStream, hello as streamed, rejection, typed } from './support.ts';

const hello: readonly Delta[] = [textDelta('Hello'), finishDelta('stop')];

function play(models: readonly [Model, ...Model[]], options?: FailoverOptions): AsyncIterable<Delta> {
  return failover(models, options).stream(new TestPrompt());
}

describe('several models as one', () => {
  test('the first one speaks as long as it can', async () => {
    const second = new FakeModel([]);
    expect(await collect(play([new FakeModel(['Hello']), second]))).toEqual(hello);
    expect(second.prompts).toEqual([]);
  });

  test.each([
    ['rate_limited', 429],
    ['rate_limited', null],
    ['transport_error', null],
    ['model_error', 500],
    ['model_error', 503],
  ] as const)('FAIL-14 a %s (%s) of one is told, and the next one is asked the same', async (kind, status) => {
    const error = new ModelError(kind, 'no', null, status);
    const [first, second] = [new FakeModel([[error]]), new FakeModel(['Hello'])];
    const told: unknown[] = [];
    const onFailover: OnFailover = (...changed) => void told.push([...changed, second.prompts.length]);
    expect(await collect(play([first, second], { onFailover }))).toEqual(hello);
    expect(told).toEqual([[0, error, 1, 0]]);
    expect(second.prompts).toEqual(first.prompts);
  });

  test.each<[string, Error]>([
    ['a prompt that is too long', new ModelError('context_too_long', 'no', null, 400)],
    ['a refusal', new ModelError('model_error', 'no', null, 401)],
    ['a refusal without a status', new ModelError('model_error', 'no')],
    ['misuse', new MisuseError('bad_input', 'no')],
    ['a cancel', new Cancelled()],
    ['a rule of the host', new AllowanceError('too_many_turns', 'no')],
  ])('FAIL-14 %s is nothing that another one mends', async (_, error) => {
    const second = new FakeModel(['Hello']);
    expect(await rejection(collect(play([new FakeModel([[error]]), second])))).toBe(error);
    expect(second.prompts).toEqual([]);
  });

  test('MW-13 once a delta has gone on no other model is asked', async () => {
    const broken = new ModelError('transport_error', 'no');
    const second = new FakeModel(['Hello']);
    const { items, error } = await collectUntilError(play([new FakeModel([[textDelta('Hel'), broken]]), second]));
    expect([items, error, second.prompts]).toEqual([[textDelta('Hel')], broken, []]);
  });

  test('the error of the last one is the error of all', async () => {
    const down = (why: string) => new ModelError('transport_error', why);
    const last = down('last');
    const models = [new FakeModel([[down('a')]]), new FakeModel([[down('b')]]), new FakeModel([[last]])] as const;
    expect(await rejection(collect(play(models)))).toBe(last);
  });

  test('MW-14 a model has failed when its retries are used up, and each has its own', async () => {
    const limited = () => [new ModelError('rate_limited', 'no', 1)];
    const clock = new FakeClock();
    clock.sleep = () => Promise.resolve();
    const first = new FakeModel(limited);
    const second = new FakeModel((_, n) => (n === 0 ? limited() : 'Hello'));
    const through = () => retryModel({ tries: 2, clock });
    expect(await collect(play([first, second], { through }))).toEqual(hello);
    expect([first.prompts.length, second.prompts.length]).toEqual([2, 2]);
  });

  test('each is asked through what stands at its place, and one alone too', async () => {
    const places: number[] = [];
    const through = (place: number): ModelMiddleware => ({
      stream: (prompt, next) => {
        places.push(place);
        return next(prompt);
      },
    });
    const down = (): FakeModel => new FakeModel([[new ModelError('transport_error', 'no')]]);
    await collect(play([down(), down(), new FakeModel(['Hello'])], { through }));
    await collect(play([new FakeModel(['Hello'])], { through }));
    expect(places).toEqual([0, 1, 2, 0]);
  });

  test('RUN-04 the first prompt begins where a life before came to, the next one with the first again', async () => {
    const [first, second] = [new FakeModel(['Hello']), new FakeModel(['Hello'], { continues: false })];
    const both = failover([first, second], { from: 1 });
    expect(await collect(both.stream(new TestPrompt({ continue: true })))).toEqual(hello);
    expect([first.prompts.length, second.prompts.length]).toEqual([0, 1]);
    expect(await collect(both.stream(new TestPrompt()))).toEqual(hello);
    expect([first.prompts.length, second.prompts.length]).toEqual([1, 1]);
  });

  test('INTR-21 a reply is continued by those who can, and the first one says whether', async () => {
    const [first, unable, third] = [
      new FakeModel([[new ModelError('transport_error', 'no')]]),
      new FakeModel(['Hello'], { continues: false }),
      new FakeModel(['Hello']),
    ];
    const edit: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'It' }] };
    const prompt = new TestPrompt({ messages: [userText('u', 'Hi'), edit], continue: true });
    expect(await collect(failover([first, unable, third]).stream(prompt))).toEqual(hello);
    expect([unable.prompts.length, third.prompts.length]).toEqual([0, 1]);
    expect(failover([first, unable])).not.toHaveProperty('continues');
    expect(failover([unable, first]).continues).toBe(false);
  });
});

test('the conversation goes to the next model in its own form, without what only another one can read', async () => {
  const thought = { type: 'reasoning', text: 'Hm.', provider: { 'anthropic/m': { signature: 'signed-by-anthropic' } } } as const;
  const call = { type: 'tool_call', id: 'c1', providerId: 'toolu_1', name: 'read', input: {} } as const;
  const result = { type: 'tool_result', callId: 'c1', content: [{ type: 'text', text: 'Read.' }], error: false } as const;
  const messages: readonly Message[] = [
    userText('u', 'Hi'),
    { id: 'a', role: 'assistant', content: [thought, call] },
    { id: 'a_results', role: 'user', content: [result] },
  ];
  const transport = new FakeTransport(() => ({ status: 503 }));
  const at = (model: string) => ({ transport, baseUrl: 'http://host.test/v1', model, clock: new FakeClock() });
  const models = [new AnthropicMessages(at('m')), new OpenAIResponses(at('r')), new ChatCompletions(at('c'))] as const;
  expect(await rejection(collect(failover(models).stream(new TestPrompt({ messages }))))).toMatchObject({ status: 503 });
  const [first, second, third] = transport.requests.map(({ url, body }) => [url, JSON.parse(body) as unknown, body] as const);
  expect([first?.[0], second?.[0], third?.[0]]).toEqual([
    'http://host.test/v1/messages',
    'http://host.test/v1/responses',
    'http://host.test/v1/chat/completions',
  ]);
  expect(first?.[2]).toContain('signed-by-anthropic');
  expect(second?.[1]).toMatchObject({
    input: [
      { role: 'user' },
      { type: 'function_call', call_id: 'toolu_1' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'Read.' },
    ],
  });
  expect(third?.[1]).toMatchObject({
    messages: [
      { role: 'user' },
      { tool_calls: [{ id: 'toolu_1' }] },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'Read.' },
    ],
  });
  expect(`${second?.[2]}${third?.[2]}`).not.toContain('signed-by-anthropic');
});

test('FAIL-14 a server that says in its stream that it failed has failed, and an error without the key keeps its status', async () => {
  const answers = [
    { headers: eventStream, body: typed({ type: 'error', error: { type: 'api_error', message: 'Internal server error' } }) },
    { status: 502, body: '{"error":{"message":"key-of-mine cannot be checked"}}' },
    { headers: eventStream, body: streamed },
  ];
  const transport = new FakeTransport(answers);
  const at = (model: string) => ({
    transport,
    baseUrl: 'http://host.test/v1',
    model,
    key: 'key-of-mine',
    clock: new FakeClock(),
  });
  const told: string[] = [];
  const models = [new AnthropicMessages(at('m')), new ChatCompletions(at('c')), new ChatCompletions(at('d'))] as const;
  const deltas = await collect(play(models, { onFailover: (_, { message }) => void told.push(message) }));
  expect(deltas).toEqual(hello);
  expect(told).toEqual([expect.stringContaining('Internal server error'), expect.stringContaining('[key] cannot be checked')]);
});

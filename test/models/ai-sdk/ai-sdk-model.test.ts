import { describe, expect, test } from 'vitest';
import {
  appendAndAsk,
  Cancelled,
  type Delta,
  defaultOptions,
  type JsonObject,
  type Logger,
  type Message,
  Run,
  textResult,
  tool,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../../src/core/index.ts';
import { type AiSdkLanguageModel, AiSdkModel, type AiSdkModelInit } from '../../../src/models/ai-sdk/index.ts';
import type { StreamPart } from '../../../src/models/ai-sdk/interface.ts';
import { FakeClock, Gate, TestPrompt } from '../../../src/testing/index.ts';
import { collect, collectUntilError, rejection } from '../support.ts';
import { fakeV3, fakeV4 } from './fake.ts';

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 2, text: 2, reasoning: undefined },
};
const start: StreamPart = { type: 'stream-start', warnings: [] };
const say = (delta: string): StreamPart => ({ type: 'text-delta', id: 't', delta });
const end: StreamPart = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage };

const modelOf = (model: AiSdkLanguageModel, init: Partial<AiSdkModelInit> = {}): AiSdkModel =>
  new AiSdkModel({ name: 'lab/m', load: () => model, ...init });
const options = (values: JsonObject) => ({ ...defaultOptions, provider: { 'ai-sdk': values } });
const textsOf = (deltas: readonly Delta[]): string[] => deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []));

describe('a model object', () => {
  test('is loaded when it is first asked, and once; a load that failed is tried again', async () => {
    const { model } = fakeV4(start, say('Hi'), end);
    let loads = 0;
    const load = async (): Promise<AiSdkLanguageModel> => {
      loads += 1;
      if (loads === 1) throw new Error('The package is not there.');
      return model;
    };
    const lazy = new AiSdkModel({ name: 'lab/m', load });
    expect(loads).toBe(0);
    expect(await rejection(collect(lazy.stream(new TestPrompt())))).toMatchObject({
      kind: 'model_error',
      message: expect.stringContaining('not there'),
    });
    expect(textsOf(await collect(lazy.stream(new TestPrompt())))).toEqual(['Hi']);
    expect(textsOf(await collect(lazy.stream(new TestPrompt())))).toEqual(['Hi']);
    expect(loads).toBe(2);
  });

  test.each([
    ['version 3', fakeV3],
    ['version 4', fakeV4],
  ])('LOOP-01 of %s plays a turn with a tool', async (_, fake) => {
    const call: StreamPart = { type: 'tool-call', toolCallId: 'p1', toolName: 'read', input: '{"n":1}' };
    const asked = fake(start, call, { ...end, finishReason: { unified: 'tool-calls', raw: undefined } });
    const told = fake(start, say('It is 1.'), end);
    const models: AiSdkLanguageModel[] = [asked.model, told.model];
    const read = tool({
      name: 'read',
      description: 'Reads.',
      input: { type: 'object' },
      call: ({ n }) => textResult(String(n)),
    });
    const run = new Run({
      model: { stream: (prompt) => modelOf(models.shift() ?? told.model).stream(prompt) },
      tools: toolList(read),
    });
    await collect(run.turn(userText('u', 'Read')));
    expect(run.ended()).toMatchObject({ reason: 'done', usage: { input: 6, output: 4 } });
    expect(told.calls[0]?.prompt.at(-1)).toEqual({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'p1', toolName: 'read', output: { type: 'text', value: '1' } }],
    });
  });

  test('of another version is refused', async () => {
    const old = { ...fakeV4().model, specificationVersion: 'v2' } as unknown as AiSdkLanguageModel;
    expect(await rejection(collect(modelOf(old).stream(new TestPrompt())))).toMatchObject({ code: 'option_invalid' });
  });
});

describe('cancelling', () => {
  test('CANC-03 in the middle of a stream that does not look at the signal', async () => {
    const gate = new Gate();
    const fake = fakeV4(start, say('Hi'), gate);
    const cancel = new AbortController();
    const stream = modelOf(fake.model).stream(new TestPrompt({ cancel: cancel.signal }));
    expect((await stream.next()).value).toMatchObject({ text: 'Hi' });
    const next = stream.next();
    await gate.reached;
    expect(fake.calls[0]?.abortSignal?.aborted).toBe(false);
    cancel.abort();
    expect(await rejection(next)).toBeInstanceOf(Cancelled);
    expect(fake.calls[0]?.abortSignal?.aborted).toBe(true);
    expect(fake.left()).toBe(true);
  });

  test('CANC-03 while the model object is still opening its stream', async () => {
    const opening = new Gate();
    const model = { ...fakeV4().model, doStream: () => opening.wait().then(() => Promise.reject(new Error('late'))) };
    const cancel = new AbortController();
    const next = modelOf(model)
      .stream(new TestPrompt({ cancel: cancel.signal }))
      .next();
    await opening.reached;
    cancel.abort();
    expect(await rejection(next)).toBeInstanceOf(Cancelled);
    opening.open();
  });

  test('CANC-03 an abort that the package reports is one', async () => {
    const cancel = new AbortController();
    const fake = fakeV4(start, say('Hi'), Object.assign(new Error('This operation was aborted'), { name: 'AbortError' }));
    const stream = modelOf(fake.model).stream(new TestPrompt({ cancel: cancel.signal }));
    await stream.next();
    cancel.abort();
    expect(await rejection(stream.next())).toBeInstanceOf(Cancelled);
  });

  test('MODEL-08 a reader that leaves early ends the stream', async () => {
    const fake = fakeV4(start, say('Hi'), say('there'), end);
    for await (const delta of modelOf(fake.model).stream(new TestPrompt())) {
      expect(delta).toMatchObject({ text: 'Hi' });
      break;
    }
    expect(fake.left()).toBe(true);
  });
});

test('HTTP-09 silence ends the stream as a transport error, and the package is told', async () => {
  const clock = new FakeClock();
  const fake = fakeV4(start, new Gate());
  const stream = modelOf(fake.model, { clock, timers: { firstEvent: 1000 } }).stream(new TestPrompt());
  const first = stream.next();
  await clock.sleeping();
  clock.advance(1000);
  expect(await rejection(first)).toMatchObject({ kind: 'transport_error', message: 'The model was silent for 1 s.' });
  expect(fake.calls[0]?.abortSignal?.aborted).toBe(true);
});

test('HTTP-08 a stream that ends without its finish is a transport error', async () => {
  expect(await rejection(collect(modelOf(fakeV3(start, say('Hi')).model).stream(new TestPrompt())))).toMatchObject({
    kind: 'transport_error',
  });
});

describe('warnings', () => {
  const warned = (feature: string) =>
    fakeV4({ type: 'stream-start', warnings: [{ type: 'unsupported', feature }] }, say('Hi'), end).model;

  test('MODEL-06 an option that was set and is left out by the package is refused', async () => {
    const stream = modelOf(warned('topK')).stream(new TestPrompt({ options: options({ topK: 3 }) }));
    expect(await rejection(collect(stream))).toMatchObject({
      code: 'unsupported_option',
      message: 'This model does not take the option topK.',
    });
  });

  test('any other warning goes to the logger', async () => {
    const heard: unknown[] = [];
    const logger: Logger = { warn: (_, fields) => void heard.push(fields) };
    expect(textsOf(await collect(modelOf(warned('topK'), { logger }).stream(new TestPrompt())))).toEqual(['Hi']);
    expect(heard).toEqual([{ model: 'lab/m', warning: { type: 'unsupported', feature: 'topK' } }]);
  });
});

describe('continuing a reply', () => {
  const messages: readonly Message[] = [
    userText('u', 'Sky?'),
    { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'It is' }] },
  ];
  const prompt = () => new TestPrompt({ messages, continue: true });

  test('INTR-21 is refused before any request unless the model was said to do it', async () => {
    const fake = fakeV4(start, say(' blue.'), end);
    const error = await rejection(collect(modelOf(fake.model).stream(prompt())));
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({ fallback: appendAndAsk });
    expect(fake.calls).toEqual([]);
    expect(modelOf(fake.model).continues).toBe(false);
  });

  test('INTR-21 a refusal of the server is the same error', async () => {
    const refusal: StreamPart = { type: 'error', error: { message: 'This model does not support assistant message prefill.' } };
    const error = await rejection(collect(modelOf(fakeV4(start, refusal).model, { continues: true }).stream(prompt())));
    expect(error).toMatchObject({ code: 'unsupported_option', fallback: appendAndAsk });
  });

  test.each([
    ['an echo is taken off', ['It', ' is blue.'], [' blue.']],
    ['no echo loses nothing', [' blue.'], [' blue.']],
    ['what is as short as a beginning of the edit is new', ['It'], ['It']],
  ])('CC-09 %s', async (_, said, told) => {
    const fake = fakeV4(start, ...said.map(say), end);
    expect(textsOf(await collect(modelOf(fake.model, { continues: true }).stream(prompt())))).toEqual(told);
  });
});

test('MODEL-09 an error in the stream comes after what was said before it', async () => {
  const fake = fakeV4(start, say('Half'), { type: 'error', error: 'Overloaded' }, end);
  const { items, error } = await collectUntilError(modelOf(fake.model).stream(new TestPrompt()));
  expect(textsOf(items)).toEqual(['Half']);
  expect(error).toMatchObject({ kind: 'model_error', message: 'The model reported an error: Overloaded' });
});

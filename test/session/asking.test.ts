import { describe, expect, it } from 'vitest';
import type { ConfiguredModel } from '../../src/config/index.ts';
import { AllowanceError, type Message, ModelError, userText } from '../../src/core/index.ts';
import { asking, type AskingEvent, type AskingPorts } from '../../src/session/asking.ts';
import { collectUntilError } from '../models/support.ts';
import { FakeModel, finishDelta, TestPrompt, textDelta } from '../../src/testing/index.ts';

const down = new ModelError('transport_error', 'http://10.0.0.1/v1 broke off');
const failed = new ModelError('model_error', 'no', null, 503);
const limited = new ModelError('rate_limited', 'slow down', 0);
const hello = [textDelta('Hello'), finishDelta('stop')];

/** A model of this name that plays these scripts. */
function configured(name: string, scripts: ConstructorParameters<typeof FakeModel>[0], options: ConfiguredModel['options'] = {}) {
  const model = new FakeModel(scripts);
  const capabilities = { continues: null, images: null, parallelCalls: null, thinking: null };
  const description = { name, demo: false, window: null, output: null, capabilities, prices: null };
  return { description, model, options, charge: () => ({ rates: null, cost: null }) };
}

/** Asks them; gives the deltas or the error, what was told, and who was asked last. */
async function play(
  models: AskingPorts['models'],
  ports: Partial<Pick<AskingPorts, 'ask' | 'before'>> = {},
  first = new TestPrompt(),
) {
  const told: AskingEvent[] = [];
  const { model, asked } = asking({ models, ask: null, before: null, tell: (event) => void told.push(event), ...ports });
  const ask = async (prompt: TestPrompt): Promise<unknown> => {
    const { items, error } = await collectUntilError(model.stream(prompt));
    return error ?? items;
  };
  return { came: await ask(first), again: () => ask(new TestPrompt()), told, asked: asked().description.name };
}

describe('the models of a turn', () => {
  it('FAIL-14 the next one is asked when one fails, and clients are told of both by name and of nothing internal', async () => {
    const models = [configured('lab/a', [[down]]), configured('lab/b', [[failed]]), configured('lab/c', ['Hello'])] as const;
    const { came, told, asked } = await play(models);
    expect([came, asked]).toEqual([hello, 'lab/c']);
    expect(told).toEqual([
      {
        type: 'warning',
        code: 'failed_over',
        detail: 'lab/a did not answer (transport_error). lab/b is asked instead.',
        model: 'lab/b',
      },
      { type: 'warning', code: 'failed_over', detail: 'lab/b failed (model_error). lab/c is asked instead.', model: 'lab/c' },
    ]);
  });

  it('MW-14 each has its own tries, and a wait names who is asked again', async () => {
    const models = [configured('lab/a', [[limited], [limited], [limited]]), configured('lab/b', [[limited], 'Hello'])] as const;
    const { came, told } = await play(models);
    expect(came).toEqual(hello);
    const wait = { type: 'retry_scheduled', after: 0, reason: 'rate_limited' };
    expect(told).toEqual([
      { ...wait, attempt: 1, model: 'lab/a' },
      { ...wait, attempt: 2, model: 'lab/a' },
      {
        type: 'warning',
        code: 'failed_over',
        detail: 'lab/a takes no more requests for now (rate_limited). lab/b is asked instead.',
        model: 'lab/b',
      },
      { ...wait, attempt: 1, model: 'lab/b' },
    ]);
  });

  it('MW-01 the allowance is asked before each call of a model, also of one that is asked again or instead', async () => {
    const models = [configured('lab/a', [[limited], [down]]), configured('lab/b', ['Hello'])] as const;
    const prompts: unknown[] = [];
    const { came } = await play(models, {
      ask: async (prompt) => {
        prompts.push(prompt);
        return null;
      },
    });
    const calls = models.reduce((sum, { model }) => sum + model.prompts.length, 0);
    expect([came, prompts.length, calls]).toEqual([hello, 3, 3]);
  });

  it('FAIL-09 what the allowance refuses it refuses of every model', async () => {
    const models = [configured('lab/a', ['Hello']), configured('lab/b', ['Hello'])] as const;
    const { came, told } = await play(models, { ask: async () => ({ code: 'spent', detail: 'All is spent.' }) });
    expect(came).toBeInstanceOf(AllowanceError);
    expect([told, ...models.map(({ model }) => model.prompts.length)]).toEqual([[], 0, 0]);
  });

  it('CTXW-01 MODEL-07 each is asked with its own sizes; what else a prompt says stays', async () => {
    const sizes = { contextWindow: 4096, maxOutputTokens: 99 };
    const [first, second] = [configured('lab/a', [[down]], sizes), configured('lab/b', ['Hello'], { contextWindow: 8192 })];
    const options = { ...sizes, maxOutputTokens: 50, toolRetries: 2, provider: { lab: { warm: true } } };
    const messages: readonly Message[] = [userText('u', 'Hi')];
    await play([first, second], {}, new TestPrompt({ options, messages }));
    expect(first.model.prompts[0]).toMatchObject({ options, messages });
    expect(second.model.prompts[0]).toMatchObject({ messages });
    expect(second.model.prompts[0]?.options).toEqual({ contextWindow: 8192, toolRetries: 2, provider: options.provider });
  });
});

describe('a life that goes on', () => {
  it('RUN-04 MW-14 begins with who was asked last, at the try that it had come to', async () => {
    const models = [configured('lab/a', ['Hello']), configured('lab/b', [[limited], [limited], 'Hello'])] as const;
    const before = { model: 'lab/b', tries: 2, until: 0 };
    const { came, told, again } = await play(models, { before });
    expect([came, told]).toEqual([limited, []]);
    expect(models.map(({ model }) => model.prompts.length)).toEqual([0, 1]);
    expect(await again()).toEqual(hello);
    expect(models.map(({ model }) => model.prompts.length)).toEqual([1, 1]);
  });

  it('RUN-19 begins anew where that model is configured no more', async () => {
    const models = [configured('lab/a', [[limited], [limited], 'Hello'])] as const;
    const { came } = await play(models, { before: { model: 'lab/gone', tries: 2, until: 0 } });
    expect(came).toEqual(hello);
  });
});

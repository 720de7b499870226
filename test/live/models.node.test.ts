import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { configuredModels, readEnv } from '../../src/config/index.ts';
import {
  type Message,
  Resume,
  Run,
  textOf,
  textResult,
  tool,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../src/core/index.ts';

// The models that the environment names, as a deployment would have them (docs/configuration.md). Each test spends a few tokens. A model may do
// otherwise than it was asked: look at the reply before you blame the code.

const settings = readEnv(process.env);
if (!settings.ok) throw new Error(settings.problems.map(({ message }) => message).join(' '));
const named = settings.value.models.length === 0 ? [] : configuredModels(settings.value);

if (named.length === 0) {
  process.stdout.write(
    'Live tests: skipped, no endpoint is named. Set HARNESS_MODEL and the variables of its provider (docs/configuration.md).\n',
  );
}

/** 8 by 8 pixels, all red. */
const red = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII=';

const stamp = tool({
  name: 'stamp',
  description: 'Gives the stamp of today, a word.',
  input: z.strictObject({}),
  hints: { readOnly: true },
  call: () => textResult('quagga'),
});

test.skipIf(named.length === 0)('every model that is named has a name of its own', () => {
  const names = named.map(({ description }) => description.name);
  expect(new Set(names)).toHaveLength(names.length);
});

describe.each(named.map((model) => [model.description.name, model] as const))('%s', (_, { model, options, description }) => {
  const runOf = (messages: readonly Message[] = []): Run =>
    new Run({ model, tools: toolList(stamp), system: 'Answer in one short sentence.', options, messages });

  /** Plays a turn; gives how it ended and what it said. */
  async function played(
    run: Run,
    input: Message | Resume,
  ): Promise<{ readonly reason: string; readonly text: string; readonly error: unknown }> {
    const stream = run.turn(input);
    try {
      for await (const event of stream) void event;
    } catch (error) {
      if (!(error instanceof UnsupportedOptionError)) throw error;
    }
    const ended = run.ended();
    return { reason: ended?.reason ?? '', text: (ended?.appended ?? []).map(textOf).join('\n'), error: ended?.error ?? null };
  }

  test('LOOP-02 answers', async () => {
    const { reason, text, error } = await played(runOf(), userText('u', 'Say the word harbour and nothing else.'));
    expect({ reason, error }).toEqual({ reason: 'done', error: null });
    expect(text.toLowerCase()).toContain('harbour');
  });

  test('LOOP-12 calls a tool, sees its result, and goes on from there in the next turn', async () => {
    const run = runOf();
    const first = await played(run, userText('u1', 'Call the tool stamp, then repeat the word that it gave.'));
    expect(first).toMatchObject({ reason: 'done', error: null });
    expect(first.text.toLowerCase()).toContain('quagga');
    const second = await played(run, userText('u2', 'Which word was it? Do not call the tool again.'));
    expect(second).toMatchObject({ reason: 'done', error: null });
    expect(second.text.toLowerCase()).toContain('quagga');
  });

  test('ATT-01 ATT-11 a picture never fails a turn, and is seen where the model is known to see', async () => {
    const content = [
      { type: 'text', text: 'Which colour is this square? If you see none, say so.' },
      { type: 'image', mediaType: 'image/png', data: red },
    ] as const;
    const { reason, text, error } = await played(runOf(), { id: 'u', role: 'user', content });
    expect({ reason, error }).toEqual({ reason: 'done', error: null });
    if (description.capabilities.images === true) expect(text.toLowerCase()).toContain('red');
  });

  test('CANC-03 is left as soon as it is told to stop', async () => {
    const run = runOf();
    for await (const event of run.turn(userText('u', 'Count from 1 to 300 in words.'))) {
      if (event.type === 'text_delta' || event.type === 'reasoning_delta') run.cancel();
    }
    expect(run.ended()?.reason).toBe('cancelled');
  });

  test('INTR-06 INTR-14 goes on from an edited reply, or says at once that it cannot', async () => {
    const edit: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'The capital of France is' }] };
    const { reason, text, error } = await played(runOf([userText('u', 'What is the capital of France?')]), new Resume(edit));
    if (reason === 'failed') expect(error).toBeInstanceOf(UnsupportedOptionError);
    else expect(text).toMatch(/^The capital of France is\b.*Paris/s);
  });
});

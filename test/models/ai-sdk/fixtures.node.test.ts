import { createMistral } from '@ai-sdk/mistral';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { Run, toolCalls, toolList, userText } from '../../../src/core/index.ts';
import { AiSdkModel } from '../../../src/models/ai-sdk/index.ts';
import { countingIds, TestPrompt } from '../../../src/testing/index.ts';
import { expectWellFormed } from '../recorded.ts';
import { collect, cuttings, event, hello } from '../support.ts';
import { wire, type WireAnswer } from './wire.ts';

const folder = join(import.meta.dirname, '../../../../shared/fixtures/providers/chat');
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('mistral__')) : [];
const files = names.map((name) => [basename(name), join(folder, name)] as const);

function wireOf(file: string): string {
  const chunks = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [...chunks, '[DONE]'].map(event).join('');
}

function model(...answers: readonly WireAnswer[]): AiSdkModel {
  const load = () => createMistral({ apiKey: 'k', fetch: wire(...answers).fetch })('mistral-small-latest');
  return new AiSdkModel({ name: 'mistral/mistral-small-latest', load });
}

test.skipIf(files.length === 0)('recorded streams: skipped where ../shared/fixtures is absent', () => {
  expect(files.length).toBeGreaterThan(0);
});

test.each(files)('MODEL-09 %s becomes the calls and the usage that it holds', async (_, file) => {
  const run = new Run({ model: model({ body: wireOf(file) }, { body: hello }), tools: toolList(), mintId: countingIds() });
  const events = await collect(run.turn(userText('u', 'Hi')));
  expectWellFormed(events);
  const ended = events.find((item) => item.type === 'message_ended');
  if (ended?.type !== 'message_ended') throw new Error('no message');
  const text = readFileSync(file, 'utf8');
  const [call] = toolCalls(ended.message);
  expect(text).toContain(`"id":"${call?.providerId}"`);
  expect(text).toContain(`"name":"${call?.name}"`);
  expect(text).toContain(`"prompt_tokens":${ended.usage.input}`);
  expect(text).toContain(`"completion_tokens":${ended.usage.output}`);
  expect(ended.finish).toBe('tool_calls');
});

test.each(files)(
  'HTTP-05 %s is the same however it is cut',
  async (_, file) => {
    const [whole = [], ...others] = cuttings(wireOf(file));
    const deltasOf = (body: WireAnswer['body']) => collect(model({ body }).stream(new TestPrompt()));
    const expected = await deltasOf(whole);
    for (const chunks of others) expect(await deltasOf(chunks)).toEqual(expected);
  },
  120_000,
);

import { expect, test } from 'vitest';
import { configuredModels, pickModel, readEnv, type Settings } from '../../src/config/index.ts';
import type { Transport } from '../../src/core/index.ts';
import { FakeClock, TestPrompt } from '../../src/testing/index.ts';

const endpoint = { HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'tiny' };

function settings(env: object): Settings {
  const read = readEnv(env);
  if (!read.ok) throw new Error('The variables of this test are wrong.');
  return read.value;
}

test('without an endpoint the demo model speaks, and says that it is one', () => {
  const [model, ...others] = configuredModels(settings({}));
  expect(model.description).toEqual({ name: 'demo', demo: true, window: null, capabilities: { continues: true } });
  expect(others).toEqual([]);
});

test('CC-01 CTXW-01 INTR-21 with an endpoint its model is the only one, described by what is known of it', () => {
  const models = configuredModels(settings({ ...endpoint, HARNESS_CONTEXT_WINDOW: '8192' }));
  expect(models.map(({ description }) => description)).toEqual([
    { name: 'openai/tiny', demo: false, window: 8192, capabilities: { continues: null } },
  ]);
  const [hosted] = configuredModels(settings({ ...endpoint, HARNESS_OPENAI_URL: 'https://api.openai.com/v1' }));
  expect(hosted.description).toMatchObject({ window: null, capabilities: { continues: false } });
});

test('CC-01 CC-02 address, model, key and preset reach the request', async () => {
  const posted: { url: string; authorization: string | undefined; body: Record<string, unknown> }[] = [];
  const transport: Transport = {
    post: (url, headers, body) => {
      posted.push({ url, authorization: headers.authorization, body: JSON.parse(body) as Record<string, unknown> });
      return Promise.reject(new Error('enough'));
    },
  };
  const env = { ...endpoint, HARNESS_OPENAI_KEY: 'k', HARNESS_HOST: 'openai' };
  const [{ model }] = configuredModels(settings(env), { transport, clock: new FakeClock() });
  const prompt = new TestPrompt().with({ options: { toolRetries: 3, provider: {}, maxOutputTokens: 7 } });
  await expect(model.stream(prompt)[Symbol.asyncIterator]().next()).rejects.toThrow('enough');
  expect(posted).toMatchObject([
    {
      url: 'http://127.0.0.1:8080/v1/chat/completions',
      authorization: 'Bearer k',
      // The field that the preset `openai` uses, where the generic one has max_tokens.
      body: { model: 'tiny', max_completion_tokens: 7 },
    },
  ]);
});

test('SESS-07 a model that is configured no more falls back to the default, without error', () => {
  const models = configuredModels(settings(endpoint));
  expect(pickModel(models, 'openai/tiny')).toBe(models[0]);
  expect(pickModel(models, null)).toBe(models[0]);
  expect(pickModel(models, 'openai/gone')).toBe(models[0]);
});

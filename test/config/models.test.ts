import { expect, test } from 'vitest';
import { configuredModels, defaultWorkersAiModel, modelsFor, pickModel, readEnv, type Settings } from '../../src/config/index.ts';
import { type Message, noUsage, type Transport, UnsupportedOptionError, userText } from '../../src/core/index.ts';
import { capabilitiesOf, costOf, ratesOf } from '../../src/models/catalog/index.ts';
import { FakeClock, FakeTransport, TestPrompt } from '../../src/testing/index.ts';
import { collect, eventStream, hello } from '../models/support.ts';
import { FakeBinding } from '../models/workers-ai/fake-binding.ts';

const bearer = { authorization: 'Bearer k' };
const endpoint = { HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'tiny' };

function settings(env: object): Settings {
  const read = readEnv(env);
  if (!read.ok) throw new Error('The variables of this test are wrong.');
  return read.value;
}

const nothingKnown = { continues: null, images: null, parallelCalls: null, thinking: null };

test('without an endpoint the demo model speaks, and says that it is one', () => {
  const [model, ...others] = configuredModels(settings({}));
  expect(model.description).toEqual({
    name: 'demo',
    demo: true,
    window: null,
    output: null,
    capabilities: { ...nothingKnown, continues: true },
    prices: null,
  });
  expect(others).toEqual([]);
});

test('CC-01 CTXW-01 INTR-21 of a server of their own operators say what is known of its model', () => {
  const sizes = { HARNESS_CONTEXT_WINDOW: '8192', HARNESS_MAX_OUTPUT_TOKENS: '512' };
  const models = configuredModels(settings({ ...endpoint, ...sizes }));
  expect(models.map(({ description, options }) => [description, options])).toEqual([
    [
      { name: 'openai/tiny', demo: false, window: 8192, output: 512, capabilities: nothingKnown, prices: null },
      { contextWindow: 8192, maxOutputTokens: 512 },
    ],
  ]);
});

/** A model that the catalogue knows. */
const known = 'gpt-4.1';
const knownWindow = capabilitiesOf(`openai/${known}`).window;

test('CTXW-01 BUD-03 at a provider the catalogue says what is known of a model, and the operator knows better', () => {
  const env = { HARNESS_OPENAI_KEY: 'k', HARNESS_MODEL: known };
  const [{ description, options }] = configuredModels(settings(env));
  expect(description).toEqual({
    name: `openai/${known}`,
    demo: false,
    window: knownWindow,
    output: expect.any(Number),
    capabilities: { continues: false, images: true, parallelCalls: true, thinking: 'none' },
    prices: expect.arrayContaining([expect.objectContaining({ input: expect.anything(), output: expect.anything() })]),
  });
  expect(knownWindow).toBeGreaterThan(0);
  // What a model may say at most is no bound that anybody asked for.
  expect(options).toEqual({ contextWindow: knownWindow });
  const [told] = configuredModels(settings({ ...env, HARNESS_CONTEXT_WINDOW: '4096', HARNESS_MAX_OUTPUT_TOKENS: '99' }));
  expect([told.description.window, told.description.output, told.options]).toEqual([
    4096,
    99,
    { contextWindow: 4096, maxOutputTokens: 99 },
  ]);
});

test('BUD-03 a model of a known name at another server is not that model', () => {
  for (const url of [
    'http://127.0.0.1:8080/v1',
    'https://openrouter.ai/api/v1',
    'https://gateway.ai.cloudflare.com/v1/a/g/compat',
  ]) {
    const [{ description }] = configuredModels(settings({ HARNESS_OPENAI_URL: url, HARNESS_MODEL: known }));
    expect(description, url).toMatchObject({ window: null, output: null, prices: null, capabilities: { images: null } });
  }
});

test('behind an AI Gateway a provider is itself', () => {
  const env = { HARNESS_OPENAI_URL: 'https://gateway.ai.cloudflare.com/v1/a/g/openai', HARNESS_MODEL: known };
  expect(configuredModels(settings(env))[0].description.window).toBe(knownWindow);
});

test('INTR-21 a model that the catalogue knows not to continue a reply is not asked to, whatever its host can', async () => {
  const name = 'anthropic/claude-opus-4.6';
  expect(capabilitiesOf(`openrouter/${name}`).prefill).toBe('none');
  const env = { HARNESS_OPENROUTER_KEY: 'k', HARNESS_MODEL: `openrouter/${name}` };
  const [{ description, model }] = configuredModels(settings(env), { transport: new FakeTransport([]) });
  expect(description.capabilities.continues).toBe(false);
  const edit: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'It' }] };
  const prompt = new TestPrompt().with({ messages: [userText('u', 'Hi'), edit], continue: true });
  await expect(collect(model.stream(prompt))).rejects.toThrow(UnsupportedOptionError);
});

test.each([
  ['anthropic/m', { HARNESS_ANTHROPIC_KEY: 'k' }, 'https://api.anthropic.com/v1/messages', { 'x-api-key': 'k' }],
  ['openai/m', { HARNESS_OPENAI_KEY: 'k', HARNESS_OPENAI_FORMAT: 'responses' }, 'https://api.openai.com/v1/responses', bearer],
  ['groq/m', { HARNESS_GROQ_KEY: 'k' }, 'https://api.groq.com/openai/v1/chat/completions', bearer],
])('each provider is spoken to in its own format: %s', async (name, env, url, headers) => {
  const transport = new FakeTransport([{ status: 500 }]);
  const [{ model }] = configuredModels(settings({ ...env, HARNESS_MODEL: name }), { transport, clock: new FakeClock() });
  await expect(collect(model.stream(new TestPrompt()))).rejects.toThrow('500');
  expect(transport.requests).toMatchObject([{ url, headers, body: expect.stringContaining('"model":"m"') }]);
});

test('a provider keeps its peculiarities behind a URL of its own, and the token of an AI Gateway goes along', async () => {
  const transport = new FakeTransport([{ status: 500 }]);
  const env = {
    HARNESS_MISTRAL_URL: 'https://gateway.ai.cloudflare.com/v1/a/g/mistral/v1',
    HARNESS_MODEL: 'mistral/m',
    HARNESS_GATEWAY_TOKEN: 't',
  };
  const [{ model }] = configuredModels(settings(env), { transport, clock: new FakeClock() });
  await expect(collect(model.stream(new TestPrompt()))).rejects.toThrow('500');
  const [request] = transport.requests;
  expect(request?.headers).toMatchObject({ 'cf-aig-authorization': 'Bearer t' });
  expect(request?.headers).not.toHaveProperty('authorization');
  // Mistral refuses the field that asks for usage.
  expect(request?.body).not.toContain('stream_options');
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

test('FAIL-14 a turn falls over from the model that was chosen to those that are named, and never to itself', () => {
  const env = { ...endpoint, HARNESS_GROQ_KEY: 'k', HARNESS_MODEL: 'tiny, groq/a, groq/b', HARNESS_FAILOVER: 'groq/b, tiny' };
  const names = (wanted: string | null, from: object = env) =>
    modelsFor(settings(from), wanted).map(({ description }) => description.name);
  expect(names(null)).toEqual(['openai/tiny', 'groq/b']);
  expect(names('groq/a')).toEqual(['groq/a', 'groq/b', 'openai/tiny']);
  expect(names('groq/b')).toEqual(['groq/b', 'openai/tiny']);
  expect(names('groq/gone')).toEqual(['openai/tiny', 'groq/b']);
  expect(names('groq/a', { ...env, HARNESS_FAILOVER: '' })).toEqual(['groq/a']);
  expect(modelsFor(settings({}), null).map(({ description }) => description.name)).toEqual(['demo']);
});

test('BUD-03 what a request costs is known of a provider itself, and of nobody else', () => {
  const usage = { ...noUsage, input: 1000, output: 10 };
  const at = Date.UTC(2026, 10, 30);
  const nothing = { rates: null, cost: null };
  const charge = (env: object) => configuredModels(settings(env))[0].charge(usage, at);
  const rates = ratesOf(usage, `openai/${known}`, at);
  expect(rates?.input).toBeGreaterThan(0);
  expect(charge({ HARNESS_OPENAI_KEY: 'k', HARNESS_MODEL: known })).toEqual({
    rates,
    cost: costOf(usage, `openai/${known}`, at),
  });
  expect(charge({ ...endpoint, HARNESS_MODEL: known })).toEqual(nothing);
  expect(charge({ HARNESS_OPENAI_KEY: 'k', HARNESS_MODEL: 'unheard-of' })).toEqual(nothing);
  expect(charge({})).toEqual(nothing);
});

test('BUD-03 CTXW-01 a Worker with a binding to Workers AI and no variable speaks through it, at known prices in a known window', async () => {
  const AI = new FakeBinding(new Response(hello, { headers: eventStream }));
  const transport = new FakeTransport([]);
  const [configured, ...others] = configuredModels(settings({ AI }), { transport, clock: new FakeClock() });
  expect(others).toEqual([]);
  const name = `workers-ai/${defaultWorkersAiModel}`;
  const { window, images } = capabilitiesOf(name);
  expect(configured.description).toMatchObject({ name, demo: false, window, capabilities: { continues: false, images } });
  expect(configured.options).toEqual({ contextWindow: window });
  expect(window).toBeGreaterThan(30_000);
  const usage = { ...noUsage, input: 1_000_000, output: 1_000_000 };
  expect(configured.charge(usage, Date.UTC(2026, 10, 30)).cost).toBeGreaterThan(0);
  await collect(configured.model.stream(new TestPrompt()));
  expect(AI.runs.map(({ model }) => model)).toEqual([defaultWorkersAiModel]);
  expect(transport.requests).toEqual([]);
});

test('beside the binding another provider is asked at its address', async () => {
  const AI = new FakeBinding();
  const transport = new FakeTransport([{ status: 500 }]);
  const env = { AI, HARNESS_GROQ_KEY: 'k', HARNESS_MODEL: 'groq/m, workers-ai/@cf/lab/m' };
  const [{ model }, second] = configuredModels(settings(env), { transport, clock: new FakeClock() });
  await expect(collect(model.stream(new TestPrompt()))).rejects.toThrow('500');
  expect(transport.requests).toHaveLength(1);
  expect(AI.runs).toEqual([]);
  expect(second?.description.name).toBe('workers-ai/@cf/lab/m');
});

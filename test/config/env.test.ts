import { describe, expect, test } from 'vitest';
import { defaultWorkersAiModel, readEnv } from '../../src/config/index.ts';
import { FakeBinding } from '../models/workers-ai/fake-binding.ts';

const endpoint = { HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'tiny' };

function problems(env: object): readonly (readonly [string, string])[] {
  const read = readEnv(env);
  return read.ok ? [] : read.problems.map(({ where, message }) => [where, message] as const);
}

/** The models that the variables name: by what name, at which URL, and under what name there. */
function models(env: object): readonly (readonly [string, string, string])[] {
  const read = readEnv(env);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value.models.map(({ name, endpoint, model }) => [name, endpoint.url, model] as const);
}

describe('the variables', () => {
  test('STATE-11 none is needed, and an empty one is none', () => {
    const nothing = { ok: true, value: { models: [], failover: [] } };
    expect(readEnv({})).toEqual(nothing);
    expect(readEnv({ HARNESS_OPENAI_URL: '', HARNESS_MODEL: '', HARNESS_GROQ_KEY: '', SESSIONS: {} })).toEqual(nothing);
  });

  test('CC-01 CTXW-01 an endpoint has an address and a model, and perhaps a key, a preset and its sizes', () => {
    const plain = { url: endpoint.HARNESS_OPENAI_URL, key: null, format: 'chat', gatewayToken: null };
    const unset = { host: null, contextWindow: null, maxOutputTokens: null };
    expect(readEnv(endpoint)).toMatchObject({
      ok: true,
      value: { models: [{ name: 'openai/tiny', model: 'tiny', endpoint: plain, ...unset }] },
    });
    const all = {
      HARNESS_OPENAI_KEY: 'k',
      HARNESS_HOST: 'llama_cpp',
      HARNESS_CONTEXT_WINDOW: '8192',
      HARNESS_MAX_OUTPUT_TOKENS: '512',
    };
    const set = { host: 'llama_cpp', contextWindow: 8192, maxOutputTokens: 512 };
    expect(readEnv({ ...endpoint, ...all })).toMatchObject({
      ok: true,
      value: { models: [{ name: 'openai/tiny', endpoint: { ...plain, key: 'k' }, ...set }] },
    });
  });

  test.each([
    ['HARNESS_OPENAI_URL', '127.0.0.1:8080'],
    ['HARNESS_OPENAI_URL', 'ftp://host/v1'],
    ['HARNESS_OPENAI_URL', 'http://host/v1/chat/completions'],
    ['HARNESS_OPENAI_URL', 'http://host/v1/responses'],
    ['HARNESS_ANTHROPIC_URL', 'http://host/v1/messages'],
    ['HARNESS_OPENAI_KEY', 'two words'],
    ['HARNESS_XAI_KEY', 'two words'],
    ['HARNESS_OPENAI_FORMAT', 'messages'],
    ['HARNESS_GATEWAY_TOKEN', 'two words'],
    ['HARNESS_MODEL', ' '],
    ['HARNESS_MODEL', 'tiny,,small'],
    ['HARNESS_MODEL', 'tiny, tiny'],
    ['HARNESS_FAILOVER', 'tiny,,small'],
    ['HARNESS_HOST', 'lama'],
    ['HARNESS_CONTEXT_WINDOW', '0'],
    ['HARNESS_CONTEXT_WINDOW', '-5'],
    ['HARNESS_CONTEXT_WINDOW', '8k'],
    ['HARNESS_CONTEXT_WINDOW', '1.5'],
    ['HARNESS_MAX_OUTPUT_TOKENS', 'many'],
  ])('CTXW-01 MODEL-06 a wrong %s (%s) is a problem that names the variable and what it must be', (name, value) => {
    expect(problems({ ...endpoint, [name]: value })).toEqual([
      [name, expect.stringMatching(new RegExp(`^${name} must be .+\\.$`))],
    ]);
  });

  test('a problem never shows a value, which may be a secret', () => {
    expect(JSON.stringify(problems({ ...endpoint, HARNESS_OPENAI_KEY: 'sk secret', HARNESS_HOST: 'sk-secret' }))).not.toContain(
      'secret',
    );
  });

  test.each([
    ['HARNESS_MODEL', { HARNESS_OPENAI_URL: endpoint.HARNESS_OPENAI_URL }],
    ['HARNESS_OPENAI_URL', { HARNESS_MODEL: 'tiny' }],
    ['HARNESS_MODEL', { HARNESS_OPENAI_KEY: 'k' }],
    ['HARNESS_MODEL', { HARNESS_GROQ_KEY: 'k' }],
    ['HARNESS_MODEL', { HARNESS_MISTRAL_URL: 'http://127.0.0.1:8080/v1' }],
    ['HARNESS_OPENAI_URL', { HARNESS_MODEL: 'tiny', HARNESS_GROQ_KEY: 'k' }],
    ['HARNESS_OPENAI_URL', { HARNESS_MODEL: 'lab/tiny, lab/small', HARNESS_GROQ_KEY: 'k' }],
    ['HARNESS_OPENAI_KEY', { HARNESS_MODEL: 'openai/tiny' }],
    ['HARNESS_ANTHROPIC_KEY', { HARNESS_MODEL: 'groq/tiny, anthropic/tiny', HARNESS_GROQ_KEY: 'k' }],
  ])('half an endpoint is a problem and not the demo model: %s is missing (%#)', (missing, env) => {
    expect(problems(env)).toEqual([[missing, expect.stringContaining(`${missing} must be set too`)]]);
  });

  test('a preset or a format without an endpoint is a problem', () => {
    for (const env of [{ HARNESS_HOST: 'vllm' }, { HARNESS_OPENAI_FORMAT: 'responses' }]) {
      expect(problems(env).map(([where]) => where)).toEqual(['HARNESS_OPENAI_URL', 'HARNESS_MODEL']);
    }
  });

  test('all wrong variables are told at once', () => {
    expect(problems({ HARNESS_HOST: 'x', HARNESS_CONTEXT_WINDOW: 'y', HARNESS_OPENAI_URL: 'z' })).toHaveLength(3);
  });
});

const groq = { HARNESS_GROQ_KEY: 'g' };
const anthropic = { HARNESS_ANTHROPIC_KEY: 'a' };
const openai = { HARNESS_OPENAI_KEY: 'o' };
const other = endpoint.HARNESS_OPENAI_URL;

describe('HARNESS_FAILOVER', () => {
  const several = { ...endpoint, ...groq, HARNESS_MODEL: 'tiny, groq/lab/m, lab/other' };
  const failover = (env: object): unknown => {
    const read = readEnv(env);
    return read.ok ? read.value.failover : read.problems.map(({ where, message }) => [where, message]);
  };

  test('FAIL-14 names models as HARNESS_MODEL does, in the order in which they are asked', () => {
    expect(failover(several)).toEqual([]);
    expect(failover({ ...several, HARNESS_FAILOVER: 'lab/other, groq/lab/m' })).toEqual(['openai/lab/other', 'groq/lab/m']);
    const atOpenai = { ...openai, HARNESS_MODEL: 'openai/a, b', HARNESS_FAILOVER: 'openai/b' };
    expect(failover(atOpenai)).toEqual(['openai/b']);
  });

  test.each<[string, object]>([
    ['that is not there', { ...several, HARNESS_FAILOVER: 'groq/lab/m, lab/gone' }],
    [
      'of a provider that is not connected',
      { ...anthropic, HARNESS_MODEL: 'anthropic/a, anthropic/b', HARNESS_FAILOVER: 'groq/a' },
    ],
    ['that comes twice', { ...several, HARNESS_FAILOVER: 'tiny, tiny' }],
    ['that comes twice under two names', { ...openai, HARNESS_MODEL: 'a, b', HARNESS_FAILOVER: 'a, openai/a' }],
    ['of the only model', { ...endpoint, HARNESS_FAILOVER: 'tiny' }],
  ])('MODEL-06 a name %s is a problem', (_, env) => {
    expect(failover(env)).toEqual([
      ['HARNESS_FAILOVER', expect.stringMatching(/^HARNESS_FAILOVER must be names of HARNESS_MODEL/)],
    ]);
  });

  test('without HARNESS_MODEL that one is missing, and where it is wrong only that is said', () => {
    expect(problems({ HARNESS_FAILOVER: 'tiny' })).toEqual([
      ['HARNESS_MODEL', expect.stringContaining('since HARNESS_FAILOVER is')],
    ]);
    expect(problems({ ...several, HARNESS_MODEL: 'tiny, tiny', HARNESS_FAILOVER: 'gone' }).map(([where]) => where)).toEqual([
      'HARNESS_MODEL',
    ]);
  });
});

describe('several providers', () => {
  test('each is connected by its key, at its own address, and its models are named by it', () => {
    const named = ['openai/m', 'anthropic/m', 'openrouter/lab/m', 'groq/m', 'mistral/m', 'deepseek/m', 'xai/m'];
    const ids = named.map((name) => name.split('/')[0] ?? '');
    const keys = Object.fromEntries(ids.map((id) => [`HARNESS_${id.toUpperCase()}_KEY`, `key-of-${id}`]));
    const read = readEnv({ ...keys, HARNESS_MODEL: named.join(', ') });
    const connected = read.ok ? read.value.models : [];
    expect(connected.map(({ name, model, endpoint }) => [name, model, endpoint.url, endpoint.format, endpoint.key])).toEqual([
      ['openai/m', 'm', 'https://api.openai.com/v1', 'chat', 'key-of-openai'],
      ['anthropic/m', 'm', 'https://api.anthropic.com/v1', 'messages', 'key-of-anthropic'],
      ['openrouter/lab/m', 'lab/m', 'https://openrouter.ai/api/v1', 'chat', 'key-of-openrouter'],
      ['groq/m', 'm', 'https://api.groq.com/openai/v1', 'chat', 'key-of-groq'],
      ['mistral/m', 'm', 'https://api.mistral.ai/v1', 'chat', 'key-of-mistral'],
      ['deepseek/m', 'm', 'https://api.deepseek.com/v1', 'chat', 'key-of-deepseek'],
      ['xai/m', 'm', 'https://api.x.ai/v1', 'chat', 'key-of-xai'],
    ]);
  });

  test('a URL connects one as well, wherever it leads', () => {
    const env = { HARNESS_MISTRAL_URL: 'http://127.0.0.1:9000/v1', HARNESS_MODEL: 'mistral/small' };
    expect(models(env)).toEqual([['mistral/small', 'http://127.0.0.1:9000/v1', 'small']]);
  });

  test.each<[string, object, readonly (readonly [string, string, string])[]]>([
    ['a plain name', endpoint, [['openai/tiny', other, 'tiny']]],
    ['a name like a path', { ...endpoint, HARNESS_MODEL: 'lab/tiny:free' }, [['openai/lab/tiny:free', other, 'lab/tiny:free']]],
    ['a provider that is not connected', { ...endpoint, HARNESS_MODEL: 'groq/m' }, [['openai/groq/m', other, 'groq/m']]],
    ['openai, served by another', { ...endpoint, HARNESS_MODEL: 'openai/oss' }, [['openai/openai/oss', other, 'openai/oss']]],
  ])('an endpoint of openai that leads elsewhere takes whole names, as ever: %s', (_, env, expected) => {
    expect(models(env)).toEqual(expected);
  });

  test('at OpenAI itself a model may be named with or without its provider', () => {
    const url = 'https://api.openai.com/v1';
    expect(models({ ...openai, HARNESS_MODEL: 'openai/a, b' })).toEqual([
      ['openai/a', url, 'a'],
      ['openai/b', url, 'b'],
    ]);
    expect(models({ HARNESS_OPENAI_URL: url, HARNESS_MODEL: 'openai/a' })).toEqual([['openai/a', url, 'a']]);
  });

  test('a local server and a service stand beside each other', () => {
    const env = { ...endpoint, ...groq, HARNESS_MODEL: 'groq/lab/m, tiny', HARNESS_HOST: 'vllm', HARNESS_CONTEXT_WINDOW: '4096' };
    const read = readEnv(env);
    expect(read.ok && read.value.models).toMatchObject([
      { name: 'groq/lab/m', model: 'lab/m', host: 'groq', contextWindow: null },
      { name: 'openai/tiny', model: 'tiny', host: 'vllm', contextWindow: 4096 },
    ]);
  });

  test('HARNESS_OPENAI_FORMAT changes how OpenAI is spoken to, and nobody else', () => {
    const env = { ...openai, ...groq, HARNESS_MODEL: 'a, groq/b', HARNESS_OPENAI_FORMAT: 'responses' };
    const read = readEnv(env);
    expect(read.ok && read.value.models.map(({ endpoint }) => endpoint.format)).toEqual(['responses', 'chat']);
  });

  test('the token of an AI Gateway goes to an AI Gateway alone', () => {
    const env = {
      ...groq,
      HARNESS_ANTHROPIC_URL: 'https://gateway.ai.cloudflare.com/v1/account/name/anthropic/v1',
      HARNESS_MODEL: 'anthropic/a, groq/b',
      HARNESS_GATEWAY_TOKEN: 't',
    };
    const read = readEnv(env);
    expect(read.ok && read.value.models.map(({ endpoint }) => endpoint.gatewayToken)).toEqual(['t', null]);
  });

  test.each<[string, object]>([
    ['HARNESS_MODEL', { ...anthropic, HARNESS_MODEL: 'anthropic/' }],
    ['HARNESS_MODEL', { ...openai, HARNESS_MODEL: 'a, openai/a' }],
    ['HARNESS_HOST', { ...anthropic, HARNESS_MODEL: 'anthropic/a', HARNESS_HOST: 'vllm' }],
    ['HARNESS_OPENAI_FORMAT', { ...anthropic, HARNESS_MODEL: 'anthropic/a', HARNESS_OPENAI_FORMAT: 'chat' }],
    ['HARNESS_CONTEXT_WINDOW', { ...anthropic, HARNESS_MODEL: 'anthropic/a', HARNESS_CONTEXT_WINDOW: '9' }],
    ['HARNESS_MAX_OUTPUT_TOKENS', { ...groq, HARNESS_MODEL: 'groq/a', HARNESS_MAX_OUTPUT_TOKENS: '9' }],
    ['HARNESS_HOST', { ...endpoint, HARNESS_HOST: 'vllm', HARNESS_OPENAI_FORMAT: 'responses' }],
    ['HARNESS_GATEWAY_TOKEN', { ...endpoint, HARNESS_GATEWAY_TOKEN: 't' }],
  ])('MODEL-06 a %s that nothing can be done with is a problem and never ignored (%#)', (name, env) => {
    expect(problems(env)).toEqual([[name, expect.stringMatching(new RegExp(`^${name} must `))]]);
  });
});

describe('the binding to Workers AI', () => {
  const AI = new FakeBinding();
  const cf = 'workers-ai/@cf/lab/m';
  const names = (env: object) => models(env).map(([name]) => name);

  test('without a variable it is the default model, with HARNESS_MODEL the models that are named there', () => {
    expect(names({ AI })).toEqual([`workers-ai/${defaultWorkersAiModel}`]);
    expect(names({ AI, HARNESS_MODEL: '' })).toEqual([`workers-ai/${defaultWorkersAiModel}`]);
    expect(names({ AI, ...endpoint })).toEqual(['openai/tiny']);
    expect(names({ AI, ...groq, HARNESS_MODEL: `groq/m, ${cf}`, HARNESS_FAILOVER: cf })).toEqual(['groq/m', cf]);
  });

  test('connects the models that are named so, with the preset of its own, without a key', () => {
    const read = readEnv({ AI, HARNESS_MODEL: cf });
    expect(read).toMatchObject({
      ok: true,
      value: {
        models: [{ name: cf, model: '@cf/lab/m', host: 'workers_ai', endpoint: { key: null, format: 'chat', binding: AI } }],
      },
    });
  });

  test('what is no binding is none: a text in its place leaves the demo', () => {
    for (const other of ['none', {}, null]) expect(names({ AI: other })).toEqual([]);
  });

  test.each<[string, object]>([
    ['HARNESS_MODEL', { AI, HARNESS_GROQ_KEY: 'k' }],
    ['HARNESS_MODEL', { AI, HARNESS_FAILOVER: cf }],
    ['AI', { HARNESS_MODEL: cf }],
    ['AI', { HARNESS_GROQ_KEY: 'k', HARNESS_MODEL: `groq/m, ${cf}` }],
  ])('half of it is a problem and never the default: %s is missing (%#)', (missing, env) => {
    expect(problems(env)).toEqual([[missing, expect.stringContaining(`${missing} must be set too`)]]);
  });

  test('a preset or a size is for models at the endpoint of openai alone', () => {
    expect(problems({ AI, HARNESS_HOST: 'vllm' }).map(([where]) => where)).toEqual(['HARNESS_OPENAI_URL', 'HARNESS_MODEL']);
    expect(problems({ AI, HARNESS_CONTEXT_WINDOW: '9' }).map(([where]) => where)).toEqual(['HARNESS_CONTEXT_WINDOW']);
  });
});

import { describe, expect, test } from 'vitest';
import { readEnv } from '../../src/config/index.ts';

const endpoint = { HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'tiny' };

function problems(env: object): readonly (readonly [string, string])[] {
  const read = readEnv(env);
  return read.ok ? [] : read.problems.map(({ where, message }) => [where, message] as const);
}

describe('the variables', () => {
  test('STATE-11 none is needed, and an empty one is none', () => {
    const nothing = { ok: true, value: { endpoint: null, contextWindow: null, maxOutputTokens: null } };
    expect(readEnv({})).toEqual(nothing);
    expect(readEnv({ HARNESS_OPENAI_URL: '', HARNESS_MODEL: '', SESSIONS: {} })).toEqual(nothing);
  });

  test('CC-01 CTXW-01 an endpoint has an address and a model, and perhaps a key, a preset and its sizes', () => {
    expect(readEnv(endpoint)).toMatchObject({
      ok: true,
      value: { endpoint: { url: endpoint.HARNESS_OPENAI_URL, model: 'tiny', key: null, host: null } },
    });
    const all = {
      HARNESS_OPENAI_KEY: 'k',
      HARNESS_HOST: 'llama_cpp',
      HARNESS_CONTEXT_WINDOW: '8192',
      HARNESS_MAX_OUTPUT_TOKENS: '512',
    };
    expect(readEnv({ ...endpoint, ...all })).toEqual({
      ok: true,
      value: {
        endpoint: { url: endpoint.HARNESS_OPENAI_URL, model: 'tiny', key: 'k', host: 'llama_cpp' },
        contextWindow: 8192,
        maxOutputTokens: 512,
      },
    });
  });

  test.each([
    ['HARNESS_OPENAI_URL', '127.0.0.1:8080'],
    ['HARNESS_OPENAI_URL', 'ftp://host/v1'],
    ['HARNESS_OPENAI_URL', 'http://host/v1/chat/completions'],
    ['HARNESS_OPENAI_KEY', 'two words'],
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
  ])('half an endpoint is a problem and not the demo model: %s is missing', (missing, env) => {
    expect(problems(env)).toEqual([[missing, expect.stringContaining(`${missing} must be set too`)]]);
  });

  test('a key or a preset without an endpoint is a problem', () => {
    for (const env of [{ HARNESS_OPENAI_KEY: 'k' }, { HARNESS_HOST: 'vllm' }]) {
      expect(problems(env).map(([where]) => where)).toEqual(['HARNESS_OPENAI_URL', 'HARNESS_MODEL']);
    }
  });

  test('all wrong variables are told at once', () => {
    expect(problems({ HARNESS_HOST: 'x', HARNESS_CONTEXT_WINDOW: 'y', HARNESS_OPENAI_URL: 'z' })).toHaveLength(3);
  });
});

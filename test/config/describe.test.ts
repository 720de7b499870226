import { expect, test } from 'vitest';
import { describeConfiguration, modes } from '../../src/config/index.ts';
import { FakeBinding } from '../models/workers-ai/fake-binding.ts';

const endpoint = { HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'tiny', HARNESS_CONTEXT_WINDOW: '4096' };

function warnings(env: object): readonly string[] {
  return describeConfiguration(env).checks.flatMap(({ status, detail }) => (status === 'warn' ? [detail] : []));
}

test('DOC-01 DOC-03 every mode is shown with what it can reach', () => {
  const { checks, modes: shown } = describeConfiguration({});
  expect(shown.map(({ name }) => name)).toEqual(modes.map(({ name }) => name));
  expect(checks).toContainEqual({
    name: 'mode chat',
    status: 'ok',
    detail: 'Offers clock, wait, ask_user, write_note, read_notes.',
  });
});

test('without an endpoint the doctor says how to connect a language model, and nothing fails', () => {
  expect(warnings({})).toEqual([expect.stringMatching(/No language model is connected.*HARNESS_OPENAI_URL.*HARNESS_MODEL/)]);
  expect(describeConfiguration({}).checks.some(({ status }) => status === 'fail')).toBe(false);
});

test('DOC-05 a wrong variable fails, and no model is offered in its stead', () => {
  const { checks, models } = describeConfiguration({ ...endpoint, HARNESS_HOST: 'lama' });
  expect(checks).toContainEqual({ name: 'HARNESS_HOST', status: 'fail', detail: expect.stringContaining('llama_cpp') });
  expect(models).toEqual([]);
});

test('DOC-06 CTXW-04 CTXW-05 an unknown window and a server that cuts silently are warned of', () => {
  expect(warnings(endpoint)).toEqual([]);
  expect(warnings({ ...endpoint, HARNESS_CONTEXT_WINDOW: '' })).toEqual([expect.stringContaining('HARNESS_CONTEXT_WINDOW')]);
  const ollama = { ...endpoint, HARNESS_OPENAI_URL: 'http://127.0.0.1:11434/v1' };
  expect(warnings(ollama)).toEqual([expect.stringContaining('OLLAMA_CONTEXT_LENGTH')]);
});

test('DOC-06 INTR-21 a model that is known not to continue a reply is warned of', () => {
  expect(warnings({ ...endpoint, HARNESS_HOST: 'xai' })).toEqual([expect.stringContaining('cannot continue a reply')]);
});

test("DOC-06 a service without its key is warned of, a server of one's own and an AI Gateway are not", () => {
  const missing = (HARNESS_OPENAI_URL: string) =>
    warnings({ ...endpoint, HARNESS_OPENAI_URL }).filter((text) => text.includes('HARNESS_OPENAI_KEY'));
  expect(missing('https://api.openai.com/v1')).toHaveLength(1);
  expect(missing('https://openrouter.ai/api/v1')).toHaveLength(1);
  expect(missing('https://gateway.ai.cloudflare.com/v1/a/g/openai')).toEqual([]);
  expect(missing('http://model.internal/v1')).toEqual([]);
});

test('DOC-06 each model has findings of its own, by its place, and no value is in them', () => {
  const env = {
    HARNESS_ANTHROPIC_KEY: 'sk-secret',
    HARNESS_OPENAI_URL: 'http://secret.internal/v1',
    HARNESS_MODEL: 'anthropic/claude-secret, secret-tiny',
  };
  const { checks } = describeConfiguration(env);
  expect(checks.filter(({ name }) => name.startsWith('model')).map(({ name, status, detail }) => [name, status, detail])).toEqual(
    [
      ['model 1', 'ok', 'Speaks Anthropic Messages.'],
      ['model 1', 'warn', expect.stringContaining('overrides.ts')],
      ['model 2', 'ok', 'Speaks Chat Completions with the preset generic.'],
      ['model 2', 'warn', expect.stringContaining('HARNESS_CONTEXT_WINDOW')],
    ],
  );
  expect(JSON.stringify(checks)).not.toContain('secret');
});

test('DOC-03 FAIL-14 what a model falls over to is told by place', () => {
  const env = { ...endpoint, HARNESS_MODEL: 'tiny, lab/a, lab/b', HARNESS_FAILOVER: 'lab/b, tiny' };
  const told = (from: object) =>
    describeConfiguration(from).checks.flatMap(({ name, status, detail }) =>
      detail.startsWith('Falls over') ? [[name, status, detail]] : [],
    );
  expect(told(env)).toEqual([
    ['model 1', 'ok', 'Falls over to model 3.'],
    ['model 2', 'ok', 'Falls over to model 3, then model 1.'],
    ['model 3', 'ok', 'Falls over to model 1.'],
  ]);
  expect(told({ ...env, HARNESS_FAILOVER: '' })).toEqual([]);
  expect(describeConfiguration({ ...env, HARNESS_FAILOVER: 'gone' }).checks).toContainEqual({
    name: 'HARNESS_FAILOVER',
    status: 'fail',
    detail: expect.stringContaining('HARNESS_MODEL'),
  });
});

test('DOC-03 DOC-06 the binding to Workers AI is told, and when it speaks by default; nothing is amiss then', () => {
  const told = (env: object) =>
    describeConfiguration({ AI: new FakeBinding(), ...env }).checks.flatMap(({ name, status, detail }) =>
      name.startsWith('model') ? [[name, status, detail]] : [],
    );
  const speaks = 'Speaks Chat Completions with the preset workers_ai, at Workers AI through the binding AI.';
  const noResume = expect.stringContaining('cannot continue a reply');
  expect(told({})).toEqual([
    ['model', 'ok', speaks],
    ['model', 'ok', expect.stringContaining('set HARNESS_MODEL for another')],
    ['model', 'warn', noResume],
  ]);
  expect(told({ HARNESS_MODEL: 'workers-ai/@cf/lab/unheard-of' })).toEqual([
    ['model', 'ok', speaks],
    ['model', 'warn', expect.stringContaining('overrides.ts')],
    ['model', 'warn', noResume],
  ]);
});

import { expect, test } from 'vitest';
import { describeConfiguration, modes } from '../../src/config/index.ts';

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

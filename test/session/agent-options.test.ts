import { expect, test } from 'vitest';
import { resolveAgent } from '../../src/session/agent.ts';
import type { Choice } from '../../src/session/choice.ts';
import { fakePorts } from '../config/ports.ts';

const ports = fakePorts();
const choice: Choice = { mode: null, model: null, maxSteps: null, tools: null };

const env = {
  HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1',
  HARNESS_CONTEXT_WINDOW: '4096',
  HARNESS_MAX_OUTPUT_TOKENS: '99',
  HARNESS_GROQ_KEY: 'k',
  HARNESS_MODEL: 'tiny, groq/nobody-knows',
};

test('CTXW-01 MODEL-07 a turn is played with the sizes of the model that was chosen, not of another one', () => {
  const options = (model: string | null) => {
    const agent = resolveAgent(env, { ...choice, model }, ports, { participant: 'ann', scope: 's' });
    return agent.ok ? agent.value.options : agent;
  };
  expect(options(null)).toEqual({ contextWindow: 4096, maxOutputTokens: 99 });
  expect(options('openai/tiny')).toEqual(options(null));
  expect(options('groq/nobody-knows')).toEqual({});
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { probe } from '../../scripts/probe.ts';
import { type LlamaServer, startLlamaServer } from './server.ts';
import { makeWeights } from './weights.ts';

let server: LlamaServer;

beforeAll(async () => {
  server = await startLlamaServer({ weights: makeWeights(), contextTokens: 2048, requestDefaults: { temperature: 0 } });
});

afterAll(() => server.close());

test("CC-02 the probe of llama.cpp's own server", async () => {
  const { ok, text } = await probe(['--url', `${server.url}/v1`, '--model', 'any', '--window', '2048'], {});
  expect(ok).toBe(true);
  for (const line of [
    "tokenLimit: 'max_tokens',",
    'asksForUsage: true,',
    "continuation: { how: 'last' },",
    'repeatsEdit: true,',
    'bridgesTools: false,',
    'in fragments; index 0;',
    'A prompt that is too long: 400',
    'exceed_context_size_error',
    "facts: { prefill: 'implicit', images: false, window: 2048 }",
  ]) {
    expect(text).toContain(line);
  }
});

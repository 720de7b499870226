import { describe, expect, it } from 'vitest';
import { contextOf } from '../../src/session/agent.ts';

describe('the context meter', () => {
  const usage = { input: 100, output: 10, cacheRead: 1000, cacheWrite: 50 };

  it('ANT-09 counts what the cache gave and took where a provider counts it beside the input, and not twice where it does not', () => {
    const both = {
      HARNESS_ANTHROPIC_KEY: 'k',
      HARNESS_OPENAI_KEY: 'k',
      HARNESS_MODEL: 'anthropic/claude-sonnet-5-5, openai/gpt-6.1-terra',
    };
    expect(contextOf(both, null, usage)).toBe(1160);
    expect(contextOf(both, 'anthropic/claude-sonnet-5-5', usage)).toBe(1160);
    expect(contextOf(both, 'openai/gpt-6.1-terra', usage)).toBe(110);
  });

  it('is what the provider counted where nothing is known of the model', () => {
    expect(contextOf({}, null, usage)).toBe(110);
    expect(contextOf({ HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'local' }, null, usage)).toBe(110);
  });
});

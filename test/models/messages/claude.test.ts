import { expect, test } from 'vitest';
import { traitsOf } from '../../../src/models/messages/claude.ts';

test.each([
  ['claude-3-opus-20240229', true, 4096],
  ['claude-instant-1.2', true, 4096],
  ['claude-3-5-haiku-latest', true, 8192],
  ['claude-3-7-sonnet-20250219', true, 16_384],
  ['claude-sonnet-4-20250514', true, 16_384],
  ['claude-opus-4-1-20250805', true, 16_384],
  ['claude-sonnet-4-5@20250929', true, 16_384],
  ['anthropic.claude-opus-4-5-20251101-v1:0', true, 16_384],
  ['anthropic/claude-opus-4.6', false, 16_384],
  ['claude-sonnet-4-6', false, 16_384],
  ['anthropic.claude-opus-4-6-v1:0', false, 16_384],
  ['claude-opus-4-8', false, 16_384],
  ['claude-sonnet-5', false, 16_384],
  ['claude-opus-5-5', false, 16_384],
  ['claude-fable-5.1', false, 16_384],
  ['claude-mythos-preview', undefined, 8192],
  ['kimi-k2', undefined, 8192],
])('ANT-06 %s: continues %s, %i tokens unless told otherwise', (model, continues, maxOutputTokens) => {
  expect(traitsOf(model).continues).toBe(continues);
  expect(traitsOf(model).maxOutputTokens).toBe(maxOutputTokens);
});

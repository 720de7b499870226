import { describe, expect, test } from 'vitest';
import { type Catalog, capabilitiesOf, catalog, findModel } from '../../../src/models/catalog/index.ts';

const small: Catalog = [
  {
    id: 'lab',
    aliases: ['the-lab'],
    fallback: ['other'],
    facts: { prefill: 'none', images: true },
    models: [
      { id: 'Big', match: '^big|^large-2025-01-31$', window: 1000, images: false },
      { id: 'big-new', output: 50 },
    ],
  },
  { id: 'other', models: [{ id: 'guest/x', window: 7 }] },
];
const found = (name: string): string | undefined => findModel(name, small)?.id;

describe('finding a model', () => {
  test.each([
    ['by its id', 'lab/Big', 'Big'],
    ['whatever the case', 'LAB/big', 'Big'],
    ['by its id before any rule', 'lab/big-new', 'big-new'],
    ["by the provider's rules", 'lab/bigger', 'Big'],
    ['by a date that is written without dashes', 'lab/large-20250131', 'Big'],
    ["by another name of the provider's", 'the-lab/bigger', 'Big'],
    ['at a provider that hosts it, with a slash in its own name', 'lab/guest/x', 'guest/x'],
  ])('%s', (_, name, id) => {
    expect(found(name)).toBe(id);
  });

  test.each(['lab/small', 'lab/large-20251301', 'nobody/Big', 'Big', '', '/', 'lab/'])('%j is not known', (name) => {
    expect(found(name)).toBeUndefined();
  });

  test('every model of the catalogue is found by its own name, once', () => {
    const names = catalog.flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`));
    expect(names.length).toBeGreaterThan(500);
    expect(names.filter((name) => findModel(name)?.id !== name.slice(name.indexOf('/') + 1))).toEqual([]);
  });
});

describe('what a model can do', () => {
  const unknown = { window: null, output: null, prefill: null, thinking: null, images: null, parallelCalls: null };

  test('what is known of the model stands before what holds for its provider, and what nobody says is null', () => {
    expect(capabilitiesOf('lab/Big', small)).toEqual({ ...unknown, window: 1000, prefill: 'none', images: false });
    expect(capabilitiesOf('lab/unheard-of', small)).toEqual({ ...unknown, prefill: 'none', images: true });
    expect(capabilitiesOf('nobody/x', small)).toEqual(unknown);
  });

  test.each([
    ['anthropic/claude-sonnet-4-5-20250929', { window: 200_000, output: 64_000, prefill: 'implicit', thinking: 'budget' }],
    ['anthropic/claude-opus-4-8', { window: 1_000_000, output: 128_000, prefill: 'none', thinking: 'adaptive' }],
    ['openrouter/anthropic/claude-opus-4.6', { prefill: 'none', thinking: 'adaptive', images: true }],
    ['openai/gpt-5.5-2026-04-23', { output: 128_000, prefill: 'none', thinking: 'effort', images: true, parallelCalls: true }],
    ['openai/o3-mini', { thinking: 'effort', images: false, parallelCalls: null }],
    ['google/gemini-3-pro-preview', { window: 1_048_576, thinking: 'level', images: true, prefill: null }],
    ['xai/grok-4-fast-reasoning', { thinking: 'always', images: true, prefill: 'none' }],
    ['deepseek/deepseek-v4-pro', { window: 1_000_000, prefill: 'flag', thinking: 'switch', images: false }],
    ['workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct', { window: 131_000, images: true }],
  ])('INTR-21 of %s', (name, known) => {
    expect(capabilitiesOf(name)).toMatchObject(known);
  });
});

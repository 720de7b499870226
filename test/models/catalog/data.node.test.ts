import { calcPrice, findProvider } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { catalogText, glob } from '../../../scripts/catalog.ts';
import { hosts } from '../../../src/models/chat/hosts.ts';
import { capabilitiesOf, catalog, costOf, findModel } from '../../../src/models/catalog/index.ts';
import { overrides } from '../../../src/models/catalog/overrides.ts';
import { traitsOf } from '../../../src/models/messages/claude.ts';

const text = readFileSync(join(import.meta.dirname, '../../../src/models/catalog/catalog.json'), 'utf8');

describe('the file', () => {
  test('is what npm run catalog makes of the package and of overrides.ts', () => {
    expect(catalogText()).toBe(text);
  });

  test('adds less than 40 KiB to the bundle, compressed', () => {
    expect(gzipSync(text).length).toBeLessThan(40 * 1024);
  });

  test('says the same of continuing a reply as the modules that do it', () => {
    const claudes = catalog.find(({ id }) => id === 'anthropic')?.models ?? [];
    expect(claudes.length).toBeGreaterThan(20);
    for (const { id, prefill, output } of claudes) {
      const traits = traitsOf(id);
      if (prefill !== undefined && traits.continues !== undefined)
        expect([id, prefill !== 'none']).toEqual([id, traits.continues]);
      expect(output ?? Infinity).toBeGreaterThanOrEqual(traits.maxOutputTokens);
    }
    const prefills = { last: 'implicit', prefix: 'flag', flags: 'flag', none: 'none' } as const;
    for (const name of ['openai', 'mistral', 'groq', 'deepseek', 'xai'] as const) {
      expect([name, capabilitiesOf(`${name}/any`).prefill]).toEqual([name, prefills[hosts[name].continuation.how]]);
    }
  });

  test('every override names a model, and every expression can be compiled', () => {
    const names = catalog.flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`.toLowerCase()));
    const idle = overrides.flatMap(({ models }) => models).filter((pattern) => !names.some((name) => glob(pattern).test(name)));
    expect(idle).toEqual([]);
    for (const { match } of catalog.flatMap(({ models }) => models))
      if (match !== undefined) expect(() => new RegExp(match)).not.toThrow();
  });
});

describe('against the package itself', () => {
  const ownPrices = new Set(overrides.flatMap(({ models, prices }) => (prices === undefined ? [] : models)));
  const priced = catalog.flatMap(({ id: provider, cacheBesideInput, models }) =>
    models.flatMap(({ id, prices }) => {
      const name = `${provider}/${id}`;
      return prices === undefined || ownPrices.has(name.toLowerCase())
        ? []
        : [{ name, provider, id, beside: cacheBesideInput === true }];
    }),
  );
  const counts = fc.record({
    input: fc.integer({ min: 1, max: 400_000 }),
    output: fc.nat(100_000),
    read: fc.double({ min: 0, max: 1, noNaN: true }),
    write: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const times = fc.date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true });

  test('BUD-03 costs are the same for any usage at any time', () => {
    expect(priced.length).toBeGreaterThan(500);
    fc.assert(
      fc.property(
        fc.constantFrom(...priced),
        counts,
        times,
        ({ name, provider, id, beside }, { input, output, read, write }, at) => {
          const cacheRead = Math.floor(input * read * 0.5);
          const cacheWrite = Math.floor(input * write * 0.5);
          const ours = costOf(
            { input: beside ? input - cacheRead - cacheWrite : input, output, cacheRead, cacheWrite },
            name,
            at.getTime(),
          );
          const usage = {
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: cacheRead,
            cache_write_tokens: cacheWrite,
          };
          const theirs = calcPrice(usage, id, { providerId: provider, timestamp: at });
          if (theirs?.model.id !== id) return;
          expect(ours ?? NaN).toBeCloseTo(theirs.total_price, 9);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('names mean the same models, but that an id always means its own', () => {
    const differing = priced.filter(({ provider, id }) => calcPrice({}, id, { providerId: provider })?.model.id !== id);
    expect(differing.length).toBeLessThan(priced.length / 20);
    let compared = 0;
    for (const { name, provider } of priced) {
      for (const suffix of ['-20250101', '-2025-01-01', '-latest', ':free', '-preview']) {
        const theirs = calcPrice({}, `${name.slice(provider.length + 1)}${suffix}`, { providerId: provider });
        const ours = findModel(`${name}${suffix}`);
        if (ours?.id === `${name}${suffix}`.slice(provider.length + 1) || ours?.prices === undefined) continue;
        expect([name + suffix, theirs?.model.id]).toEqual([name + suffix, ours.id]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(200);
  });

  test('each provider is still one of the package', () => {
    expect(catalog.filter(({ id }) => findProvider({ providerId: id })?.id !== id)).toEqual([]);
  });
});

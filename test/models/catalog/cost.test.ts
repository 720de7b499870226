import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noUsage, type Usage } from '../../../src/core/index.ts';
import { type Catalog, costOf, inputOf, type Price, ratesOf } from '../../../src/models/catalog/index.ts';

const plain: Price = { input: 2, output: 10, cacheRead: 0.5, cacheWrite: 3 };
const tiered: Price = {
  input: {
    base: 2,
    tiers: [
      { over: 1000, price: 4 },
      { over: 2000, price: 6 },
    ],
  },
  output: { base: 10, tiers: [{ over: 1000, price: 15 }] },
};
const small: Catalog = [
  {
    id: 'lab',
    models: [
      { id: 'plain', prices: [plain] },
      { id: 'no-cache', prices: [{ input: 2, output: 10 }] },
      { id: 'tiered', prices: [tiered] },
      { id: 'free', prices: [{ input: 0, output: 0 }] },
      {
        id: 'dated',
        prices: [
          { input: 1, output: 1 },
          { input: 2, output: 2, from: '2026-03-13' },
          { input: 3, output: 3, from: '2026-12-01' },
        ],
      },
      {
        id: 'hours',
        prices: [
          { input: 1, output: 1 },
          { input: 2, output: 2, hours: ['22:00', '01:30'] },
          { input: 3, output: 3, hours: ['06:00', '10:00'] },
        ],
      },
      { id: 'later', prices: [{ input: 1, output: 1, from: '2027-01-01' }] },
      { id: 'unpriced', window: 5 },
    ],
  },
  {
    id: 'beside',
    cacheBesideInput: true,
    models: [
      { id: 'plain', prices: [plain] },
      { id: 'tiered', prices: [tiered] },
    ],
  },
];
const now = Date.UTC(2026, 5, 1);
const cost = (usage: Partial<Usage>, name: string, at = now): number | null => costOf({ ...noUsage, ...usage }, name, at, small);
const usage = { input: 1000, output: 100, cacheRead: 400, cacheWrite: 100 };

describe('what tokens cost', () => {
  test('RUN-16 the parts of the cache at their own rates, within the input', () => {
    expect(cost(usage, 'lab/plain')).toBeCloseTo((500 * 2 + 400 * 0.5 + 100 * 3 + 100 * 10) / 1e6, 12);
  });

  test('ANT-09 and beside it, for a provider that counts so', () => {
    expect(cost(usage, 'beside/plain')).toBeCloseTo((1000 * 2 + 400 * 0.5 + 100 * 3 + 100 * 10) / 1e6, 12);
  });

  test('ANT-09 the input as a whole is the same for both', () => {
    expect(inputOf(usage, 'lab/plain', small)).toBe(1000);
    expect(inputOf(usage, 'beside/plain', small)).toBe(1500);
    expect(inputOf(usage, 'nobody/x', small)).toBe(1000);
  });

  test('a rate that the provider does not have is that of the input', () => {
    expect(cost(usage, 'lab/no-cache')).toBeCloseTo((1000 * 2 + 100 * 10) / 1e6, 12);
  });

  test.each([
    [1000, 2, 10],
    [1001, 4, 15],
    [2001, 6, 15],
  ])('a request of %i tokens is in one tier as a whole', (input, rate, output) => {
    expect(cost({ input, output: 100 }, 'lab/tiered')).toBeCloseTo((input * rate + 100 * output) / 1e6, 12);
  });

  test('BUD-03 the rates are those that held for the request, each kind with its own, and null where none is known', () => {
    const at = Date.parse('2026-03-13T00:00:00Z');
    const request = { ...noUsage, input: 1001, output: 1 };
    expect(ratesOf(request, 'lab/plain', at, small)).toEqual(plain);
    expect(ratesOf(request, 'lab/no-cache', at, small)).toEqual({ input: 2, output: 10, cacheRead: 2, cacheWrite: 2 });
    expect(ratesOf(request, 'lab/tiered', at, small)).toEqual({ input: 4, output: 15, cacheRead: 4, cacheWrite: 4 });
    expect(ratesOf(request, 'lab/dated', at, small)).toMatchObject({ input: 2 });
    expect(ratesOf(request, 'lab/unpriced', at, small)).toBeNull();
    expect(ratesOf(request, 'nobody/plain', at, small)).toBeNull();
  });

  test('the tier counts what the cache gave, on either side of the input', () => {
    expect(cost({ input: 900, output: 0, cacheRead: 200 }, 'beside/tiered')).toBeCloseTo((1100 * 4) / 1e6, 12);
  });

  test.each([
    ['2026-03-12T23:59:59Z', 'lab/dated', 1],
    ['2026-03-13T00:00:00Z', 'lab/dated', 2],
    ['2027-05-01T00:00:00Z', 'lab/dated', 3],
    ['2026-01-01T21:59:59Z', 'lab/hours', 1],
    ['2026-01-01T22:00:00Z', 'lab/hours', 2],
    ['2026-01-01T01:29:59Z', 'lab/hours', 2],
    ['2026-01-01T01:30:00Z', 'lab/hours', 1],
    ['2026-01-01T06:00:00Z', 'lab/hours', 3],
    ['2026-01-01T10:00:00Z', 'lab/hours', 1],
    ['2026-01-01T00:00:00Z', 'lab/later', 1],
  ])('at %s the price of %s is %i', (at, name, rate) => {
    expect(cost({ input: 1_000_000 }, name, Date.parse(at))).toBe(rate);
  });
});

describe('BUD-03 what is not known is no zero', () => {
  test.each(['lab/unpriced', 'lab/unheard-of', 'nobody/plain'])('%s has no cost', (name) => {
    expect(cost(usage, name)).toBeNull();
  });

  test('nor has a reply that its provider did not count', () => {
    expect(cost({}, 'lab/plain')).toBeNull();
  });

  test('nor have counts that contradict themselves', () => {
    expect(cost({ input: 10, cacheRead: 11 }, 'lab/plain')).toBeNull();
  });

  test('what is free costs nothing', () => {
    expect(cost(usage, 'lab/free')).toBe(0);
  });
});

test('more of anything never costs less', () => {
  const counts = fc.record({
    input: fc.integer({ min: 1, max: 3000 }),
    output: fc.nat(3000),
    cacheRead: fc.nat(1000),
    cacheWrite: fc.nat(1000),
  });
  fc.assert(
    fc.property(
      counts,
      fc.constantFrom('input', 'output'),
      fc.constantFrom('beside/plain', 'beside/tiered'),
      (counted, field, name) => {
        const more = cost({ ...counted, [field]: counted[field] + 1 }, name);
        expect(more).not.toBeNull();
        expect(more ?? 0).toBeGreaterThanOrEqual(cost(counted, name) ?? 0);
      },
    ),
    { numRuns: 200 },
  );
});

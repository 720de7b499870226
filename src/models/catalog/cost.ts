import type { Usage } from '../../core/index.ts';
import { catalog } from './catalog.ts';
import { findModel, providerOf } from './find.ts';
import type { Catalog, CatalogModel, Price, Rate } from './types.ts';

const million = 1_000_000;

/** USD for a million tokens of each kind, as they held for one request: its day, its hour, its tier. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * What the tokens of one request cost, in USD, at the prices of the time `at`, in ms. Null when the model or its price is not
 * known (BUD-03), when nothing was counted, or the counts contradict themselves. What a provider charges besides tokens, such as searches of its own,
 * is not in it.
 */
export function costOf(usage: Usage, name: string, at: number, from: Catalog = catalog): number | null {
  const rates = ratesOf(usage, name, at, from);
  const { cacheRead, cacheWrite, output } = usage;
  const input = inputOf(usage, name, from);
  if (rates === null || input === 0 || input < cacheRead + cacheWrite) return null;
  return (
    ((input - cacheRead - cacheWrite) * rates.input +
      cacheRead * rates.cacheRead +
      cacheWrite * rates.cacheWrite +
      output * rates.output) /
    million
  );
}

/** The prices of a request with this usage at the time `at`, in ms; null when the model or its price is not known. */
export function ratesOf(usage: Usage, name: string, at: number, from: Catalog = catalog): Rates | null {
  const model = findModel(name, from);
  const price = model === null ? undefined : priceAt(model, at);
  if (price === undefined) return null;
  const all = inputOf(usage, name, from);
  return {
    input: rateOver(price.input, all),
    output: rateOver(price.output, all),
    cacheRead: rateOver(price.cacheRead ?? price.input, all),
    cacheWrite: rateOver(price.cacheWrite ?? price.input, all),
  };
}

/** All tokens that went in, those of the cache with them, whichever way the model's provider counts (ANT-09). */
export function inputOf({ input, cacheRead, cacheWrite }: Usage, name: string, from: Catalog = catalog): number {
  return providerOf(name, from)?.cacheBesideInput === true ? input + cacheRead + cacheWrite : input;
}

function rateOver(rate: Rate, input: number): number {
  if (typeof rate === 'number') return rate;
  return rate.tiers.findLast(({ over }) => input > over)?.price ?? rate.base;
}

function priceAt({ prices }: CatalogModel, at: number): Price | undefined {
  return prices?.findLast((price) => holds(price, at)) ?? prices?.[0];
}

function holds({ from, hours }: Price, at: number): boolean {
  const time = new Date(at).toISOString();
  if (from !== undefined && time.slice(0, 10) < from) return false;
  if (hours === undefined) return true;
  const [begin, end] = hours;
  const now = time.slice(11, 16);
  return begin < end ? begin <= now && now < end : begin <= now || now < end;
}

/**
 * `npm run catalog`: writes `src/models/catalog/catalog.json` from the package @pydantic/genai-prices and our own
 * `overrides.ts`. Run it after either has changed; it asks no network.
 */
import {
  type ConditionalPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
  type TieredPrices,
} from '@pydantic/genai-prices';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { overrides, type ProviderChoice, providers } from '../src/models/catalog/overrides.ts';
import type { Catalog, CatalogModel, CatalogProvider, Facts, Price, Rate } from '../src/models/catalog/types.ts';

const file = join(import.meta.dirname, '../src/models/catalog/catalog.json');

/** The catalogue as it stands in the file. */
export function catalogText(): string {
  return `${print(makeCatalog(), 0)}\n`;
}

function makeCatalog(): Catalog {
  return providers.map(provider);
}

function provider(choice: ProviderChoice): CatalogProvider {
  const source = findProvider({ providerId: choice.id });
  if (source === undefined) throw new Error(`The package has no provider ${choice.id} any more: take it out of overrides.ts.`);
  const known = source.models.filter((model) => isChat(choice.id, model)).map(row);
  const ids = new Set(known.map(({ id: name }) => name.toLowerCase()));
  const added = overrides.flatMap(({ models }) => models.flatMap((name) => nameBelow(choice.id, name)));
  const all = [...known, ...[...new Set(added)].filter((name) => !ids.has(name)).map((name) => ({ id: name }))];
  const { id, facts, ...rest } = choice;
  const fallback = source.fallback_model_providers?.filter((host) => providers.some((one) => one.id === host));
  return {
    id,
    ...rest,
    ...(fallback === undefined ? {} : { fallback }),
    ...(facts === undefined ? {} : { facts }),
    models: all.map((model) => overridden(choice.id, model)),
  };
}

/** Models that no conversation is had with. */
const otherKinds = /(^|[-/.])(tts|transcribe|audio|realtime|live|embed\w*|moderation|whisper|guard|ocr|sonic|voice)([-/.:]|$)/;
const otherModels = /^(ada|babbage|curie|davinci|text-davinci.*|gpt-3\.5-turbo-instruct|gpt-image-.*)$/;

/** A model that is paid for what goes in and what comes out. The package also lists names that OpenRouter has never had. */
function isChat(host: string, { id, prices }: ModelInfo): boolean {
  const [first] = pricesOf(prices);
  if (host === 'openrouter' && !id.includes('/')) return false;
  if (otherKinds.test(id.toLowerCase()) || otherModels.test(id)) return false;
  return first?.prices.input_mtok !== undefined && first.prices.output_mtok !== undefined;
}

function row({ id, match, context_window: window, prices: priced }: ModelInfo): CatalogModel {
  const prices = pricesOf(priced).map(price);
  const names = pattern(match);
  return {
    id,
    ...(names === `^${escaped(id)}$` ? {} : { match: names }),
    ...(window === undefined ? {} : { window }),
    ...(prices.includes(null) ? {} : { prices: prices.filter((one) => one !== null) }),
  };
}

function pricesOf(prices: ModelInfo['prices']): readonly ConditionalPrice[] {
  return Array.isArray(prices) ? prices : [{ prices }];
}

/** What a text conversation is charged for, and what it never is: other things, and audio, which is told apart nowhere. */
const ours = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok'];
const notOurs = [
  'cache_write_1h_mtok',
  'web_searches_kcount',
  'storage_searches_kcount',
  'input_audio_mtok',
  'cache_audio_read_mtok',
];

/** Null for a price that usage by input, output and cache does not tell: for pictures that come out, for each request. */
function price({ constraint, prices }: ConditionalPrice): Price | null {
  const { input_mtok: input, output_mtok: output, cache_read_mtok: cacheRead, cache_write_mtok: cacheWrite } = prices;
  if (input === undefined || output === undefined || Object.keys(prices).some(isForeign)) return null;
  return {
    input: rate(input),
    output: rate(output),
    ...(cacheRead === undefined ? {} : { cacheRead: rate(cacheRead) }),
    ...(cacheWrite === undefined ? {} : { cacheWrite: rate(cacheWrite) }),
    ...(constraint?.type === 'start_date' ? { from: constraint.start_date } : {}),
    ...(constraint?.type === 'time_of_date' ? { hours: [minute(constraint.start_time), minute(constraint.end_time)] } : {}),
  };
}

function isForeign(key: string): boolean {
  return !ours.includes(key) && !notOurs.includes(key);
}

function rate(value: NonNullable<ModelPrice[string]>): Rate {
  return typeof value === 'number' ? value : tiered(value);
}

function tiered({ base, tiers }: TieredPrices): Rate {
  const ascending = tiers.toSorted((a, b) => a.start - b.start);
  return { base, tiers: ascending.map(({ start, price: tier }) => ({ over: start, price: tier })) };
}

/** `00:30:00Z` without its seconds and its zone. */
function minute(time: string): string {
  if (!/^\d\d:\d\d:00Z$/.test(time)) throw new Error(`The package has a time of day that the catalogue cannot hold: ${time}`);
  return time.slice(0, 5);
}

/** The names that a rule means, as one regular expression over small letters. */
function pattern(rule: MatchLogic): string {
  if ('or' in rule) return rule.or.map(pattern).join('|');
  if ('and' in rule) return `^${rule.and.map((part) => `(?=.*?(?:${pattern(part)}))`).join('')}`;
  if ('regex' in rule) return rule.regex;
  if ('equals' in rule) return `^${escaped(rule.equals)}$`;
  if ('starts_with' in rule) return `^${escaped(rule.starts_with)}`;
  if ('ends_with' in rule) return `${escaped(rule.ends_with)}$`;
  return escaped(rule.contains);
}

function escaped(text: string): string {
  return text.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function overridden(host: string, model: CatalogModel): CatalogModel {
  const laid = overrides.filter(({ models }) => models.some((name) => glob(name).test(`${host}/${model.id}`.toLowerCase())));
  const facts: Facts = Object.assign({}, ...laid.map((override) => override.facts));
  const prices = laid.findLast((override) => override.prices !== undefined)?.prices ?? model.prices;
  const { prices: _, ...named } = model;
  return { ...named, ...facts, ...(prices === undefined ? {} : { prices }) };
}

/** What an override's name means: `*` any characters, `?` one. Over small letters. */
export function glob(name: string): RegExp {
  const parts = name.split(/([*?])/).map((part) => (part === '*' ? '.*' : part === '?' ? '.' : escaped(part)));
  return new RegExp(`^${parts.join('')}$`);
}

/** The model that a name without wildcards means, if it is one of this provider. */
function nameBelow(host: string, name: string): readonly string[] {
  return name.startsWith(`${host}/`) && !/[*?]/.test(name) ? [name.slice(host.length + 1)] : [];
}

/** JSON as the formatter of this repository has it: on one line where it fits. */
function print(value: unknown, indent: number): string {
  const line = inline(value);
  if (typeof value !== 'object' || value === null) return line;
  if (!breaks(value) && indent + line.length < 130) return line;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const space = ' '.repeat(indent + 2);
  const parts = Array.isArray(value)
    ? value.map((item) => space + print(item, indent + 2))
    : Object.entries(value).map(([key, item]) => {
        const head = `${space}${JSON.stringify(key)}: `;
        return head + print(item, indent + 2).trimStart();
      });
  return `${open}\n${parts.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`)
    .join(', ')} }`;
}

/** A list of several objects, each of several keys, never stands on one line, nor does what holds it. */
function breaks(value: object): boolean {
  const inner = Object.values(value).filter((item): item is object => typeof item === 'object' && item !== null);
  const list = Array.isArray(value) && value.length > 1 && inner.length === value.length;
  return (list && inner.every((item) => Object.keys(item).length > 1)) || inner.some(breaks);
}

if (process.argv[1] === import.meta.filename) writeFileSync(file, catalogText());

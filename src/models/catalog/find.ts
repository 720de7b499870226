import { catalog } from './catalog.ts';
import type { Catalog, CatalogModel, CatalogProvider, Facts } from './types.ts';

/** What is known of a model; null is what is not known. */
export type Capabilities = { readonly [F in keyof Required<Facts>]: Required<Facts>[F] | null };

/**
 * The model of a name `<provider>/<model>`: by its id, else by the names that the provider's own rules give it; case does not
 * count. Null when it is not known.
 */
export function findModel(name: string, from: Catalog = catalog): CatalogModel | null {
  const provider = providerOf(name, from);
  const [, model] = split(name);
  if (provider === null) return null;
  return named(from, provider, model) ?? named(from, provider, withDashes(model)) ?? null;
}

/** The provider that a model's name begins with; null when it is not known. */
export function providerOf(name: string, from: Catalog = catalog): CatalogProvider | null {
  const [id] = split(name);
  return from.find((provider) => provider.id === id || provider.aliases?.includes(id) === true) ?? null;
}

/** What a model can do: what is known of it, else what holds for its provider. */
export function capabilitiesOf(name: string, from: Catalog = catalog): Capabilities {
  const facts: Facts = { ...providerOf(name, from)?.facts, ...findModel(name, from) };
  const { window, output, prefill, thinking, images, parallelCalls } = facts;
  return {
    window: window ?? null,
    output: output ?? null,
    prefill: prefill ?? null,
    thinking: thinking ?? null,
    images: images ?? null,
    parallelCalls: parallelCalls ?? null,
  };
}

function split(name: string): readonly [provider: string, model: string] {
  const small = name.toLowerCase();
  const slash = small.indexOf('/');
  return slash === -1 ? ['', small] : [small.slice(0, slash), small.slice(slash + 1)];
}

function named(from: Catalog, { models, fallback = [] }: CatalogProvider, name: string): CatalogModel | undefined {
  const own =
    models.find(({ id }) => id.toLowerCase() === name) ??
    models.find(({ match }) => match !== undefined && new RegExp(match).test(name));
  if (own !== undefined) return own;
  for (const id of fallback) {
    const host = from.find((provider) => provider.id === id);
    const model = host === undefined ? undefined : named(from, host, name);
    if (model !== undefined) return model;
  }
  return undefined;
}

/** A date at the end of a name, `-20250101`, as other names write it. */
function withDashes(name: string): string {
  return name.replace(/-(20\d{2})(\d{2})(\d{2})(?=-|:|$)/g, '-$1-$2-$3');
}

import { isObject, type JsonObject, type Part, type ProviderData } from '../core/index.ts';

/**
 * Whose data a part carries: a model as it is named, `<provider>/<model>`. Signatures and encrypted thoughts are bound to
 * the model that made them, so another one finds nothing under its own name (MODEL-11).
 */
export type Owner = `${string}/${string}`;

/** Data under their owner's name, for a delta. */
export function dataFor(owner: Owner, data: JsonObject): ProviderData {
  return { [owner]: data };
}

/** The data that a part carries of this owner; undefined when it carries none. */
export function dataOf(part: Part, owner: Owner): JsonObject | undefined {
  const provider = 'provider' in part ? part.provider : undefined;
  const data = provider !== undefined && Object.hasOwn(provider, owner) ? provider[owner] : undefined;
  return isObject(data) ? data : undefined;
}

import { type Delta, isObject, type Json, type JsonObject } from '../core/index.ts';

/** A text in what a provider sent; empty where there is none. */
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A count or an index in what a provider sent; 0 where there is none. */
export function numberIn(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

/** The objects of a list in what a provider sent; none where there is no list. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The delta of a text in what a provider sent; none for an empty one. */
export function textDeltas(value: Json | undefined): readonly Delta[] {
  const text = textIn(value);
  return text === '' ? [] : [{ type: 'text', text }];
}

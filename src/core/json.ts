/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Keys such as `__proto__` are ordinary keys (THR-15): build one with `parseJson`, never by assignment. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a JSON object: not null, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Strict `JSON.parse`. Gives undefined, which is no JSON value, when the text is not exactly one JSON value. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

import { createHash } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../core/index.ts';
import { byteLength } from './bytes.ts';
import type { Large } from './protocol/index.ts';
import type { Blob } from './rows/blobs.ts';

/** A text, value, progress or input above so many bytes travels as a reference (docs/wire.md, large values). */
export const largeLimit = 65_536;

/** A Pending's state above so many bytes travels as `{ref}`: clients never read it. */
export const stateLimit = 4096;

/** How many characters a preview has. */
const previewLimit = 1024;

/** The fields whose values may be large. */
const carriers: ReadonlySet<string> = new Set(['text', 'value', 'progress', 'input']);

/** Deltas are small by themselves, and a reader joins their texts: they travel as they are. */
const joinedByReaders: ReadonlySet<Json | undefined> = new Set(['text_delta', 'reasoning_delta', 'tool_input_delta']);

/**
 * What of a session leaves it, large values replaced by references that `keep` makes good. Nothing in rows or memory changes: a model sees the
 * whole. What holds nothing large comes back as the same object.
 */
export class LargeValues {
  readonly #scope: string;
  readonly #keep: (hash: string, blob: Blob) => void;

  constructor(scope: string, keep: (hash: string, blob: Blob) => void) {
    this.#scope = scope;
    this.#keep = keep;
  }

  /** The value as it travels; it has the shape of the value but for the references. */
  travel<T>(value: T): T {
    return this.#value(value as unknown as Json) as unknown as T;
  }

  #value(value: Json): Json {
    if (Array.isArray(value)) return this.#list(value);
    return isObject(value) ? this.#object(value) : value;
  }

  #list(list: readonly Json[]): readonly Json[] {
    const travelling = list.map((item) => this.#value(item));
    return travelling.every((item, index) => item === list[index]) ? list : travelling;
  }

  #object(object: JsonObject): JsonObject {
    if (joinedByReaders.has(object.type)) return object;
    const entries = Object.entries(object);
    const changed = entries.flatMap(([key, value]) => {
      const travelling = this.#field(object, key, value);
      return travelling === value ? [] : [[key, travelling] as const];
    });
    return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
  }

  #field(object: JsonObject, key: string, value: Json): Json {
    if (key === 'state' && Array.isArray(object.needs)) return stateOf(value);
    // The text of the reply in progress is joined with deltas to come.
    if (key === 'step' && isObject(value)) return this.#step(value);
    return carriers.has(key) ? (this.#reference(value) ?? this.#value(value)) : this.#value(value);
  }

  #step(step: JsonObject): JsonObject {
    const calls = this.#value(step.calls ?? []);
    return calls === step.calls ? step : { ...step, calls };
  }

  #reference(value: Json): JsonObject | null {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return null;
    const isText = typeof value === 'string';
    const text = isText ? value : JSON.stringify(value);
    if (text.length * 3 <= largeLimit) return null;
    const bytes = byteLength(text);
    if (bytes <= largeLimit) return null;
    const hash = hashOf(text);
    this.#keep(hash, { mediaType: isText ? 'text/plain; charset=utf-8' : 'application/json', text });
    const preview = Array.from(text.slice(0, 2 * previewLimit))
      .slice(0, previewLimit)
      .join('');
    const large: Large = { preview, bytes, hash, href: `/api/sessions/${encodeURIComponent(this.#scope)}/blobs/${hash}` };
    return { ...large };
  }
}

function stateOf(state: Json): Json {
  const text = JSON.stringify(state);
  return byteLength(text) > stateLimit ? { ref: hashOf(text) } : state;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

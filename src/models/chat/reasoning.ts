import { isObject, type Json, type JsonObject, type ReasoningPart } from '../../core/index.ts';
import type { Owner } from '../provider-data.ts';
import type { Host } from './hosts.ts';

/** The key of this family's data in a reasoning part, and of its options (MODEL-03). */
export const providerKey = 'openai';

/** The string fields in which servers send reasoning; the first that holds something counts. */
const fields = ['reasoning_content', 'reasoning', 'reasoning_text'];

/** Reasoning as a delta brings it: the text, and the field it came in. */
export interface SeenReasoning {
  readonly text: string;
  readonly field: string;
}

/** The reasoning of a delta; null when it has none. */
export function seenReasoning(delta: JsonObject): SeenReasoning | null {
  for (const field of fields) {
    const text = delta[field];
    if (typeof text === 'string' && text !== '') return { text, field };
  }
  return null;
}

/**
 * The typed pieces that some hosts send beside the text (`reasoning_details`): signed, summarised or encrypted. They are
 * joined by index, texts appended, and go back as they came.
 */
export class ReasoningDetails {
  #joined: readonly JsonObject[] = [];

  /** Takes the pieces of one delta; gives all so far, null when the delta brought none. */
  add(delta: JsonObject): readonly JsonObject[] | null {
    const pieces = Array.isArray(delta.reasoning_details) ? delta.reasoning_details.filter(isObject) : [];
    if (pieces.length === 0) return null;
    for (const piece of pieces) this.#join(piece);
    return this.#joined;
  }

  #join(piece: JsonObject): void {
    const at = this.#joined.findIndex(({ index, type }) => index !== undefined && index === piece.index && type === piece.type);
    this.#joined = at === -1 ? [...this.#joined, piece] : this.#joined.with(at, joined(this.#joined[at] ?? {}, piece));
  }
}

const growing = ['text', 'summary', 'data'];

function joined(before: JsonObject, piece: JsonObject): JsonObject {
  const present = Object.entries(piece).filter(([, value]) => value !== null);
  return { ...before, ...Object.fromEntries(present.map(([key, value]) => [key, grown(key, before[key], value)])) };
}

function grown(key: string, before: Json | undefined, value: Json): Json {
  return growing.includes(key) && typeof before === 'string' && typeof value === 'string' ? before + value : value;
}

/**
 * The provider data of a reasoning part: what this module needs to send it back (MODEL-11). Any model of the family may know
 * the field; the pieces go back to the model that made them alone.
 */
export function reasoningData(field: string, details: readonly JsonObject[] | null, owner: Owner): JsonObject {
  return { [providerKey]: { field, ...(details === null ? {} : { details, owner }) } };
}

/** Reasoning that goes back to a host: under the field, and the details when they came. */
export interface EchoedReasoning {
  readonly field: string;
  readonly text: string;
  readonly details: Json | undefined;
}

/**
 * What a message with calls sends back of its reasoning (CC-08): in the field it came in where the host knows that field, in
 * the host's own where the host insists on having it. Null when nothing goes back.
 */
export function echoedReasoning(parts: readonly ReasoningPart[], host: Host, owner: Owner): EchoedReasoning | null {
  if (host.echoesReasoning === 'never') return null;
  const data = parts.map((part) => part.provider?.[providerKey]).filter((value) => isObject(value));
  const came = data.map(({ field }) => field).find((field) => typeof field === 'string');
  const usual = host.reasoningFields[0];
  const field = typeof came === 'string' && host.reasoningFields.includes(came) ? came : usual;
  const foreign = field !== came;
  if (field === undefined || (foreign && host.echoesReasoning !== 'always')) return null;
  const details = foreign ? undefined : data.findLast((value) => value.owner === owner)?.details;
  return { field, text: parts.map((part) => part.text).join(''), details };
}

import { isObject, type Json } from '../../core/json.ts';
import type { Large } from '../../session/protocol/wire.ts';

/** A value with its Larges replaced, and those among them whose whole is not known. */
export interface Settled<T> {
  readonly value: T;
  readonly missing: readonly Large[];
}

/** What `settle` remembers, so that what did not change stays the same object and is not walked again. */
export class SettleMemory {
  /** By the object as it travelled. */
  readonly settled = new WeakMap<object, Settled<object>>();
  /** The objects given that show a preview somewhere inside. */
  readonly cut = new WeakSet<object>();
}

/** The fields in which a Large may stand (docs/wire.md, large values). */
const carriers: ReadonlySet<string> = new Set(['text', 'value', 'progress', 'input']);

/** Only such a path is ever fetched: a tool's own value may look like a Large, and the reader's token goes with the request. */
const blobPath = /^\/api\/sessions\/[^/?#]+\/blobs\/[^/?#]+$/;

/** True for a reference to a large value, as it travels in the value's place. */
export function isLarge(value: unknown): value is Large {
  return (
    isObject(value) &&
    typeof value.preview === 'string' &&
    typeof value.bytes === 'number' &&
    typeof value.hash === 'string' &&
    typeof value.href === 'string' &&
    blobPath.test(value.href)
  );
}

/**
 * The value with the whole, from `known` by `href`, in the place of each Large; while it is not known, with its preview. Where there
 * is nothing to replace the result is the very object that was given; with the same `memory`, the same object gives the same result
 * until one of its missing wholes is known. Nothing is changed in place.
 */
export function settle<T>(value: T, known: ReadonlyMap<string, Json>, memory: SettleMemory = new SettleMemory()): Settled<T> {
  return (
    typeof value === 'object' && value !== null ? settleObject(value, known, memory) : { value, missing: [] }
  ) as Settled<T>;
}

function settleObject(object: object, known: ReadonlyMap<string, Json>, memory: SettleMemory): Settled<object> {
  const before = memory.settled.get(object);
  if (before?.missing.every(({ href }) => !known.has(href)) === true) return before;
  const missing: Large[] = [];
  const inner = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return item;
    const settled = settleObject(item, known, memory);
    missing.push(...settled.missing);
    return settled.value;
  };
  const field = (key: string, item: unknown): unknown => {
    if (!carriers.has(key)) return inner(item);
    // What travels whole in such a field is small all through.
    if (!isLarge(item)) return item;
    const whole = known.get(item.href);
    if (whole !== undefined) return whole;
    missing.push(item);
    return standIn(key, item.preview);
  };
  const value = Array.isArray(object) ? mapped(object, inner) : withFields(object, field);
  const settled = { value, missing };
  memory.settled.set(object, settled);
  if (missing.length > 0) memory.cut.add(value);
  return settled;
}

/** An input stays an object, as those who show it expect. */
function standIn(key: string, preview: string): Json {
  if (key === 'input') return { preview };
  return key === 'text' ? `${preview}…` : preview;
}

function mapped(list: readonly unknown[], settled: (item: unknown) => unknown): readonly unknown[] {
  const after = list.map(settled);
  return after.every((item, index) => item === list[index]) ? list : after;
}

function withFields(object: object, settled: (key: string, item: unknown) => unknown): object {
  let changed = false;
  const entries = Object.entries(object).map(([key, item]: [string, unknown]) => {
    const after = settled(key, item);
    changed ||= after !== item;
    return [key, after] as const;
  });
  return changed ? Object.fromEntries(entries) : object;
}

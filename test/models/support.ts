import { cutAt } from '../../src/testing/index.ts';

export const eventStream = { 'content-type': 'text/event-stream' };

/** One server-sent event with a JSON value, or with a text as it is. */
export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Server-sent events that carry their type in the name too, as those of Messages and Responses do. */
export function typed(...events: readonly object[]): string {
  return events.map((data) => `event: ${(data as { type?: string }).type ?? 'message'}\n${event(data)}`).join('');
}

/** A Chat Completions chunk of one choice. */
export function chunk(delta: object, finishReason: string | null = null): object {
  return { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

/** The body of a streamed reply: its chunks, then `[DONE]`. */
export function replyOf(...chunks: readonly object[]): string {
  return [...chunks.map(event), event('[DONE]')].join('');
}

/** A short whole reply. */
export const hello = replyOf(chunk({ role: 'assistant', content: 'Hello' }), chunk({}, 'stop'));

/** All that an async iterable gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

/** What an async iterable gives until it throws, and what it throws. */
export async function collectUntilError<T>(source: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = [];
  try {
    for await (const item of source) items.push(item);
  } catch (error) {
    return { items, error };
  }
  return { items, error: undefined };
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`nothing was thrown, it gave ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

/** Chunks as a body. */
export async function* bodyOf(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of chunks) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
}

/** The largest body that is cut at every byte. */
const everyCutLimit = 16 * 1024;

/**
 * The ways to cut a body that every stream test goes through: whole, byte by byte, at 200 sets of places from a fixed seed,
 * and, below 16 KiB, in two at every byte.
 */
export function* cuttings(body: string | Uint8Array): Generator<readonly Uint8Array[]> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  yield [bytes];
  yield Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  const random = generator(20_261_015);
  for (let n = 0; n < 200; n += 1) {
    const count = 1 + Math.floor(random() * Math.min(60, bytes.length));
    const places = Array.from({ length: count }, () => Math.floor(random() * (bytes.length + 1)));
    yield cutAt(bytes, ...places.sort((a, b) => a - b));
  }
  if (bytes.length >= everyCutLimit) return;
  for (let at = 1; at < bytes.length; at += 1) yield cutAt(bytes, at);
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

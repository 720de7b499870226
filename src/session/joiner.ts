import type { SessionEvent } from './protocol/index.ts';

/** An event before it has its place in the sequence. */
export type Draft = SessionEvent extends infer E ? (E extends { readonly seq: number } ? Omit<E, 'seq'> : never) : never;

/** How long deltas are held to be joined, in ms (docs/wire.md, events). */
export const joinWindow = 40;

/** What is held is sent before its window ends once it has so many characters: an event stays far below what a row can hold. */
export const joinLimit = 65_536;

/** True for the events that are joined and stored in blocks: deltas and progress. */
export function isLive(event: { readonly type: string }): boolean {
  return (
    event.type === 'text_delta' ||
    event.type === 'reasoning_delta' ||
    event.type === 'tool_input_delta' ||
    event.type === 'tool_progress'
  );
}

/** The events `a` then `b` as one; null when they cannot be. Texts continue; of other progress the newer stands. */
function joined(a: Draft, b: Draft): Draft | null {
  if (a.type !== b.type || a.parent !== b.parent || a.run !== b.run) return null;
  if (a.type === 'text_delta' && b.type === 'text_delta') return a.id === b.id ? { ...a, text: a.text + b.text } : null;
  if (a.type === 'reasoning_delta' && b.type === 'reasoning_delta') return a.id === b.id ? { ...a, text: a.text + b.text } : null;
  if (a.type === 'tool_input_delta' && b.type === 'tool_input_delta')
    return a.id === b.id ? { ...a, json: a.json + b.json } : null;
  if (a.type !== 'tool_progress' || b.type !== 'tool_progress' || a.id !== b.id) return null;
  if (typeof a.value === 'string' && typeof b.value === 'string') return { ...a, value: a.value + b.value };
  return typeof a.value === 'string' || typeof b.value === 'string' ? null : b;
}

/**
 * Joins consecutive deltas of one part: the first goes out at once, the rest at most `joinWindow` later. A delta of another part, and
 * whatever calls `flush`, sends what is held first, so the order stays.
 */
export class DeltaJoiner {
  readonly #send: (event: Draft) => void;
  #held: Draft | null = null;
  #heldSize = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #last: Draft | null = null;

  constructor(send: (event: Draft) => void) {
    this.#send = send;
  }

  add(event: Draft): void {
    const continues = this.#timer !== null && this.#last !== null && joined(this.#last, event) !== null;
    if (!continues) {
      this.flush();
      this.#out(event);
      return;
    }
    const both = this.#held === null ? event : joined(this.#held, event);
    this.#held = both ?? event;
    this.#heldSize += JSON.stringify(event).length;
    if (this.#heldSize >= joinLimit) this.flush();
  }

  /** Sends what is held, and closes the window. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held !== null) this.#send(this.#held);
    this.#held = null;
    this.#heldSize = 0;
    this.#last = null;
  }

  #out(event: Draft): void {
    this.#last = event;
    this.#held = null;
    this.#heldSize = 0;
    this.#send(event);
    this.#timer = setTimeout(() => this.#tick(), joinWindow);
  }

  #tick(): void {
    this.#timer = null;
    if (this.#held !== null) this.#out(this.#held);
    else this.#last = null;
  }
}

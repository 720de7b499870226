import type { SessionEvent } from './protocol/index.ts';

/** An event before it has its place in the sequence. */
export type Draft = SessionEvent extends infer E ? (E extends { readonly seq: number } ? Omit<E, 'seq'> : never) : never;

/** How long deltas are held to be joined, in ms (docs/wire.md, events). */
export const joinWindow = 40;

/** What is held is sent before its window ends once it has so many characters: an event stays far below what a row can hold. */
export const joinLimit = 65_536;

/** The same for the text of progress, which as an event of more than 64 KiB would travel as a reference: no character has more than 3 bytes. */
const progressJoinLimit = Math.floor(joinLimit / 3);

/** True for the events that are joined and stored in blocks: deltas and progress. */
export function isLive(event: { readonly type: string }): boolean {
  return (
    event.type === 'text_delta' ||
    event.type === 'reasoning_delta' ||
    event.type === 'tool_input_delta' ||
    event.type === 'tool_progress'
  );
}

/** The text that joins with what follows; null for other progress, of which the newer stands. */
function textIn(event: Draft): string | null {
  if (event.type === 'text_delta' || event.type === 'reasoning_delta') return event.text;
  if (event.type === 'tool_input_delta') return event.json;
  return event.type === 'tool_progress' && typeof event.value === 'string' ? event.value : null;
}

function withText(event: Draft, text: string): Draft {
  if (event.type === 'tool_input_delta') return { ...event, json: text };
  if (event.type === 'tool_progress') return textIn(event) === null ? event : { ...event, value: text };
  return { ...event, text } as Draft;
}

/** True when both are of one part, so that they can be one event. */
function joins(a: Draft, b: Draft): boolean {
  if (a.type !== b.type || a.parent !== b.parent || a.run !== b.run) return false;
  if (!('id' in a && 'id' in b && a.id === b.id)) return false;
  return (textIn(a) === null) === (textIn(b) === null);
}

/**
 * Joins consecutive deltas of one part: the first goes out at once, the rest at most `joinWindow` later. A delta of another part, and
 * whatever calls `flush`, sends what is held first, so the order stays.
 */
export class DeltaJoiner {
  readonly #send: (event: Draft) => void;
  /** The newest of the events that are held, and their texts. */
  #held: Draft | null = null;
  #text = '';
  #timer: ReturnType<typeof setTimeout> | null = null;
  #last: Draft | null = null;

  constructor(send: (event: Draft) => void) {
    this.#send = send;
  }

  add(event: Draft): void {
    if (this.#timer === null || this.#last === null || !joins(this.#last, event)) {
      this.flush();
      this.#out(event);
      return;
    }
    const text = textIn(event) ?? '';
    if (event.type === 'tool_progress' && this.#text.length + text.length > progressJoinLimit) this.#sendHeld();
    this.#held = event;
    this.#text += text;
    if (this.#text.length >= joinLimit) this.flush();
  }

  /** Sends what is held, and closes the window. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sendHeld();
    this.#last = null;
  }

  #sendHeld(): void {
    const held = this.#take();
    if (held !== null) this.#send(held);
  }

  #out(event: Draft): void {
    this.#last = event;
    this.#send(event);
    this.#timer = setTimeout(() => this.#tick(), joinWindow);
  }

  #tick(): void {
    this.#timer = null;
    const held = this.#take();
    if (held !== null) this.#out(held);
    else this.#last = null;
  }

  #take(): Draft | null {
    const held = this.#held === null ? null : withText(this.#held, this.#text);
    this.#held = null;
    this.#text = '';
    return held;
  }
}

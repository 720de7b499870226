import { applyEvent, formatCursor, type SessionEvent, type Snapshot } from '../../src/session/protocol/index.ts';

/** How a client can be told wrong: something is missing, or something comes twice. */
export type Told = 'gap' | 'doubled';

/** What one client sees of a session; says at once when it is not told each event once, in order, and none missing. */
export class View {
  readonly #wrong: (how: Told, what: string) => void;
  readonly #look: (shown: Snapshot) => void;
  #shown: Snapshot | null = null;

  /** Tells `wrong` what it was told wrong; `look` is given everything that the screen comes to show. */
  constructor(wrong: (how: Told, what: string) => void, look: (shown: Snapshot) => void = () => {}) {
    this.#wrong = wrong;
    this.#look = look;
  }

  /** What the screen shows; null before the first snapshot. */
  get shown(): Snapshot | null {
    return this.#shown;
  }

  /** Where the client goes on after a lost connection; null before the first snapshot. */
  get cursor(): string | null {
    return this.#shown === null ? null : formatCursor(this.#shown);
  }

  /** A connection began with a snapshot: allowed at first, and when the epoch is a newer one. */
  snapshot(snapshot: Snapshot): void {
    const before = this.#shown;
    if (before !== null && snapshot.epoch <= before.epoch) {
      this.#wrong('gap', `a snapshot at ${formatCursor(snapshot)} in the place of the events after ${formatCursor(before)}`);
    }
    this.#show(snapshot);
  }

  /** A connection went on after this cursor. */
  resumed(cursor: string): void {
    if (cursor !== this.cursor) this.#wrong('gap', `resumed at ${cursor} instead of ${this.cursor}`);
  }

  event(event: SessionEvent): void {
    const before = this.#shown;
    if (before === null) return this.#wrong('gap', `event ${event.seq} before any snapshot`);
    if (event.seq !== before.seq + 1) {
      this.#wrong(event.seq > before.seq ? 'gap' : 'doubled', `event ${event.seq} after ${before.seq}`);
    }
    this.#show(applyEvent(before, event));
  }

  #show(snapshot: Snapshot): void {
    this.#shown = snapshot;
    this.#look(snapshot);
  }
}

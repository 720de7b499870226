import type { FollowOptions } from './api.ts';
import { formatCursor, type SessionEvent, type Snapshot } from './protocol/index.ts';

/** How often a stream that has nothing to say says so, in ms (docs/wire.md, SSE): that its reader has gone shows only when it is written to. */
const heartbeat = 15_000;

/** The most that one pull takes, in events, and in characters, which the last event may exceed: all that is kept for a reader that stopped reading. */
const batch = { events: 256, length: 262_144 } as const;

/** What a follower reads. */
export interface FollowSource {
  /** The epoch now; the stream ends when it becomes another, so that nothing of before is taken for what came after. */
  epoch(): number;
  /** The events after a seq, in order; null when the cursor cannot be resumed. */
  after(cursor: string | null): Iterable<SessionEvent> | null;
  snapshot(): Snapshot;
  /** True when the run has ended and no event of it is still to come. */
  isOver(run: string): boolean;
}

/** Wakes those who wait for the next event. */
export class Signal {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next `fire` with true; with false after `ms`, or when `leave` fires. */
  wait(ms: number, leave?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (fired: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        leave?.removeEventListener('abort', left);
        resolve(fired);
      };
      const wake = (): void => done(true);
      const left = (): void => done(false);
      const timer = setTimeout(left, ms);
      this.#waiting.add(wake);
      leave?.addEventListener('abort', left);
    });
  }

  fire(): void {
    for (const wake of this.#waiting) wake();
  }
}

/**
 * A session's events as a stream of bytes, read from the journal at the reader's own pace: a slow reader holds nothing up, and what it has not read
 * is not kept for it. `onCancel` runs when the reader goes away before the end; from then on nothing waits for it.
 */
export function followStream(
  source: FollowSource,
  signal: Signal,
  options: FollowOptions,
  onCancel: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const place = new Place(source, options);
  // Only a stream of bytes can go over RPC.
  return new ReadableStream({
    type: 'bytes',
    async pull(controller: ReadableByteStreamController) {
      while (!gone.signal.aborted) {
        const text = place.next();
        if (text === null) return controller.close();
        if (text !== '') return controller.enqueue(encoder.encode(text));
        const fired = await signal.wait(heartbeat, gone.signal);
        if (!fired && !gone.signal.aborted) return controller.enqueue(encoder.encode(formats[options.format].waiting));
      }
    },
    cancel() {
      gone.abort();
      onCancel();
    },
  });
}

/** Where a reader is in the events. */
class Place {
  readonly #source: FollowSource;
  readonly #run: string | undefined;
  readonly #write: Format;
  readonly #epoch: number;
  #cursor: string | null;
  #over = false;

  constructor(source: FollowSource, { cursor, run, format }: FollowOptions) {
    this.#source = source;
    this.#run = run;
    this.#write = formats[format];
    this.#epoch = source.epoch();
    this.#cursor = cursor;
  }

  /** The text of what comes next; empty when there is nothing yet, null when nothing will follow. */
  next(): string | null {
    for (;;) {
      if (this.#over || this.#source.epoch() !== this.#epoch) return null;
      const { text, more } = this.#take();
      if (text !== '') return text;
      if (!more) return this.#run !== undefined && this.#source.isOver(this.#run) ? null : '';
    }
  }

  #take(): { readonly text: string; readonly more: boolean } {
    const events = this.#source.after(this.#cursor);
    if (events === null) {
      const snapshot = this.#source.snapshot();
      this.#cursor = formatCursor(snapshot);
      return { text: this.#run === undefined ? this.#write.snapshot(this.#cursor, snapshot) : '', more: false };
    }
    let text = '';
    let count = 0;
    for (const event of events) {
      this.#cursor = formatCursor({ epoch: this.#epoch, seq: event.seq });
      if (this.#run === undefined || event.run === this.#run) text += this.#write.event(this.#cursor, event);
      this.#over = this.#run !== undefined && event.run === this.#run && event.type === 'turn_ended' && event.parent === null;
      count += 1;
      if (this.#over || count === batch.events || text.length >= batch.length) return { text, more: true };
    }
    return { text, more: false };
  }
}

/** How a stream is written. */
interface Format {
  snapshot(cursor: string, snapshot: Snapshot): string;
  event(cursor: string, event: SessionEvent): string;
  /** What means nothing, for a reader to whom there is nothing to say. */
  readonly waiting: string;
}

const formats: { readonly [F in FollowOptions['format']]: Format } = {
  sse: {
    snapshot: (cursor, snapshot) => `id: ${cursor}\nevent: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`,
    event: (cursor, event) => `id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`,
    waiting: ': waiting\n\n',
  },
  ndjson: {
    snapshot: (cursor, snapshot) => `${JSON.stringify({ type: 'snapshot', cursor, snapshot })}\n`,
    event: (_cursor, event) => `${JSON.stringify(event)}\n`,
    waiting: '\n',
  },
};

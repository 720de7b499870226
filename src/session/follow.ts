import type { FollowOptions } from './api.ts';
import { formatCursor, type SessionEvent, type Snapshot } from './protocol/index.ts';

/** How often a stream that has nothing to say sends a comment, in ms (docs/wire.md, SSE). */
const heartbeat = 15_000;

/** The most events that one pull takes. */
const batch = 256;

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
  #waiting = new Set<() => void>();

  /** Resolves at the next `fire` with true, or after `ms` with false. */
  wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (fired: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(fired);
      };
      const wake = (): void => done(true);
      const timer = setTimeout(() => done(false), ms);
      this.#waiting.add(wake);
    });
  }

  fire(): void {
    for (const wake of this.#waiting) wake();
  }
}

/**
 * A session's events as a stream of bytes, read from the journal at the reader's own pace: a slow reader holds nothing up and nothing is
 * kept for it. `onCancel` runs when the reader goes away before the end.
 */
export function followStream(
  source: FollowSource,
  signal: Signal,
  options: FollowOptions,
  onCancel: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const write = options.format === 'sse' ? sseText : ndjsonText;
  const epoch = source.epoch();
  let cursor = options.cursor;
  let over = false;
  let gone = false;
  const next = (): string => {
    const events = source.after(cursor);
    if (events === null) {
      const snapshot = source.snapshot();
      cursor = formatCursor(snapshot);
      return options.run === undefined ? write.snapshot(cursor, snapshot) : '';
    }
    let text = '';
    let count = 0;
    for (const event of events) {
      cursor = formatCursor({ epoch, seq: event.seq });
      if (options.run === undefined || event.run === options.run) text += write.event(cursor, event);
      over = options.run !== undefined && event.run === options.run && event.type === 'turn_ended' && event.parent === null;
      count += 1;
      if (over || count === batch) break;
    }
    return text;
  };
  // Only a stream of bytes can go over RPC.
  return new ReadableStream({
    type: 'bytes',
    async pull(controller: ReadableByteStreamController) {
      for (;;) {
        if (gone) return;
        if (source.epoch() !== epoch) return controller.close();
        const text = over ? '' : next();
        if (text !== '') return controller.enqueue(encoder.encode(text));
        if (
          over ||
          (options.run !== undefined &&
            source.isOver(options.run) &&
            source.after(cursor)?.[Symbol.iterator]().next().done !== false)
        ) {
          return controller.close();
        }
        const fired = await signal.wait(heartbeat);
        if (!fired && !gone && options.format === 'sse') return controller.enqueue(encoder.encode(': waiting\n\n'));
      }
    },
    cancel() {
      gone = true;
      onCancel();
    },
  });
}

const sseText = {
  snapshot: (cursor: string, snapshot: Snapshot): string =>
    `id: ${cursor}\nevent: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`,
  event: (cursor: string, event: SessionEvent): string => `id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`,
};

const ndjsonText = {
  snapshot: (cursor: string, snapshot: Snapshot): string => `${JSON.stringify({ type: 'snapshot', cursor, snapshot })}\n`,
  event: (_cursor: string, event: SessionEvent): string => `${JSON.stringify(event)}\n`,
};

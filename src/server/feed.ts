/** How often a feed that has nothing to say says so, in ms (docs/wire.md, SSE). */
export const heartbeat = 15_000;

/** The most bytes that wait for a slow reader before it is dropped; it comes back and lists again. */
const backlogLimit = 262_144;

interface Reader {
  readonly controller: ReadableByteStreamController;
  readonly wants: (scope: string) => boolean;
}

/** The readers of a directory's feed. Holds a timer only while there is a reader, so that the object can sleep. */
export class Feed {
  readonly #readers = new Set<Reader>();
  #timer: ReturnType<typeof setInterval> | null = null;

  /** A stream of server-sent events about the scopes that `wants` names, from now on. Begins with a comment. */
  open(wants: (scope: string) => boolean): ReadableStream<Uint8Array> {
    let reader: Reader;
    return new ReadableStream({
      type: 'bytes',
      start: (controller) => {
        reader = { controller, wants };
        this.#readers.add(reader);
        this.#timer ??= setInterval(() => this.#say(': \n\n', () => true), heartbeat);
        this.#say(': \n\n', (each) => each === reader);
      },
      cancel: () => this.#drop(reader),
    });
  }

  /** Tells whoever wants the scope: an event without a name, or one named `event`. */
  publish(scope: string, data: object, event?: string): void {
    const name = event === undefined ? '' : `event: ${event}\n`;
    this.#say(`${name}data: ${JSON.stringify(data)}\n\n`, (reader) => reader.wants(scope));
  }

  #say(text: string, to: (reader: Reader) => boolean): void {
    for (const reader of this.#readers) {
      if (!to(reader)) continue;
      if ((reader.controller.desiredSize ?? 0) < -backlogLimit) {
        this.#drop(reader);
        reader.controller.close();
      } else {
        // Encoded for each reader: a byte stream takes the buffer away.
        reader.controller.enqueue(new TextEncoder().encode(text));
      }
    }
  }

  #drop(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

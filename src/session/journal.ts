import { DeltaJoiner, type Draft, isLive } from './joiner.ts';
import { eventsAfter, insertEvents, isFurtherBehind } from './rows/events.ts';
import type { Cursor, SessionEvent } from './protocol/index.ts';

/** Deltas are stored at the latest after this time, in ms, or this many characters; whatever is stored takes them along. */
const blockAge = 1000;
const blockSize = 65_536;

/** A client further behind than this many bytes of events is given a snapshot instead. */
const resumeLimit = 8 * 1024 * 1024;

/** What a change adds to the sequence, and what happens once it is committed. */
export interface Work {
  /** Adds an event; it is stored with the change. */
  emit(event: Draft): void;
  /** Runs after the commit and the broadcast, in order. */
  after(effect: () => void): void;
  /** The seq of the newest event, those of this change included. */
  seq(): number;
}

/** Who hears of events, in order, each once, after they were stored (deltas: before). */
export type Listener = (event: SessionEvent) => void;

/**
 * What happened could not be told, or its effects not begun: memory is behind the rows, and only a new life of the object can put that right.
 * Not to be confused with a change that throws, of which nothing has happened.
 */
export type Broken = (error: unknown) => void;

/**
 * The one sequence of a session. Changes of rows and their events are one transaction, and only then sent: the platform holds what a socket
 * is given until the rows are on disk. Deltas, and whatever else stands for no row, go out first and are stored in blocks; a crash loses some
 * of them, and with them the epoch.
 */
export class Journal {
  readonly #storage: DurableObjectStorage;
  readonly #listener: Listener;
  readonly #broken: Broken;
  readonly #joiner = new DeltaJoiner((event) => this.#sendLive(event));
  #seq: number;
  #block: SessionEvent[] = [];
  #blockSize = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(storage: DurableObjectStorage, seq: number, listener: Listener, broken: Broken) {
    this.#storage = storage;
    this.#seq = seq;
    this.#listener = listener;
    this.#broken = broken;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Adds a delta or a progress: joined, sent within the window, stored soon. */
  live(event: Draft): void {
    if (!isLive(event)) throw new Error(`${event.type} is no live event`);
    this.#joiner.add(event);
  }

  /** Adds an event that stands for no row: sent at once, stored soon. */
  soon(event: Draft): void {
    this.#joiner.flush();
    this.#sendLive({ at: Date.now(), ...event });
  }

  /**
   * Changes rows and adds the events that tell of it, in one transaction. `change` must not await. When it throws nothing has happened:
   * no row, no event, nothing sent.
   */
  transact<T>(change: (work: Work) => T): T {
    this.#joiner.flush();
    const events: SessionEvent[] = [];
    const effects: (() => void)[] = [];
    const value = this.#storage.transactionSync(() => {
      const result = change({
        emit: (event) => events.push({ at: Date.now(), ...event, seq: this.#seq + events.length + 1 }),
        after: (effect) => effects.push(effect),
        seq: () => this.#seq + events.length,
      });
      if (events.length > 0) insertEvents(this.#storage.sql, [...this.#block, ...events]);
      return result;
    });
    if (events.length > 0) this.#clearBlock();
    this.#seq += events.length;
    this.#tell(events, effects);
    return value;
  }

  /** The events after a cursor, stored and not yet stored; null when it cannot be resumed (another epoch, the future, too far behind). */
  after(cursor: Cursor, epoch: number): Iterable<SessionEvent> | null {
    if (cursor.epoch !== epoch || cursor.seq > this.#seq) return null;
    if (isFurtherBehind(this.#storage.sql, cursor.seq, resumeLimit)) return null;
    return this.#from(cursor.seq);
  }

  /** Sends and stores what is held. */
  flush(): void {
    this.#joiner.flush();
    this.#store();
  }

  *#from(seq: number): Iterable<SessionEvent> {
    yield* eventsAfter(this.#storage.sql, seq);
    for (const event of this.#block) if (event.seq > seq) yield event;
  }

  #sendLive(draft: Draft): void {
    this.#seq += 1;
    const event = { ...draft, seq: this.#seq } as SessionEvent;
    this.#block.push(event);
    this.#blockSize += JSON.stringify(event).length;
    this.#tell([event], []);
    if (this.#blockSize >= blockSize) this.#storeInTime();
    else this.#timer ??= setTimeout(() => this.#storeInTime(), blockAge);
  }

  #tell(events: readonly SessionEvent[], effects: readonly (() => void)[]): void {
    try {
      for (const event of events) this.#listener(event);
      for (const effect of effects) effect();
    } catch (error) {
      this.#broken(error);
    }
  }

  /** Nobody waits for this. What could not be stored stays where readers find it, and is tried again, with the next change at the latest. */
  #storeInTime(): void {
    try {
      this.#store();
    } catch {
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#storeInTime(), blockAge);
    }
  }

  #store(): void {
    if (this.#block.length > 0) this.#storage.transactionSync(() => insertEvents(this.#storage.sql, this.#block));
    this.#clearBlock();
  }

  #clearBlock(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#block = [];
    this.#blockSize = 0;
  }
}

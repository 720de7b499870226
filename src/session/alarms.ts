import type { Logger } from '../core/index.ts';
import { earliestAlarm } from './rows/alarms.ts';

/** How often the life that plays a run says that it lives, in ms. A run whose object died is found so long after the last time, at most. */
export const beatInterval = 8_000;

/** An alarm is never set nearer than this, in ms: one in the past may never fire. */
const soonest = 50;

/** Sets the object's one alarm to what the rows say is due first; it is gone when nothing is. */
export class Alarms {
  readonly #storage: DurableObjectStorage;
  readonly #logger: Logger;

  constructor(storage: DurableObjectStorage, logger: Logger) {
    this.#storage = storage;
    this.#logger = logger;
  }

  /** Call it in the tick in which the rows changed: what is written without an await between is committed together. */
  arm(): void {
    const due = earliestAlarm(this.#storage.sql);
    const set = due === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(Math.max(due, Date.now() + soonest));
    set.catch((error: unknown) => this.#logger.warn('The alarm could not be set', { error }));
  }
}

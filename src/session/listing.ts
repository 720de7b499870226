import type { Logger } from '../core/index.ts';
import type { Summary } from './protocol/index.ts';

/** The participant's list of sessions, as a session tells it of itself. */
export interface ListPort {
  put(summary: Summary): Promise<void>;
  remove(scope: string): Promise<void>;
}

/** How long a line may wait that does not matter yet, in ms. */
const patience = 250;

/** Keeps the session's line in the list: the newest summary is sent when the one before it has arrived, and only if it differs. */
export class Listing {
  readonly #list: ListPort;
  readonly #logger: Logger;
  #sent = '';
  #next: Summary | null = null;
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(list: ListPort, logger: Logger) {
    this.#list = list;
    this.#logger = logger;
  }

  /**
   * Sends the line a little later, with whatever changes meanwhile: no commit elsewhere stands between a turn and its first words. Only for a
   * session whose run is open: should the object die first, the life that takes the run over sends the line.
   */
  soon(summary: Summary): void {
    this.#next = summary;
    this.#timer ??= setTimeout(() => {
      if (this.#next !== null) void this.put(this.#next);
    }, patience);
  }

  /** Sends the line if it changed; resolves when it and what came meanwhile has arrived, or failed and been logged. */
  put(summary: Summary): Promise<void> {
    this.#stopTimer();
    this.#next = summary;
    this.#sending ??= Promise.resolve().then(() => this.#send());
    return this.#sending;
  }

  /** Takes the session off the list, after whatever is on its way. */
  async remove(scope: string): Promise<void> {
    this.#stopTimer();
    this.#next = null;
    await this.#sending;
    this.#sent = '';
    await this.#list.remove(scope);
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Sends until there is nothing newer. It says that it has ended in the tick that finds nothing, so that no line falls between. */
  async #send(): Promise<void> {
    while (this.#next !== null) {
      const summary = this.#next;
      this.#next = null;
      const { updated: _, ...shown } = summary;
      const text = JSON.stringify(shown);
      if (text === this.#sent) continue;
      try {
        await this.#list.put(summary);
        this.#sent = text;
      } catch (error) {
        this.#logger.warn('The list of sessions did not take a line', { error });
      }
    }
    this.#sending = null;
  }
}

import { type Clock, type Logger, systemClock } from '../core/index.ts';
import type { Summary } from './protocol/index.ts';

/** The participant's list of sessions, as a session tells it of itself. `put` gives what `ahead` does: how many other sessions began to run before this one. */
export interface ListPort {
  put(summary: Summary): Promise<number>;
  ahead(scope: string): Promise<number>;
  remove(scope: string): Promise<void>;
}

/** How long a line may wait that does not matter yet, in ms. */
const patience = 250;

/** How long the list may take to answer a question, in ms: a turn waits for it. */
const answerTime = 5000;

/** Keeps the session's line in the list: the newest summary is sent when the one before it has arrived, and only if it differs. */
export class Listing {
  readonly #list: ListPort;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #sent = '';
  #next: Summary | null = null;
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** What the list answered to the newest line, until somebody asks. */
  #answer: number | null = null;

  constructor(list: ListPort, logger: Logger, clock: Clock = systemClock) {
    this.#list = list;
    this.#logger = logger;
    this.#clock = clock;
  }

  /**
   * Sends the line a little later, with whatever changes meanwhile: no commit elsewhere stands between a turn and its first words. Only for a
   * session whose run is open: should the object die first, the life that takes the run over sends the line.
   */
  soon(summary: Summary): void {
    this.#next = summary;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
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

  /**
   * How many of the participant's other sessions run that began before this one: the list says so with the line that tells of the run, and is asked
   * again whenever this is. Null, and logged, when it cannot be reached.
   */
  async ahead(scope: string): Promise<number | null> {
    const over = new AbortController();
    try {
      const late = this.#clock.sleep(answerTime, over.signal).then(() => Promise.reject(new Error('It did not answer in time.')));
      return await Promise.race([this.#ask(scope), late]);
    } catch (error) {
      this.#logger.warn('The list of sessions did not say how many run', { error });
      return null;
    } finally {
      over.abort();
    }
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

  async #ask(scope: string): Promise<number> {
    if (this.#next !== null) void this.put(this.#next);
    await this.#sending;
    const answer = this.#answer;
    this.#answer = null;
    return answer ?? this.#list.ahead(scope);
  }

  /** Sends until there is nothing newer. It says that it has ended in the tick that finds nothing, so that no line falls between. */
  async #send(): Promise<void> {
    while (this.#next !== null) {
      const summary = this.#next;
      this.#next = null;
      const { updated: _, ...shown } = summary;
      const text = JSON.stringify(shown);
      if (text === this.#sent) continue;
      this.#answer = null;
      try {
        this.#answer = await this.#list.put(summary);
        this.#sent = text;
      } catch (error) {
        this.#logger.warn('The list of sessions did not take a line', { error });
      }
    }
    this.#sending = null;
  }
}

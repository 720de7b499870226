import { resultsMessage } from './fold.ts';
import { type Message, resultsId } from './message.ts';
import type { Pending } from './need.ts';
import type { Outcome } from './result.ts';

/** The conversation that a Run holds: complete steps only, but for one that waits for the host (FAIL-08, LOOP-14). */
export class Conversation {
  #messages: readonly Message[];
  #pending: readonly Pending[];
  #added = new Set<string>();

  constructor(messages: readonly Message[], pending: readonly Pending[]) {
    this.#messages = messages;
    this.#pending = pending;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get pending(): readonly Pending[] {
    return this.#pending;
  }

  /** What was added since `mark()` (RUN-07). */
  get appended(): readonly Message[] {
    return this.#messages.filter((message) => this.#added.has(message.id));
  }

  /** From here on, additions are the turn's; so are those it made already, by their ids. */
  mark(added: readonly string[] = []): void {
    this.#added = new Set(added);
  }

  append(message: Message): void {
    this.#messages = [...this.#messages, message];
    this.#added.add(message.id);
  }

  /**
   * Stores a step at once: its assistant message, the results so far, and the calls that wait. A step whose message is there
   * already gets its remaining results into the one message of results (LOOP-14).
   */
  store(assistant: Message, outcomes: ReadonlyMap<string, Outcome>, pending: readonly Pending[]): void {
    if (!this.#messages.some((message) => message.id === assistant.id)) this.append(assistant);
    const existing = this.#messages.find((message) => message.id === resultsId(assistant.id));
    const results = resultsMessage(assistant, existing, outcomes);
    if (results !== null) {
      this.#messages = this.#messages.filter((message) => message !== existing);
      this.append(results);
    }
    this.#pending = pending;
  }
}

import type { Delivery } from './event.ts';
import type { Message } from './message.ts';

/** A message that waits to land in the running turn. */
export interface WaitingMessage {
  readonly message: Message;
  readonly delivery: Delivery;
}

/** The messages that were interjected and have not landed, in order of arrival. */
export class WaitingLine {
  #items: readonly WaitingMessage[] = [];

  get steered(): boolean {
    return this.#items.some((item) => item.delivery === 'steer');
  }

  get queued(): boolean {
    return this.#items.some((item) => item.delivery === 'queue');
  }

  /** All of them, the steering ones first (STEER-10). */
  all(): readonly WaitingMessage[] {
    return [
      ...this.#items.filter((item) => item.delivery === 'steer'),
      ...this.#items.filter((item) => item.delivery === 'queue'),
    ];
  }

  add(item: WaitingMessage): void {
    this.#items = [...this.#items, item];
  }

  /** Puts another message or delivery in an item's place; false when it is not waiting any more. */
  amend(messageId: string, item: WaitingMessage): boolean {
    const found = this.#items.some((waiting) => waiting.message.id === messageId);
    this.#items = this.#items.map((waiting) => (waiting.message.id === messageId ? item : waiting));
    return found;
  }

  /** Takes an item out; false when it is not waiting any more. */
  withdraw(messageId: string): boolean {
    const before = this.#items.length;
    this.#items = this.#items.filter((waiting) => waiting.message.id !== messageId);
    return this.#items.length < before;
  }

  /** Takes the first item of a delivery. */
  take(delivery: Delivery): WaitingMessage | undefined {
    const first = this.#items.find((item) => item.delivery === delivery);
    this.#items = this.#items.filter((item) => item !== first);
    return first;
  }

  /** Takes everything (at the end of a turn). */
  drain(): readonly WaitingMessage[] {
    const all = this.all();
    this.#items = [];
    return all;
  }
}

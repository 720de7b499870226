import type { Json } from '../../core/json.ts';
import type { Large } from '../../session/protocol/wire.ts';
import { settle, SettleMemory } from '../lib/large.ts';

/** The large values of a session: each is fetched once, when something that is shown refers to it. */
export class Larges {
  readonly #fetch: (href: string) => Promise<Json>;
  readonly #onKnown: () => void;
  readonly #memory = new SettleMemory();
  readonly #known = new Map<string, Json>();
  readonly #asked = new Set<string>();
  readonly #failed = new Set<string>();

  /** `onKnown` hears that a value came: what is shown can be made whole. */
  constructor(fetch: (href: string) => Promise<Json>, onKnown: () => void) {
    this.#fetch = fetch;
    this.#onKnown = onKnown;
  }

  /** The value for reading: whole where it is known, with previews elsewhere until it is. See `settle` for what stays the same. */
  shown<T>(value: T): T {
    const settled = settle(value, this.#known, this.#memory);
    for (const large of settled.missing) void this.#ask(large);
    return settled.value;
  }

  /** False for an object that `shown` gave, or one inside it, in which a preview stands for the whole. */
  isWhole(shown: object): boolean {
    return !this.#memory.cut.has(shown);
  }

  /** Lets what could not be fetched be asked for again. */
  retry(): void {
    for (const href of this.#failed) this.#asked.delete(href);
    this.#failed.clear();
  }

  async #ask({ href }: Large): Promise<void> {
    if (this.#asked.has(href)) return;
    this.#asked.add(href);
    try {
      this.#known.set(href, await this.#fetch(href));
    } catch {
      this.#failed.add(href);
      return;
    }
    this.#onKnown();
  }
}

import type { ToolCallPart } from '../core/index.ts';

/** What call ids a host takes: the characters that may not stand in one, and its length. */
export interface CallIdRule {
  readonly refused: RegExp;
  readonly least: number;
  readonly most: number;
}

/**
 * The ids that the calls of one request go out under: the provider's own where it gave one, in the host's alphabet and
 * length. An id that is taken by an earlier call gives way to one made from ours (G-18). Which id a call gets depends on the
 * calls before it alone, so a longer conversation begins with the same bytes.
 */
export class CallIds {
  readonly #rule: CallIdRule;
  readonly #taken = new Set<string>();

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  /** The id for the next call in the request's order. */
  next(call: ToolCallPart): string {
    const own = this.#fitting(call.providerId) ?? this.#fitting(call.id) ?? this.#made(call.id);
    this.#taken.add(own);
    return own;
  }

  #fitting(id: string | undefined): string | undefined {
    if (id === undefined || id.length < this.#rule.least || id.length > this.#rule.most) return undefined;
    return id.search(this.#rule.refused) === -1 && !this.#taken.has(id) ? id : undefined;
  }

  #made(id: string): string {
    const length = Math.min(this.#rule.most, 24);
    for (let salt = 0; ; salt += 1) {
      const made = digits(`${id} ${salt}`, length);
      if (!this.#taken.has(made)) return made;
    }
  }
}

/** Digits of base 36 that follow from a text (FNV-1a, a round for each): no secret, only spread. */
function digits(text: string, length: number): string {
  let hash = 0x811c9dc5;
  const mix = (code: number): void => {
    hash = Math.imul(hash ^ code, 0x01000193) >>> 0;
  };
  for (let i = 0; i < text.length; i += 1) mix(text.charCodeAt(i));
  return Array.from({ length }, (_, n) => {
    mix(n);
    return (hash >>> 8) % 36;
  })
    .map((digit) => digit.toString(36))
    .join('');
}

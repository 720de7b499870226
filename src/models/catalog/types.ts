/**
 * How a model goes on from the beginning of a reply (INTR-10 to INTR-14): not at all; when the beginning is the last message;
 * when a flag in the request says so besides.
 */
export type Prefill = 'none' | 'implicit' | 'flag';

/**
 * How a request asks a model to think: it does not think; it always does and takes no word on it; on or off; by a budget of
 * tokens; by an effort that is named; by a level that is named (Gemini); as it sees fit, with an effort (Claude from 4.6 on).
 */
export type Thinking = 'none' | 'always' | 'switch' | 'budget' | 'effort' | 'level' | 'adaptive';

/** What is known of a model, or of all models of a provider. What is absent is not known. */
export interface Facts {
  /** The context window, in tokens. */
  readonly window?: number;
  /** The longest reply, in tokens. */
  readonly output?: number;
  readonly prefill?: Prefill;
  readonly thinking?: Thinking;
  /** Whether a prompt may hold images. */
  readonly images?: boolean;
  /** Whether a reply may hold several calls. */
  readonly parallelCalls?: boolean;
}

/** USD for a million tokens. Of tiers the last one whose `over` the whole input exceeds, in tokens, holds for the whole request. */
export type Rate =
  | number
  | { readonly base: number; readonly tiers: readonly { readonly over: number; readonly price: number }[] };

/** What tokens cost. Those of the cache cost what input costs where they have no rate of their own. */
export interface Price {
  readonly input: Rate;
  readonly output: Rate;
  readonly cacheRead?: Rate;
  readonly cacheWrite?: Rate;
  /** The day it began to hold (UTC), as `2026-12-01`; absent: it holds whenever no other one does. */
  readonly from?: string;
  /** The hours of the day in which it holds (UTC), from and before, as `00:30`. */
  readonly hours?: readonly [string, string];
}

/** A model of a provider. */
export interface CatalogModel extends Facts {
  readonly id: string;
  /** A regular expression for other names of the model, in small letters. */
  readonly match?: string;
  /** Of those that hold at a time the last one counts. Absent: not known, or not by the token. */
  readonly prices?: readonly Price[];
}

/** A provider of models, and what holds for all of them. */
export interface CatalogProvider {
  /** As in `<provider>/<model>`. */
  readonly id: string;
  readonly aliases?: readonly string[];
  /** Providers whose models it hosts at their prices. */
  readonly fallback?: readonly string[];
  /** True where the input that it counts leaves out what the cache gave and took (ANT-09). */
  readonly cacheBesideInput?: true;
  readonly facts?: Facts;
  readonly models: readonly CatalogModel[];
}

/** All that is known, by provider. */
export type Catalog = readonly CatalogProvider[];

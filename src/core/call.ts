import type { Event } from './event.ts';
import type { Json } from './json.ts';
import type { Answer, Decision, Need, Pending } from './need.ts';
import type { Result } from './result.ts';
import type { ToolSpec } from './tool.ts';

/** What a tool and its middleware know of the call they serve (TOOL-12 to TOOL-16). */
export interface Call {
  /** The call's id: unique in the session, and the same when the call is made again after a pause. */
  readonly id: string;
  /** The number of the turn that makes the call. */
  readonly turn: number;
  /** What the host gave the Run: handed on unchanged, never serialised (RUN-17). */
  readonly context: unknown;
  /** The called tool's spec; null for a name that the model was not offered (MW-19). */
  readonly spec: ToolSpec | null;
  /** Fires when the turn is cancelled or interrupted. */
  readonly signal: AbortSignal;

  /** Reports a JSON-safe value as `tool_progress`; resolves when the consumer of the events took it. */
  progress(value: Json): Promise<void>;
  /** True once the turn is cancelled or interrupted (CANC-04). */
  isCancelled(): boolean;
  /**
   * Makes the result that pauses the turn; return it. `state` is handed back when the call is made again; with a state
   * the call is made again whatever the answer is, without one a denied approval settles it (PAUSE-11 to PAUSE-13).
   * @throws MisuseError `need_ids_not_unique` when two needs share an id, `needs_empty` when there is none.
   */
  needsInput(needs: readonly Need[], state?: Json): Result;
  /** What this call asked in this turn and was not answered yet; null when nothing (PAUSE-26). */
  pending(): Pending | null;
  /**
   * Answers what `pending()` holds on the spot, from a middleware outside the asking one; call next again afterwards.
   * @throws MisuseError when nothing is pending or the answer does not fit.
   */
  answer(answer: Omit<Answer, 'callId'>): void;
  /** The answer this call was given; null when none. */
  answers(): Answer | null;
  /** The decision on the need `approval`; null when there is none. */
  decision(): Decision | null;
  /** The state the call asked with; null when none. */
  state(): Json;
  /** Adds a nested run's events to this run's stream, as they come, with this call's id as `parent` (EVT-32). */
  nest(event: Event): Promise<void>;
}

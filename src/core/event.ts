import type { Json, JsonObject } from './json.ts';
import type { Finish, Message } from './message.ts';
import type { Decision, Pending } from './need.ts';
import type { Outcome } from './result.ts';
import type { Usage } from './usage.ts';

/** Why a turn ended (LOOP-03 to LOOP-10). */
export type Reason = 'done' | 'stopped' | 'awaiting_input' | 'cancelled' | 'interrupted' | 'failed';

/** The seven kinds of failure (LOOP-10). */
export type ErrorKind =
  | 'model_error'
  | 'rate_limited'
  | 'context_too_long'
  | 'transport_error'
  | 'middleware_error'
  | 'tool_error'
  | 'tool_retries_exceeded';

/** What a failure shows to readers of events: the kind or a finer code, and a sentence. */
export interface TurnError {
  readonly class: string;
  readonly message: string;
}

/** How an interjected message lands: a steer at the next step boundary, a queued one when the turn would be done (STEER-01). */
export type Delivery = 'steer' | 'queue';

/** The fields that come first in every event: the turn's number, and the id of the call that hosts a nested run (EVT-02). */
export interface EventHead {
  readonly turn: number;
  readonly parent: string | null;
}

/** The seventeen events, without their head. */
export type EventBody =
  | { readonly type: 'turn_started' }
  | {
      readonly type: 'turn_ended';
      readonly reason: Reason;
      readonly usage: Usage;
      readonly error: TurnError | null;
      readonly finish: Finish | null;
    }
  | { readonly type: 'step_started'; readonly n: number }
  | { readonly type: 'step_ended'; readonly n: number }
  | { readonly type: 'message_started'; readonly id: string }
  | { readonly type: 'message_resumed'; readonly id: string }
  | { readonly type: 'text_delta'; readonly id: string; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly id: string; readonly text: string }
  | { readonly type: 'tool_call_started'; readonly id: string; readonly name: string }
  | { readonly type: 'tool_input_delta'; readonly id: string; readonly json: string }
  | { readonly type: 'tool_call_ready'; readonly id: string; readonly name: string; readonly input: JsonObject }
  | {
      readonly type: 'message_ended';
      readonly id: string;
      readonly message: Message;
      readonly usage: Usage;
      readonly finish: Finish;
    }
  | { readonly type: 'tool_decided'; readonly id: string; readonly needId: string; readonly decision: Decision }
  | { readonly type: 'tool_progress'; readonly id: string; readonly value: Json }
  | { readonly type: 'tool_ended'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'input_requested'; readonly pending: readonly Pending[] }
  | { readonly type: 'interjected'; readonly message: Message; readonly delivery: Delivery };

/** A typed event of a run. Every item goes started, deltas, ended (EVT-01); a discarded step has no end of its own. */
export type Event = EventHead & EventBody;

/** The names of the seventeen events. */
export type EventType = Event['type'];

/** The event of one name. */
export type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;

/** True for an event of the run itself and not of one nested in it: check it before reacting to a boundary (EVT-33). */
export function isTop(event: EventHead): boolean {
  return event.parent === null;
}

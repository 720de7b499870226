import type { Event, EventType } from './event.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { messageFromJSON, UnmappableContent } from './message.ts';
import { Thrown } from './result.ts';

/** An event as JSON holds it: `type` and the fields (EVT-04). */
export function eventToJSON(event: Event): JsonObject {
  return JSON.parse(JSON.stringify(event)) as JsonObject;
}

type Check = (value: Json | undefined) => boolean;

const text: Check = (value) => typeof value === 'string';
const whole: Check = (value) => Number.isInteger(value);
const list: Check = Array.isArray;
const map: Check = isObject;
const present: Check = (value) => value !== undefined;
const message: Check = (value) => isObject(value) && messageFromJSON(value).id !== '';
const mapOrNull: Check = (value) => value === null || isObject(value);
const textOrNull: Check = (value) => value === null || typeof value === 'string';

/** The fields of each of the seventeen events, beside the head. */
const fields: { readonly [T in EventType]: { readonly [field: string]: Check } } = {
  turn_started: {},
  turn_ended: { reason: text, usage: map, error: mapOrNull, finish: textOrNull },
  step_started: { n: whole },
  step_ended: { n: whole },
  message_started: { id: text },
  message_resumed: { id: text },
  text_delta: { id: text, text },
  reasoning_delta: { id: text, text },
  tool_call_started: { id: text, name: text },
  tool_input_delta: { id: text, json: text },
  tool_call_ready: { id: text, name: text, input: map },
  message_ended: { id: text, message, usage: map, finish: text },
  tool_decided: { id: text, needId: text, decision: map },
  tool_progress: { id: text, value: present },
  tool_ended: { id: text, outcome: map },
  input_requested: { pending: list },
  interjected: { message, delivery: text },
};

/**
 * The typed event that a JSON value stands for (EVT-05); an exception comes back as a Thrown without its error. Null for a type
 * that is none of the seventeen, which a reader ignores (EVT-22).
 * @throws UnmappableContent when a known event lacks a field or holds one of the wrong kind.
 */
export function eventFromJSON(value: Json): Event | null {
  if (!isObject(value) || typeof value.type !== 'string') throw new UnmappableContent('An event must be an object with a type.');
  const checks = Object.hasOwn(fields, value.type) ? fields[value.type as EventType] : undefined;
  if (checks === undefined) return null;
  if (!Number.isInteger(value.turn) || !textOrNull(value.parent))
    throw new UnmappableContent(`The event ${value.type} lacks its turn or parent.`);
  for (const [field, check] of Object.entries(checks)) {
    if (!check(value[field])) throw new UnmappableContent(`The event ${value.type} has no right ${field}.`);
  }
  const event = value as unknown as Event;
  if (event.type !== 'tool_ended' || !('class' in event.outcome)) return event;
  return { ...event, outcome: new Thrown(event.outcome.class, event.outcome.message) };
}

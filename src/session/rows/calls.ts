import { isObject, isThrown, type Json, notRun, type Outcome, type StepView, Thrown } from '../../core/index.ts';
import type { SessionEvent } from '../protocol/index.ts';

/** How far calls came that began to run: their outcomes by id, null where the outcome is not known (INTR-19). */
export type CallsSoFar = { readonly [callId: string]: Outcome | null };

/** How far the calls of a step came, by the events of its run: a call that never began is not in it. */
export function callsSoFar(step: StepView, events: Iterable<SessionEvent>): CallsSoFar {
  const begun = new Set<string>();
  for (const event of events) if (event.type === 'tool_started') begun.add(event.id);
  const calls = step.calls.filter((call) => begun.has(call.id));
  return Object.fromEntries(
    calls.map((call) => [call.id, call.outcome === null || isUnknown(call.outcome) ? null : call.outcome]),
  );
}

/** Calls as `JSON.stringify` wrote them; an exception comes back as one. */
export function parseCalls(text: string): CallsSoFar {
  const calls = Object.entries(JSON.parse(text) as { readonly [callId: string]: Json });
  return Object.fromEntries(calls.map(([id, outcome]) => [id, outcomeOf(outcome)]));
}

/** An outcome from its JSON; null for one that is not known. */
function outcomeOf(value: Json): Outcome | null {
  if (!isObject(value)) return null;
  return 'class' in value ? new Thrown(String(value.class), String(value.message)) : (value as unknown as Outcome);
}

/** A call that had begun and broke off at a stop may have had its effect. */
function isUnknown(outcome: Outcome): boolean {
  if (isThrown(outcome)) return false;
  const text = JSON.stringify(outcome.content);
  return [notRun.cancelled, notRun.outcomeUnknown].some((known) => JSON.stringify(known.content) === text);
}

import type { Json, JsonObject } from './json.ts';

/** A call asks for leave (PAUSE-02). */
export interface Approval {
  readonly type: 'approval';
  readonly id: string;
  readonly reason: string;
}

/** A call asks for a value; `choices` is null when any text will do (PAUSE-20). */
export interface Question {
  readonly type: 'question';
  readonly id: string;
  readonly text: string;
  readonly choices: readonly string[] | null;
}

/** What a paused call needs of the host. Ids are unique within the call (PAUSE-03). */
export type Need = Approval | Question;

/** An approval with the id `approval`, unless another is given. */
export function approval(reason: string, id = 'approval'): Approval {
  return { type: 'approval', id, reason };
}

/** A question; without `choices` any text answers it. */
export function question(id: string, text: string, choices: readonly string[] | null = null): Question {
  return { type: 'question', id, text, choices };
}

/** Allow, or deny with an optional reason (PAUSE-07); denying a question declines it (PAUSE-08). */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string | null;
}

/** A decision that allows. */
export const allow: Decision = { allowed: true, reason: null };

/** A decision that denies, with the reason the model is told. */
export function deny(reason: string | null = null): Decision {
  return { allowed: false, reason };
}

/** The host's answer to one pending call; decisions and values are kept apart, by need id (PAUSE-17, PAUSE-18). */
export interface Answer {
  readonly callId: string;
  readonly decisions: { readonly [needId: string]: Decision };
  readonly values: { readonly [needId: string]: Json };
}

/** The call part of a Pending: the seeds' four fields, nothing more. */
export interface PendingCall {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** A call that waits for the host (PAUSE-19). `state` is the tool's own; null means none (PAUSE-21). */
export interface Pending {
  readonly call: PendingCall;
  readonly needs: readonly Need[];
  readonly state: Json;
}

/** What is wrong with an answer, as a stable code and a sentence that says what to do (PAUSE-07 to PAUSE-10). */
export interface AnswerProblem {
  readonly code: 'answer_invalid' | 'answer_not_a_choice';
  readonly message: string;
}

/** Checks one answer against the call it answers; null when it fits. */
export function checkAnswer(pending: Pending, answer: Answer): AnswerProblem | null {
  const invalid = (message: string): AnswerProblem => ({ code: 'answer_invalid', message });
  const needs = new Map(pending.needs.map((need) => [need.id, need]));
  for (const id of [...Object.keys(answer.decisions), ...Object.keys(answer.values)]) {
    if (!needs.has(id)) return invalid(`The call ${pending.call.id} has no need named ${id}.`);
  }
  for (const need of needs.values()) {
    const decision = Object.hasOwn(answer.decisions, need.id) ? answer.decisions[need.id] : undefined;
    const hasValue = Object.hasOwn(answer.values, need.id);
    if (decision !== undefined && hasValue) return invalid(`The need ${need.id} has both a decision and a value; give one.`);
    if (need.type === 'approval') {
      if (decision === undefined)
        return invalid(`The approval ${need.id} takes a decision: {"allowed": true} or {"allowed": false}.`);
      continue;
    }
    if (decision?.allowed === true) return invalid(`The question ${need.id} takes a value, or {"allowed": false} to decline it.`);
    if (decision === undefined && !hasValue) return invalid(`The question ${need.id} is not answered.`);
    if (hasValue && need.choices !== null && !need.choices.includes(answer.values[need.id] as string)) {
      return {
        code: 'answer_not_a_choice',
        message: `The question ${need.id} takes one of its choices: ${need.choices.join(', ')}.`,
      };
    }
  }
  return null;
}

/** The reasons of the approvals that an answer denies; null when it denies none. */
export function deniedReasons(pending: Pending, answer: Answer): readonly string[] | null {
  const denied = pending.needs
    .filter((need) => need.type === 'approval')
    .map((need) => answer.decisions[need.id])
    .filter((decision) => decision !== undefined && !decision.allowed);
  if (denied.length === 0) return null;
  return denied.flatMap((decision) => (decision?.reason ? [decision.reason] : []));
}

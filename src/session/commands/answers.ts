import { type Answer, checkAnswer, type Decision, deny, type Json, type Pending } from '../../core/index.ts';
import { admit } from '../admission.ts';
import type { Change } from '../context.ts';
import { accepted, type CommandBody, decision, type Outcome, type Problem, refused } from '../protocol/index.ts';
import { stateEvent } from '../recorder.ts';
import { currentAnswers, putAnswer, readAnswer, readPending } from '../rows/pending.ts';
import { updateSession } from '../rows/session.ts';
import { stagedAnswers } from '../state.ts';
import type { Giver, Handler } from './command.ts';

type GivenAnswers = CommandBody<'answers'>['answers'];
type GivenAnswer = Extract<GivenAnswers, readonly unknown[]>[number];

/**
 * `answers`: stages the answers to some calls, and resumes the turn when none is missing; `now` denies the rest (C-1). The first answer
 * to a call wins, over every device (G-16); one left over from a resume that ended early may be given again (FAIL-11).
 */
export const answers: Handler<'answers'> = (change, body, giver) => {
  const { context } = change;
  const { sql } = context;
  const given = listOf(body.answers);
  if (given.length === 0 && body.now !== true) {
    return refused('bad_request', 'The list of answers is empty: answer a call, or say now to deny the rest.');
  }
  const twice = given.find((answer, index) => given.findIndex(({ callId }) => callId === answer.callId) !== index);
  if (twice !== undefined) return refused('answer_invalid', `The call ${twice.callId} has two answers: give one.`);
  const pending = readPending(sql);
  const taken = given.map((answer) => alreadyAnswered(change, answer.callId)).find((problem) => problem !== null);
  if (taken !== undefined && taken !== null) return { ok: false, problem: taken };
  if (context.view().status === 'running') return refused('session_locked', 'A turn is running: wait for its end.');
  if (pending.length === 0) return refused('nothing_pending', 'No call waits for an answer.');
  const checked = given.map((answer) => check(pending, answer));
  const wrong = checked.find((outcome) => !outcome.ok);
  if (wrong !== undefined && !wrong.ok) return wrong;

  const fresh = checked.flatMap((outcome) => (outcome.ok ? [outcome.value] : []));
  for (const answer of fresh) putAnswer(sql, { answer, state: 'staged', by: giver.actor, at: context.now() });
  if (body.now === true) denyTheRest(change, pending, giver);
  return resumeWhenComplete(change, pending, giver, body.cancelOnDisconnect, fresh);
};

function resumeWhenComplete(
  change: Change,
  pending: readonly Pending[],
  giver: Giver,
  cancelOnDisconnect: boolean | undefined,
  fresh: readonly Answer[],
): ReturnType<Handler<'answers'>> {
  const { sql, now } = change.context;
  const staged = currentAnswers(sql).filter((row) => row.state === 'staged');
  if (staged.length === pending.length) {
    const all = staged.map((row) => row.answer);
    return admit(change, { start: { kind: 'answers', answers: all }, ...giver, cancelOnDisconnect });
  }
  updateSession(sql, { updated: now() });
  change.work.emit(stateEvent({ staged: stagedAnswers(sql) }));
  return accepted({ run: null, staged: fresh.map((answer) => answer.callId) });
}

function denyTheRest({ context }: Change, pending: readonly Pending[], giver: Giver): void {
  for (const item of pending) {
    if (readAnswer(context.sql, item.call.id)?.state === 'staged') continue;
    const decisions = Object.fromEntries(item.needs.map((need) => [need.id, deny('not answered')]));
    const answer: Answer = { callId: item.call.id, decisions, values: {} };
    putAnswer(context.sql, { answer, state: 'staged', by: giver.actor, at: context.now() });
  }
}

/** The refusal of a later answer, with the one that was taken. */
function alreadyAnswered({ context }: Change, callId: string): Problem | null {
  const row = readAnswer(context.sql, callId);
  if (row === undefined || row.state === 'unapplied') return null;
  const { decisions, values } = row.answer;
  const decided = JSON.parse(JSON.stringify({ callId, decisions, values, by: row.by, at: row.at }));
  return { code: 'already_answered', detail: `The call ${callId} was answered already.`, decided };
}

/** Both forms as a list: the seeds' answers, or values nested by call and need (PAUSE-24). */
function listOf(given: GivenAnswers): readonly GivenAnswer[] {
  if (Array.isArray(given)) return given;
  return Object.entries(given as { readonly [callId: string]: { readonly [needId: string]: Json } }).map(([callId, needs]) => {
    const entries = Object.entries(needs);
    const decisions = entries.flatMap(([need, value]) => {
      const parsed = decision.safeParse(value);
      return parsed.success ? [[need, parsed.data] as const] : [];
    });
    const values = entries.filter(([need]) => !decisions.some(([decided]) => decided === need));
    return { callId, decisions: Object.fromEntries(decisions), values: Object.fromEntries(values) };
  });
}

function check(pending: readonly Pending[], given: GivenAnswer): Outcome<Answer> {
  const item = pending.find((waiting) => waiting.call.id === given.callId);
  if (item === undefined) return refused('answer_invalid', `No call that waits has the id ${given.callId}.`);
  const decisions: { [needId: string]: Decision } = {};
  for (const [needId, { allowed, reason, ...more }] of Object.entries(given.decisions)) {
    if (more.scope === 'session' || more.input !== undefined || more.stop !== undefined) {
      return refused(
        'unsupported_option',
        'This version decides one call at a time, as it stands: leave scope, input and stop out.',
      );
    }
    decisions[needId] = { allowed, reason: reason ?? null };
  }
  const answer: Answer = { callId: given.callId, decisions, values: given.values };
  const problem = checkAnswer(item, answer);
  return problem === null ? accepted(answer) : refused(problem.code, problem.message);
}

import { notRun, type Outcome as CallOutcome, resultsId, resultsMessage, toolCalls } from '../../core/index.ts';
import type { Change } from '../context.ts';
import { type Actor, accepted, refused, type StateChange, type StoredMessage } from '../protocol/index.ts';
import { stateEvent } from '../recorder.ts';
import { coreMessage, newestMessages, putMessage } from '../rows/messages.ts';
import { markAnswers, putAnswer, readPending, replacePending } from '../rows/pending.ts';
import { updateSession } from '../rows/session.ts';
import { type Handler, locked } from './command.ts';

/** `pending/deny-all`: denies every waiting call and ends its step, without asking the model (CANC-15). */
export const denyAll: Handler<'deny_all'> = (change, body, { actor }) => {
  const { status } = change.context.view();
  if (status === 'running') return locked();
  if (status !== 'awaiting_input') return refused('nothing_pending', 'No call waits for an answer.');
  change.work.emit(stateEvent({ ...settleDenied(change, body.reason ?? null, actor), status: 'idle' }));
  updateSession(change.context.sql, { updated: change.context.now() });
  return accepted(null);
};

/** Gives every waiting call the result of a denial, which closes their step; gives what changes in the snapshot. */
export function settleDenied({ context }: Change, reason: string | null, by: Actor): StateChange {
  const { sql } = context;
  const { thread } = context.row();
  const pending = readPending(sql);
  // The conversation ends with the step that waits: the calls, and the results there are so far.
  const messages = newestMessages(sql, 2);
  const assistant = messages.findLast((message) =>
    toolCalls(message).some((call) => pending.some((item) => item.call.id === call.id)),
  );
  if (assistant === undefined) throw new Error('The pending calls belong to no message of the thread.');
  const denial = { allowed: false, reason };
  const outcomes = new Map<string, CallOutcome>(
    pending.map((item) => [item.call.id, notRun.denied(reason === null ? [] : [reason])]),
  );
  const existing = messages.find((message) => message.id === resultsId(assistant.id));
  const results = resultsMessage(coreMessage(assistant), existing, outcomes);
  const now = context.now();
  const stored: StoredMessage[] = results === null ? [] : [{ run: assistant.run, created: now, ...results }];
  for (const message of stored) putMessage(sql, thread, message);
  for (const item of pending) {
    const decisions = Object.fromEntries(item.needs.map((need) => [need.id, denial]));
    const answer = { callId: item.call.id, decisions, values: {} };
    putAnswer(sql, { answer, state: 'staged', by, at: now });
  }
  markAnswers(sql, 'applied');
  replacePending(sql, []);
  return { messages: stored, pending: [], staged: [] };
}

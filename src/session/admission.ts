import { type Answer, type Message, resumed, textOf } from '../core/index.ts';
import type { CommandResult } from './api.ts';
import { warnOfLeftOut } from './attachments.ts';
import type { Choice } from './choice.ts';
import type { Change } from './context.ts';
import {
  accepted,
  type Actor,
  formatCursor,
  type Outcome,
  type PartialReply,
  type StateChange,
  type StoredMessage,
} from './protocol/index.ts';
import { beatInterval } from './alarms.ts';
import { putAlarm } from './rows/alarms.ts';
import { newestPosition, putMessage } from './rows/messages.ts';
import { closePartial } from './rows/partials.ts';
import { insertRun, newestEnded, openRun, type RunInput, type RunRow } from './rows/runs.ts';
import { updateSession } from './rows/session.ts';
import { cutText, stagedAnswers } from './state.ts';

/** The longest title cut from a first message, in characters. */
const titleLimit = 60;

/** What a run is to be admitted with. */
export interface Admission {
  readonly start:
    | { readonly kind: 'message'; readonly message: Message; readonly isNew: boolean }
    | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
    | { readonly kind: 'resume'; readonly edit: Message; readonly rev: number };
  readonly actor: Actor;
  readonly command: string | null;
  readonly cancelOnDisconnect?: boolean | undefined;
  readonly maxSteps?: number | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Snapshot fields that change with it. */
  readonly changes?: StateChange;
}

/**
 * Admits a run: its row, which is the guard of the session until the run ends (LOCK-05), its message, its alarm and the event that tells of it are one transaction, and the run starts when that is
 * committed. The caller has checked that none runs. Gives the receipt, whose cursor stands before the run's turn_started; refuses when the
 * configuration makes no agent.
 */
export function admit(change: Change, admission: Admission): Outcome<CommandResult> {
  const { context, work } = change;
  const { sql } = context;
  const { start } = admission;
  const session = context.row();
  const choice = choiceOf(change, admission);
  const agent = context.agents.resolve(choice);
  if (!agent.ok) return agent;
  const now = context.now();
  if (openRun(sql) !== undefined) throw new Error('A run was admitted while another runs.');
  const run = insertRun(sql, {
    ...context.life,
    id: context.mintId('run'),
    turn: session.turn + 1,
    thread: session.thread,
    command: admission.command,
    input: inputOf(start),
    actor: admission.actor,
    choice,
    cancelOnDisconnect: admission.cancelOnDisconnect ?? false,
    started: now,
    seq: work.seq(),
    position: newestPosition(sql),
  });
  putAlarm(sql, 'run', now + beatInterval);
  updateSession(sql, { turn: run.turn, updated: now });
  const changes = startChanges(change, admission, run);
  const messages = [...(admission.changes?.messages ?? []), ...(changes.messages ?? [])];
  work.emit({
    type: 'state',
    run: null,
    turn: null,
    parent: null,
    ...changes,
    ...admission.changes,
    ...(messages.length === 0 ? {} : { messages }),
    status: 'running',
  });
  if (start.kind === 'message') warnOfLeftOut(work, run, start.message, agent.value);
  work.after(() => context.alarms.arm());
  work.after(() => context.runner.start(run));
  return accepted({ run: run.id, turn: run.turn, cursor: formatCursor({ epoch: session.epoch, seq: work.seq() }) });
}

/**
 * What the run is played with. One that goes on from the turn before keeps that one's narrowed tools and step limit (SESS-11); one that answers a
 * pause keeps its mode and model too, whatever was chosen meanwhile (G-1).
 */
function choiceOf({ context }: Change, { start, maxSteps, tools }: Admission): Choice {
  const { mode, model, thread, maxSteps: own } = context.row();
  const goesOn = start.kind !== 'message' || !start.isNew;
  const before = goesOn ? newestEnded(context.sql, thread)?.row.choice : undefined;
  if (start.kind === 'answers' && before !== undefined) return before;
  return { mode, model, maxSteps: maxSteps ?? before?.maxSteps ?? own, tools: tools ?? before?.tools ?? null };
}

function inputOf(start: Admission['start']): RunInput {
  if (start.kind === 'message') return { kind: 'message', messageId: start.message.id };
  return start;
}

function startChanges(change: Change, { start, actor }: Admission, run: RunRow): StateChange {
  const { context } = change;
  if (start.kind === 'answers') return { staged: stagedAnswers(context.sql) };
  if (start.kind === 'resume') {
    closePartial(context.sql, 'resumed');
    return { partial: null, step: resumed(context.view(), start.edit).step };
  }
  const left = leaveBehind(change);
  if (!start.isNew) return left;
  const message: StoredMessage = { ...start.message, run: run.id, created: context.now(), by: actor };
  putMessage(context.sql, run.thread, message);
  return { ...left, messages: [message], ...titleChange(change, start.message) };
}

/** The open partial is left behind by a turn that does not go on from it: no longer offered, still shown (C-2). */
export function leaveBehind({ context }: Change): { readonly partial: null; readonly left?: readonly PartialReply[] } {
  const { partial } = context.view();
  closePartial(context.sql, 'left');
  return partial === null ? { partial: null } : { partial: null, left: [partial] };
}

/** A session without a title is called after its first message; no model is asked for one. */
function titleChange({ context }: Change, message: Message): StateChange {
  if (context.row().title !== '') return {};
  const title = cutText(textOf(message), titleLimit);
  updateSession(context.sql, { title });
  return { title };
}

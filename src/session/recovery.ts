import { noUsage, type Reason, resumed, type StepView } from '../core/index.ts';
import type { Change } from './context.ts';
import type { LostRun } from './lost.ts';
import { countReply, hasCome } from './metering.ts';
import { keptReply } from './partial.ts';
import type { PartialReply, StateChange } from './protocol/index.ts';
import { lostTurn, Recorder, stateEvent } from './recorder.ts';
import { lastPartialCalls, putLeft } from './rows/partials.ts';
import type { Life, RunRow } from './rows/runs.ts';
import { updateSession } from './rows/session.ts';
import { readStop } from './rows/stops.ts';

/** So many lives may die on a run without its getting on; then it ends as failed. */
export const deathLimit = 3;

/** The reason of the `message_discarded` of a reply that is asked for again. */
const recovered = 'recovered';

/**
 * True when the end of the life that played a run counts as a death. A deploy and an eviction do not: after the first another release runs,
 * and in the second, unlike in a crash, the sockets stay.
 */
export function isDeath(run: RunRow, life: Life, sockets: number): boolean {
  return run.build === life.build && sockets === 0;
}

/**
 * Goes on with a run that was played by a life of the object that is over, or ends it where that life had done all but say so. Deltas may have
 * been sent that were not stored, so the epoch changes in the same transaction. A stop that was accepted holds; a pause that was stored is one;
 * a run on which too many lives died has failed.
 */
export function recover(change: Change, run: RunRow, lost: LostRun): void {
  const { context } = change;
  updateSession(context.sql, { epoch: context.row().epoch + 1 });
  const end = endOf(change, run, lost);
  if (end === null) goOn(change, run, lost);
  else close(change, run, lost, end);
}

/** How the run ends without going on; null when it goes on. */
function endOf({ context }: Change, run: RunRow, lost: LostRun): Reason | null {
  if (lost.paused) return 'awaiting_input';
  const stop = readStop(context.sql, run.id, run.command);
  if (stop !== undefined) return stop.kind === 'cancel' ? 'cancelled' : 'interrupted';
  return run.deaths >= deathLimit ? 'failed' : null;
}

function close(change: Change, run: RunRow, lost: LostRun, reason: Reason): void {
  if (lost.view !== null && isAsked(lost)) discard(change, run, lost.view, lostTurn);
  count(change, run, lost);
  const failure = reason === 'failed' ? ({ class: lostTurn, kind: 'transport_error' } as const) : null;
  new Recorder(change.context, run).close(change, reason, failure);
}

/** The reply that was streaming is shown to people and does not count; its step is asked again. Whatever else is stored stands. */
function goOn(change: Change, run: RunRow, lost: LostRun): void {
  const { context, work } = change;
  if (lost.started) {
    work.emit({
      type: 'warning',
      run: run.id,
      turn: run.turn,
      parent: null,
      code: recovered,
      detail: 'The machine that played this turn was lost. The turn goes on where it was.',
    });
  }
  if (lost.view !== null && lost.reply === null && isAsked(lost)) {
    discard(change, run, lost.view, recovered);
    count(change, run, lost);
    const changes = { ...leave(change, run, lost), ...editAgain(change, run, lost) };
    if (Object.keys(changes).length > 0) work.emit(stateEvent(changes));
  }
  work.after(() => context.runner.start(run, lost));
}

/** True within a step for which the model was asked: not in step 0, whose message is stored. */
function isAsked(lost: LostRun): boolean {
  return lost.begun !== null && lost.begun > 0;
}

function discard({ work }: Change, run: RunRow, { id }: StepView, reason: string): void {
  work.emit({ type: 'message_discarded', run: run.id, turn: run.turn, parent: null, id, reason });
}

/** Counts a reply that was streaming: what it took is not known, since a provider says that at the end. */
function count({ context }: Change, run: RunRow, { view, asked }: LostRun): void {
  if (view === null || view.attributes !== null || !hasCome(view, run)) return;
  const agent = context.agents.resolve(run.choice);
  if (!agent.ok) return;
  const { models } = agent.value;
  const model = models.find(({ description }) => description.name === asked?.model) ?? models[0];
  countReply(context.sql, run, model, { id: view.id, whole: false, usage: noUsage }, context.now());
}

/** Keeps what a person saw of the reply, to be read; an edit to which nothing was added is there already. */
function leave({ context }: Change, run: RunRow, lost: LostRun): StateChange {
  if (lost.view === null) return {};
  const message = keptReply(lost.view);
  const edit = run.input.kind === 'resume' && lost.done === null ? run.input.edit : null;
  const same = edit !== null && JSON.stringify(edit.content) === JSON.stringify(message.content);
  if (message.content.length === 0 || same) return {};
  const after = context.view().messages.at(-1)?.id ?? null;
  const partial: PartialReply = { run: run.id, message, rev: 1, by: null, after, created: context.now() };
  const calls = edit === null ? {} : lastPartialCalls(context.sql, edit.id);
  putLeft(context.sql, run.thread, partial, calls);
  return { left: [partial] };
}

/** The edit that the step goes on from is in progress again, as at the admission. */
function editAgain({ context }: Change, run: RunRow, lost: LostRun): StateChange {
  if (run.input.kind !== 'resume' || lost.done !== null) return {};
  return { step: resumed(context.view(), run.input.edit).step };
}

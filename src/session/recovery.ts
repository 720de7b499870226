import type { Reason } from '../core/index.ts';
import { runGuard } from './admission.ts';
import type { Change } from './context.ts';
import { applyEvent, type SessionEvent, type Snapshot } from './protocol/index.ts';
import { lostTurn, Recorder } from './recorder.ts';
import { takeGuard } from './rows/guard.ts';
import type { RunRow } from './rows/runs.ts';
import { updateSession } from './rows/session.ts';
import { readStop } from './rows/stops.ts';

/** What the stored events say of a run that was lost: the step that was in progress, and whether the run had paused. */
export interface LostRun {
  readonly step: Snapshot['step'];
  readonly paused: boolean;
}

/** Reads a lost run's events, from its admission on. */
export function readLost(snapshot: Snapshot, run: RunRow, events: Iterable<SessionEvent>): LostRun {
  let view: Snapshot = { ...snapshot, seq: run.seq, step: null };
  let paused = false;
  for (const event of events) {
    view = applyEvent(view, event);
    if (event.type === 'input_requested' && event.parent === null) paused = true;
  }
  return { step: view.step, paused };
}

/**
 * Ends a run that was played by a life of the object that is over. Deltas may have been sent that were not stored, so the epoch changes
 * in the same transaction, and the dead life's guard is taken over. A stop that was accepted holds; a pause that was stored is one; anything else has failed.
 */
export function endLost(change: Change, run: RunRow, lost: LostRun): void {
  const { context, work } = change;
  updateSession(context.sql, { epoch: context.row().epoch + 1 });
  takeGuard(context.sql, runGuard, { owner: run.id, incarnation: context.incarnation }, context.now());
  if (lost.step !== null && !context.view().messages.some((message) => message.id === lost.step?.id)) {
    work.emit({ type: 'message_discarded', run: run.id, turn: run.turn, parent: null, id: lost.step.id, reason: lostTurn });
  }
  const stop = readStop(context.sql, run.id, run.command);
  const stopped: { readonly [kind: string]: Reason } = { cancel: 'cancelled', interrupt: 'interrupted' };
  const reason = lost.paused ? 'awaiting_input' : (stopped[stop?.kind ?? ''] ?? 'failed');
  const failure = reason === 'failed' ? ({ class: lostTurn, kind: 'transport_error' } as const) : null;
  new Recorder(context, run, { messages: () => [], ended: () => null }).close(change, reason, failure);
}

import { notRun, type Outcome, type Tool, type ToolCallPart, type TurnPoint, type WaitingMessage } from '../core/index.ts';
import type { LostRun } from './lost.ts';
import type { CallsSoFar } from './rows/calls.ts';
import type { RunRow } from './rows/runs.ts';

/**
 * The outcomes of calls that began before: one that had settled keeps its result, one that had only begun is unknown unless it may run twice
 * (INTR-19). Calls that are in no list run.
 */
export function settledCalls(
  tools: readonly Tool[],
  parts: readonly ToolCallPart[],
  calls: CallsSoFar,
): ReadonlyMap<string, Outcome> {
  const settled = new Map<string, Outcome>();
  for (const part of parts) {
    if (!Object.hasOwn(calls, part.id)) continue;
    const hints = tools.find((tool) => tool.spec.name === part.name)?.spec.hints;
    const outcome = calls[part.id] ?? null;
    if (outcome !== null) settled.set(part.id, outcome);
    else if (hints?.readOnly !== true && hints?.idempotent !== true) settled.set(part.id, notRun.outcomeUnknown);
  }
  return settled;
}

/** Where a lost run goes on, and with what waiting to land (RUN-04). */
export function pointOf(row: RunRow, lost: LostRun, waiting: readonly WaitingMessage[]): TurnPoint {
  const { input } = row;
  const isFirst = lost.done === null;
  const { settled, asked, decided } = lost.calls;
  return {
    turn: row.turn,
    step: lost.begun ?? (isFirst ? firstStep(row) : lost.done + 1),
    usage: lost.usage,
    retries: row.retries,
    finish: lost.finish,
    appended: [...(input.kind === 'message' ? [input.messageId] : []), ...lost.appended],
    waiting,
    ...(lost.after === null ? {} : { after: lost.after }),
    ...(lost.begun === null ? {} : { begun: { settled, asked, decided, ...(lost.reply === null ? {} : { reply: lost.reply }) } }),
    ...(isFirst && input.kind === 'answers' ? { answers: input.answers } : {}),
    ...(isFirst && input.kind === 'resume' ? { edit: input.edit } : {}),
  };
}

function firstStep({ input }: RunRow): number {
  return input.kind === 'answers' ? 0 : 1;
}

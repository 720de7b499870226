import { isObject, type Json } from '../../core/json.ts';
import type { SessionEvent, Snapshot } from '../../session/protocol/wire.ts';
import { editsDone, type FileEdit } from '../lib/file-edits.ts';
import { isLarge } from '../lib/large.ts';

/** What a call reported for the application, beside what the model read of it: no message keeps it, so only who was there knows it. */
export interface Report {
  readonly callId: string;
  readonly value: Json;
}

/** The reports of changed files with that of this event, if it is one. */
export function withReport(reports: readonly Report[], event: SessionEvent): readonly Report[] {
  if (event.type !== 'tool_ended' || event.parent !== null || 'class' in event.outcome) return reports;
  const { value } = event.outcome;
  return tellsOfFiles(value) ? [...reports, { callId: event.id, value }] : reports;
}

/** The reports with those that a snapshot's step in progress still holds. */
export function withStepOf(reports: readonly Report[], { step }: Snapshot): readonly Report[] {
  const known = new Set(reports.map((report) => report.callId));
  const held = (step?.calls ?? []).flatMap(({ id, outcome }): Report[] =>
    outcome === null || 'class' in outcome || known.has(id) || !tellsOfFiles(outcome.value)
      ? []
      : [{ callId: id, value: outcome.value }],
  );
  return held.length === 0 ? reports : [...reports, ...held];
}

function tellsOfFiles(value: Json): boolean {
  return isObject(value) && (Array.isArray(value.changes) || isLarge(value));
}

/** Gives the changes of files by call; those of a report that was there before are the same objects. */
export function editsReader(): (reports: readonly Report[]) => ReadonlyMap<string, readonly FileEdit[]> {
  const known = new WeakMap<Report, readonly FileEdit[] | null>();
  const read = (report: Report): readonly FileEdit[] | null => {
    const before = known.get(report);
    if (before !== undefined) return before;
    const edits = editsDone(report.value);
    known.set(report, edits);
    return edits;
  };
  return (reports) =>
    new Map(
      reports.flatMap((report) => {
        const edits = read(report);
        return edits === null ? [] : [[report.callId, edits] as const];
      }),
    );
}

import { type Call, type Result, type ResultExtras, textResult } from '../../core/index.ts';
import { changedMeanwhile } from './current.ts';
import { deltasOf, type Edited } from './delta.ts';
import type { FileChange, Workspace } from './port.ts';
import type { Raw } from './raw.ts';
import { refusal } from './refuse.ts';

/** One file of a change, for the diff: what was there, and what will be; null for nothing. */
export interface Change {
  readonly path: string;
  readonly from: string | null;
  readonly before: { readonly hash: string; readonly raw: Raw | null } | null;
  readonly after: Raw | null;
}

/**
 * Makes the changes of a call, all or none, and gives the result: the text for the model, the deltas as `value` for the application (FILES-08 goes by the cause).
 * The model has then seen what it wrote.
 */
export async function commit(
  files: Workspace,
  call: Call,
  changes: readonly FileChange[],
  of: readonly Change[],
  text: string,
): Promise<Result> {
  const made = await files.change(changes, { call: call.id, turn: call.turn });
  if (!made.ok) {
    const { problem } = made;
    return refusal(problem.code === 'file_changed' ? changedMeanwhile(problem.path).problem : problem);
  }
  for (const entry of made.value) if (entry.kind === 'file') await files.saw(entry.path, entry.rev);
  const hashes = new Map(made.value.map((entry) => [entry.path, entry.hash]));
  const edited = of.map(({ after, ...one }): Edited => {
    return { ...one, after: after === null ? null : { hash: hashes.get(one.path) ?? '', raw: after } };
  });
  const extras: ResultExtras = { value: { changes: deltasOf(edited) } };
  return textResult(text, extras);
}

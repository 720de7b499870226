import type { FileOutcome, FileProblem } from '../tools/index.ts';

/** A refusal of the workspace. */
export function refused(
  code: FileProblem['code'],
  path: string,
  message: string,
): { readonly ok: false; readonly problem: FileProblem } {
  return { ok: false, problem: { code, path, message } };
}

/** Thrown inside a transaction to undo it; carries the refusal out. */
export class Refusal extends Error {
  readonly problem: FileProblem;

  constructor(code: FileProblem['code'], path: string, message: string) {
    super(message);
    this.problem = { code, path, message };
  }
}

/** What an action gives, or the refusal that it threw. */
export function outcomeOf<T>(act: () => T): FileOutcome<T> {
  try {
    return { ok: true, value: act() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** The value of an outcome. Throws its refusal. */
export function valueOf<T>(outcome: FileOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  const { code, path, message } = outcome.problem;
  throw new Refusal(code, path, message);
}

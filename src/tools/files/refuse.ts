import { errorResult, type Result } from '../../core/index.ts';
import type { FileProblem } from './port.ts';

/** Why a tool refused: the workspace's reasons, and those of the tools. `not_read`: the model has not seen the file; `not_text`: it is binary. */
export interface Refusal {
  readonly code: FileProblem['code'] | 'not_read' | 'not_text' | 'patch_refused';
  readonly path: string;
  readonly message: string;
}

/** An outcome without a value. */
export interface Refused {
  readonly ok: false;
  readonly problem: Refusal;
}

/** A value, or why a tool refused. */
export type Checked<T> = { readonly ok: true; readonly value: T } | Refused;

/** A refusal as the model reads it; the logs get its code. */
export function refusal({ code, path, message }: Refusal): Result {
  return errorResult(message, { meta: { code, path } });
}

/** A refusal by a tool. */
export function refuse(code: Refusal['code'], path: string, message: string): Refused {
  return { ok: false, problem: { code, path, message } };
}

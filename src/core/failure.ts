import { AllowanceError, MisuseError, ModelError } from './error.ts';
import type { ErrorKind, TurnError } from './event.ts';

/** Where an error came from: what was called at the end of a seam, or a middleware on the way. */
type Origin = 'model' | 'tool';

/** Why a turn failed. */
export interface Failure {
  readonly kind: ErrorKind;
  readonly error: Error;
}

/** Remembers which errors the model and the tools threw, so that what remains is a middleware's (FAIL-12). */
export class Origins {
  readonly #model = new WeakSet<Error>();
  readonly #tool = new WeakSet<Error>();

  /** Marks an error with its origin, and gives it back as an Error. */
  mark(thrown: unknown, origin: Origin): Error {
    const error = asError(thrown);
    (origin === 'model' ? this.#model : this.#tool).add(error);
    return error;
  }

  /** True when a tool threw it. */
  isTool(error: unknown): boolean {
    return error instanceof Error && this.#tool.has(error);
  }

  /** The failure that an error makes of a turn (FAIL-14, TOOL-22). */
  failure(thrown: unknown): Failure {
    const error = asError(thrown);
    if (error instanceof ModelError) return { kind: error.kind, error };
    if (this.#model.has(error)) return { kind: 'model_error', error };
    if (this.#tool.has(error)) return { kind: 'tool_error', error };
    return { kind: 'middleware_error', error };
  }
}

/** What events show of a failure: its kind, or the finer code of a misuse or a rule of the host. */
export function turnError(failure: Failure): TurnError {
  const { kind, error } = failure;
  const finer = error instanceof MisuseError || error instanceof AllowanceError;
  return { class: finer ? error.code : kind, message: error.message };
}

/** Anything thrown, as an Error. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

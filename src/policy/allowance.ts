import { AllowanceError, Cancelled, type ModelMiddleware, type Prompt } from '../core/index.ts';

/** Why a model is not to be asked: a stable code, a sentence that says what to do, and, where waiting helps, for how long, in ms. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly retryAfter?: number;
}

/** Says whether a model may be asked this: null when it may. Whoever makes it knows whose run it is. What it throws fails the turn. */
export type Ask = (prompt: Prompt) => Promise<Refusal | null>;

/**
 * Asks before each call of the model, so also before each that is tried again: what limits or charges calls stands here. Innermost of the model
 * middleware, since whatever stands inside could call without being asked about.
 * @throws AllowanceError with what was refused; Cancelled when the turn was stopped meanwhile.
 */
export function allowance(ask: Ask): ModelMiddleware {
  return {
    async *stream(prompt, next) {
      const refusal = await ask(prompt);
      if (prompt.cancel.aborted) throw new Cancelled();
      if (refusal !== null) throw new AllowanceError(refusal.code, refusal.detail, refusal.retryAfter);
      yield* next(prompt);
    },
  };
}

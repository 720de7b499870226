import type { Outcome } from './protocol/index.ts';

/** Thrown inside a transaction to undo it; carries the answer out. */
export class Undone {
  readonly outcome: Outcome<unknown>;

  constructor(outcome: Outcome<unknown>) {
    this.outcome = outcome;
  }
}

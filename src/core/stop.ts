import type { Message } from './message.ts';
import type { Usage } from './usage.ts';

/** What a stop predicate sees of the turn so far (LOOP-15). */
export interface TurnProgress {
  /** Model steps taken. */
  readonly steps: number;
  readonly messages: readonly Message[];
  readonly usage: Usage;
}

/** Asked at a boundary when another step would follow; true ends the turn as stopped (LOOP-06, STEER-18). */
export type StopPredicate = (turn: TurnProgress) => boolean;

/** Stops after n model steps. */
export function maxSteps(n: number): StopPredicate {
  return (turn) => turn.steps >= n;
}

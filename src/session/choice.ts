/** What a turn is to be played with; null is the default of each. `tools` can only narrow what the mode offers (SESS-11). */
export interface Choice {
  readonly mode: string | null;
  readonly model: string | null;
  readonly maxSteps: number | null;
  readonly tools: readonly string[] | null;
}

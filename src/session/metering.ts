import type { ConfiguredModel } from '../config/index.ts';
import type { StepView, Usage } from '../core/index.ts';
import type { StoredMessage } from './protocol/index.ts';
import type { RunRow } from './rows/runs.ts';
import { insertUsage } from './rows/usage.ts';

/** A reply, as far as it is counted. `whole`: it came to its end. `usage`: what its provider had counted by then, no tokens at all where it did not say. */
export interface CountedReply {
  readonly id: string;
  readonly whole: boolean;
  readonly usage: Usage;
}

/**
 * Puts down what a reply took, at the prices of the time `at` (ms), and gives what its message says of it. Counted is each reply that came whole, also where
 * its step is discarded later, and each that was cut off after something of it, or its tokens, had come: stopped, failed, or lost with its object. A reply
 * without tokens is one whose cost is not known. Not counted is a call that failed or was stopped before anything came of it.
 */
export function countReply(
  sql: SqlStorage,
  run: RunRow,
  { description, charge }: Pick<ConfiguredModel, 'description' | 'charge'>,
  { id, whole, usage }: CountedReply,
  at: number,
): Pick<StoredMessage, 'model' | 'cost'> {
  const { rates, cost } = charge(usage, at);
  const said = isNothing(usage) ? null : usage;
  const model = description.name;
  insertUsage(sql, { run: run.id, turn: run.turn, message: id, whole, model, usage: said, rates, cost, at });
  return { model, ...(cost === null ? {} : { cost }) };
}

/** True when something of a reply had come, or its tokens: an edit that it was to go on from is nothing of it. */
export function hasCome(step: StepView, { input }: RunRow): boolean {
  const edit = input.kind === 'resume' && input.edit.id === step.id ? input.edit.content : [];
  return JSON.stringify(step.content) !== JSON.stringify(edit);
}

/** What was used beyond a part of it. */
export function usageBeyond(all: Usage, part: Usage): Usage {
  return {
    input: all.input - part.input,
    output: all.output - part.output,
    cacheRead: all.cacheRead - part.cacheRead,
    cacheWrite: all.cacheWrite - part.cacheWrite,
  };
}

/** True for no tokens at all: no call takes none, so nobody counted them. */
export function isNothing(usage: Usage): boolean {
  return usage.input === 0 && usage.output === 0 && usage.cacheRead === 0 && usage.cacheWrite === 0;
}

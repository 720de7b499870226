import { defaultMode } from '../config/index.ts';
import { type Hints, toolCalls } from '../core/index.ts';
import type { PastCall } from './api.ts';
import type { SessionContext } from './context.ts';
import { newestMessages } from './rows/messages.ts';
import { readRun } from './rows/runs.ts';

/** How many of the newest messages are looked at, and how many characters their calls may have together. */
const messageLimit = 2000;
const sizeLimit = 4_000_000;

/**
 * The newest calls of the conversation, in order, at most `limit`: each as it was made, in the mode that it was made in, with what its tool says of itself now. A
 * tool that the mode does not have any more says nothing.
 */
export function pastCalls({ sql, agents }: SessionContext, limit: number): readonly PastCall[] {
  const hints = new Map<string, ReadonlyMap<string, Hints>>();
  const hintsIn = (mode: string): ReadonlyMap<string, Hints> => {
    const known = hints.get(mode);
    if (known !== undefined) return known;
    const agent = agents.resolve({ mode, model: null, maxSteps: null, tools: null });
    const found = new Map(agent.ok ? agent.value.tools.map(({ spec }) => [spec.name, spec.hints]) : []);
    hints.set(mode, found);
    return found;
  };
  const calls: PastCall[] = [];
  let size = 0;
  for (const message of newestMessages(sql, messageLimit).toReversed()) {
    const mode = (message.run === null ? undefined : readRun(sql, message.run)?.row.choice.mode) ?? defaultMode;
    for (const { id, name: tool, input } of toolCalls(message).toReversed()) {
      size += JSON.stringify(input).length;
      if (calls.length === limit || size > sizeLimit) return calls.toReversed();
      calls.push({ id, tool, input, mode, hints: hintsIn(mode).get(tool) ?? {} });
    }
  }
  return calls.toReversed();
}

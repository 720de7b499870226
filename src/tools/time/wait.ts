import * as z from 'zod';
import { Cancelled, type Clock, textResult, type Tool, tool } from '../../core/index.ts';

/** The longest wait of one call, in seconds: a turn is not held longer than a person would. */
export const longestWait = 300;

/**
 * The tool `wait {seconds}`: waits, and reports `{waited, seconds}` about once a second (TOOL-13). Read-only, so it runs
 * beside the other read-only calls of its step. A cancel ends it at once: it throws Cancelled (CANC-12).
 */
export function waitTool(clock: Clock): Tool {
  return tool({
    name: 'wait',
    description: `Waits for a number of seconds, then returns. Refuses more than ${longestWait} seconds, because the turn is held meanwhile: wait again if that was not enough.`,
    input: z.strictObject({
      seconds: z.number().min(0).max(longestWait).describe('How long to wait; fractions are allowed.'),
    }),
    hints: { readOnly: true, idempotent: true },
    async call({ seconds }, call) {
      const start = clock.now();
      const end = start + seconds * 1000;
      for (let now = start; now < end; now = clock.now()) {
        await clock.sleep(Math.min(1000, end - now), call.signal);
        if (call.isCancelled()) throw new Cancelled();
        await call.progress({ waited: Math.min(seconds, Math.round((clock.now() - start) / 1000)), seconds });
      }
      return textResult(`Waited ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`, { value: seconds });
    },
  });
}

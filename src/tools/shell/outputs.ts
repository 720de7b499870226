import * as z from 'zod';
import { errorResult, textResult, type Tool, tool } from '../../core/index.ts';

/** The whole outputs of the newest commands of which a model was shown less: a port, which the session implements on its rows (SHELL-24). */
export interface OutputStore {
  /** Keeps an output under the id of its call; the oldest ones may go. */
  keep(call: string, output: string): void | Promise<void>;
  /** The output that so many others have followed, 0 for the newest; null where none is kept. */
  read(back: number): string | null | Promise<string | null>;
}

/** How many bytes of an output are kept, and how many characters of it one reading gives. */
export const outputLimits = { keep: 1_048_576, page: 20_000 } as const;

/** The tool `read_output {back?, from?}`: reads what was cut out of the output of a command, or shortened in it (SHELL-24, SHRINK-02). Read-only. */
export function readOutputTool(outputs: OutputStore): Tool {
  return tool({
    name: 'read_output',
    description: `Reads the whole output of a command of the tool shell of which you were shown less: the middle was cut out, or it was compressed. Gives ${outputLimits.page} characters at a time and says where the rest begins. Outputs above ${outputLimits.keep} bytes are without their middle here too.`,
    input: z.strictObject({
      back: z.int().min(0).default(0).describe('Which of these outputs: 0 the newest, 1 the one before, and so on.'),
      from: z.int().min(0).default(0).describe('The character to begin at, counted from 0.'),
    }),
    hints: { readOnly: true, idempotent: true },
    async call({ back, from }) {
      const output = await outputs.read(back);
      if (output === null)
        return errorResult(back === 0 ? 'No output was cut so far.' : `No output is kept that ${back} others have followed.`);
      const points = [...output];
      if (from >= points.length) return errorResult(`The output has ${points.length} characters: begin at one of them.`);
      const end = Math.min(points.length, from + outputLimits.page);
      const where = `Characters ${from} to ${end - 1} of ${points.length}${end < points.length ? `; go on with from: ${end}` : ''}`;
      return textResult(`${where}\n${points.slice(from, end).join('')}`);
    },
  });
}

import * as z from 'zod';
import { type Call, errorResult, type JsonObject, type Result, textResult, type Tool, tool } from '../../core/index.ts';
import { MiddleCut, textOfKept } from './cut.ts';
import type { ShellDriver, ShellEnd, ShellOutcome } from './driver.ts';
import { outputLimits, type OutputStore } from './outputs.ts';
import { shrink } from './shrink.ts';

/** How long a command may run by default and at most, in seconds, and how many bytes of its output the model reads (SHELL-02). */
export interface ShellLimits {
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly maxOutput: number;
}

/** The limits where a mode sets none. */
const shellLimits: ShellLimits = { timeout: 120, maxTimeout: 600, maxOutput: 30_000 };

/** After so many characters the output is no longer reported while the command runs, since what is reported is stored. The result has its end. */
export const liveLimit = 262_144;

/** The tool `shell {command, timeout?}`: runs a command with bash and gives `Exit code N` and its output (SHELL-01 to SHELL-19). */
export function shellTool(driver: ShellDriver, outputs: OutputStore, limits: ShellLimits = shellLimits): Tool {
  return tool({
    name: 'shell',
    description: descriptionOf(driver, limits),
    input: z.strictObject({
      command: z.string().min(1).describe('What bash runs, as after `bash -c`.'),
      timeout: z
        .number()
        .positive()
        .optional()
        .describe(`How long it may run, in seconds; ${limits.timeout} when absent, ${limits.maxTimeout} at most.`),
    }),
    hints: { destructive: true, openWorld: true },
    async call({ command, timeout = limits.timeout }, call) {
      const seconds = Math.min(timeout, limits.maxTimeout);
      const [cut, whole] = [new MiddleCut(limits.maxOutput), new MiddleCut(outputLimits.keep)];
      const live = new LiveOutput(call);
      const outcome = await driver.run({
        command,
        id: call.id,
        turn: call.turn,
        timeout: Math.ceil(seconds * 1000),
        signal: call.signal,
        output: (bytes) => {
          cut.add(bytes);
          whole.add(bytes);
          return live.report(bytes);
        },
        notice: (text) => call.progress(text),
      });
      const kept = cut.kept();
      // The cut is the only cap: a command has one limit.
      const { text, before, after } = shrink(command, textOfKept(kept), { cap: Infinity });
      if (kept.cut > 0 || before !== null) await outputs.keep(call.id, textOfKept(whole.kept()));
      const shrunk = before === null || after === null ? {} : { shrunk: { before, after } };
      return resultOf(outcome, seconds, text, { driver: driver.name, bytes: cut.total, cut: kept.cut, ...shrunk });
    },
  });
}

function descriptionOf(driver: ShellDriver, { maxOutput }: ShellLimits): string {
  return [
    'Runs a command with bash, in the root of the workspace. Each call is a shell of its own: a `cd` or a variable does not reach the next one.',
    'Gives the exit code, then stdout and stderr as one text. stdin is empty.',
    `Of an output above ${maxOutput} bytes the middle is cut out, and that of some commands is compressed, which a note says: read_output has all of it.`,
    'When the shell ends, so does everything that it started: a server in the background does not outlive the call.',
    ...(driver.processes === null ? [] : ['What is to run on is started with process_start.']),
    driver.description,
  ].join(' ');
}

function resultOf({ end, remarks }: ShellOutcome, seconds: number, output: string, meta: JsonObject): Result {
  const text = [...remarks, verdict(end, seconds), output].filter((part) => part !== '').join('\n');
  if (end.how !== 'exited') return errorResult(text, { meta });
  return (end.code === 0 ? textResult : errorResult)(text, { value: end.code, meta });
}

function verdict(end: ShellEnd, seconds: number): string {
  switch (end.how) {
    case 'exited':
      return `Exit code ${end.code}`;
    case 'timeout':
      return `Timed out after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}: the command was killed, with everything that it had started.`;
    case 'cancelled':
      return 'Cancelled: the command was killed, with everything that it had started.';
    case 'refused':
      return `The command could not be started: ${end.reason} (its size is ${end.size} bytes).`;
    case 'lost':
      return `What ran the command is gone (${end.reason}): whether the command finished is not known.`;
  }
}

/** Reports output as it arrives (SHELL-05), a character that is split between two pieces as one. */
class LiveOutput {
  readonly #call: Call;
  readonly #decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });
  #left = liveLimit;

  constructor(call: Call) {
    this.#call = call;
  }

  async report(bytes: Uint8Array): Promise<void> {
    if (this.#left <= 0) return;
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#left -= text.length;
    if (text !== '') await this.#call.progress(text);
    if (this.#left <= 0) await this.#call.progress('\n[the rest is not shown while it comes]\n');
  }
}

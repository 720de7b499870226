import type { EndedRun } from '../../src/session/protocol/index.ts';

/** What the process says when it ends; scripts rely on these. */
export const exitCode = {
  /** The turn is done. */
  done: 0,
  /** The turn failed. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** A call waits for an answer, and nobody is here to give it. */
  waiting: 3,
  /** The turn was stopped: by its step limit, by a cancel or by an interrupt. */
  stopped: 4,
  /** The server refused, or cannot be reached. */
  refused: 5,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** How a run that is over ends the process. */
export function codeOf({ reason }: EndedRun): ExitCode {
  if (reason === 'done') return exitCode.done;
  if (reason === 'failed') return exitCode.failed;
  return reason === 'awaiting_input' ? exitCode.waiting : exitCode.stopped;
}

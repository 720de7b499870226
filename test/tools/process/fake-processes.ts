import type {
  KnownProcess,
  NoSuchProcess,
  ProcessCommand,
  ProcessDriver,
  ProcessOutput,
  ProcessStarted,
} from '../../../src/tools/index.ts';

/** What a driver of processes answers, where a test cares. */
export interface FakeAnswers {
  readonly start?: ProcessStarted;
  readonly logs?: ProcessOutput | NoSuchProcess;
  readonly stop?: KnownProcess | NoSuchProcess;
}

/** A driver that answers what it was given, and keeps what it was asked. */
export function fakeProcesses(answers: FakeAnswers = {}): ProcessDriver & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    start: async ({ command }: ProcessCommand) => {
      asked.push(command);
      return answers.start ?? { process: 'p1', remarks: [] };
    },
    logs: async (...what) => {
      asked.push(what);
      return answers.logs ?? { others: [] };
    },
    stop: async (process) => {
      asked.push(process);
      return answers.stop ?? { others: [] };
    },
  };
}

import type {
  KnownProcess,
  NoSuchProcess,
  ProcessCommand,
  ProcessDriver,
  ProcessEnd,
  ProcessOutput,
  ProcessStarted,
} from '../../tools/index.ts';
import type { EndFrame, ProcessState } from '../wire/index.ts';
import { type BoxClient, exitCode, type UnknownProcess } from './client.ts';

/** Whether the box was made ready for a command, and what is to be said of it. */
export interface Ready {
  readonly filled: boolean;
  readonly remarks: string[];
}

/** Why nothing runs where no box can be had. */
export const unstarted = 'the container could not be started';

/** A box that does not answer has ended, and with it all that ran there. */
const gone: UnknownProcess = { processes: [] };

/** Runs programs in a box beside its commands. */
export class BoxProcesses implements ProcessDriver {
  readonly #client: BoxClient;
  readonly #ready: (command: ProcessCommand) => Promise<Ready>;

  /** `ready` starts the box and brings it the files. */
  constructor(client: BoxClient, ready: (command: ProcessCommand) => Promise<Ready>) {
    this.#client = client;
    this.#ready = ready;
  }

  async start(command: ProcessCommand): Promise<ProcessStarted> {
    const { filled, remarks } = await this.#ready(command);
    if (command.signal.aborted) return { process: null, reason: 'the call was cancelled', remarks };
    if (!filled) return { process: null, reason: unstarted, remarks };
    const started = await this.#client.startProcess(command.command).catch(() => ({ reason: 'the container stopped' }));
    if ('reason' in started) return { process: null, reason: started.reason, remarks };
    return { process: started.id, remarks };
  }

  async logs(process: string, from: number | null, most: number): Promise<ProcessOutput | NoSuchProcess> {
    const log = await this.#client.processLog(process, from, most).catch(() => gone);
    return 'processes' in log ? missing(log) : { ...log, end: endOfProcess(log.end) };
  }

  async stop(process: string): Promise<KnownProcess | NoSuchProcess> {
    const stopped = await this.#client.stopProcess(process).catch(() => gone);
    return 'processes' in stopped ? missing(stopped) : known(stopped);
  }
}

function missing({ processes }: UnknownProcess): NoSuchProcess {
  return { others: processes.map(known) };
}

function known({ id, command, end }: ProcessState): KnownProcess {
  return { process: id, command, end: endOfProcess(end) };
}

/** A process has no time in which it must end. */
function endOfProcess(end: EndFrame | null): ProcessEnd | null {
  if (end === null) return null;
  return end.cancelled ? { how: 'stopped' } : { how: 'exited', code: exitCode(end) };
}

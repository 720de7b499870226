import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EndFrame,
  type LogPlace,
  processLimit,
  processLogLimit,
  type ProcessState,
  type RefusedFrame,
} from '../../src/sandbox/wire/index.ts';
import { type CommandInit, startCommand } from './command.ts';
import { ownPipe } from './pipe.ts';
import { Ring } from './ring.ts';

/** How long the last of an output is waited for once its process has ended, in ms: what has left the session may print on. */
const drainLimit = 1000;

/** What a process has printed, and how it goes on. */
export interface Logs {
  readonly state: ProcessState;
  readonly place: LogPlace;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Process {
  readonly id: string;
  readonly command: string;
  readonly log: Ring;
  readonly over: Promise<void>;
  end: EndFrame | null;
  cancel(): void;
}

/** The programs that run on beside the commands (SHELL-18): each is a shell with a session of its own, which is killed with it. */
export class Processes {
  /** Sets the names of this life of the box apart from those of another. */
  readonly #mark: string;
  readonly #all = new Map<string, Process>();
  readonly #sessions = new Set<number>();
  #count = 0;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** The sessions of those that run: the end of a command spares them. */
  get sessions(): ReadonlySet<number> {
    return this.#sessions;
  }

  /** Every one that runs, and the newest that have ended, the oldest first. */
  list(): readonly ProcessState[] {
    return [...this.#all.values()].map(stateOf);
  }

  /** Starts one. Gives a refusal when the system does not start it, or too many run. */
  async start(init: Pick<CommandInit, 'command' | 'cwd' | 'user' | 'env'>): Promise<ProcessState | RefusedFrame> {
    const { command } = init;
    if (this.#sessions.size >= processLimit) {
      return { reason: `${processLimit} processes run already, which is the most`, size: Buffer.byteLength(command) };
    }
    const running = await startCommand({ ...init, timeout: null, sweep: null }, ownPipe());
    if ('reason' in running) return running;
    this.#count += 1;
    const id = `p${this.#count}-${this.#mark}`;
    const log = new Ring(processLogLimit);
    this.#sessions.add(running.session);
    const printed = (async () => {
      for await (const bytes of running.output) log.add(bytes);
    })();
    const over = running.end.then(async (end) => {
      this.#sessions.delete(running.session);
      await Promise.race([printed, sleep(drainLimit, undefined, { ref: false })]);
      started.end = end;
      this.#forget();
    });
    const started: Process = { id, command, log, over, end: null, cancel: running.cancel };
    this.#all.set(id, started);
    return stateOf(started);
  }

  /** At most `most` bytes of what one has printed, from the place `from`; null: the last ones. Null for one that is not known. */
  logs(id: string, from: number | null, most: number): Logs | null {
    const found = this.#all.get(id);
    if (found === undefined) return null;
    const { log } = found;
    const read = log.read(from ?? log.total - most, most);
    return { state: stateOf(found), place: { from: read.from, first: log.first, total: log.total }, bytes: read.bytes };
  }

  /** Kills one with all of its session, and resolves when that has ended. Gives what it was before; null for one that is not known. */
  async stop(id: string): Promise<ProcessState | null> {
    const found = this.#all.get(id);
    if (found === undefined) return null;
    const before = stateOf(found);
    found.cancel();
    await found.over;
    return before;
  }

  #forget(): void {
    const ended = [...this.#all.values()].filter(({ end }) => end !== null);
    for (const { id } of ended.slice(0, -processLimit)) this.#all.delete(id);
  }
}

function stateOf({ id, command, end }: Process): ProcessState {
  return { id, command, end };
}

import type { ProcessDriver } from '../process/index.ts';

/** What a driver is told to run (SHELL-01 to SHELL-05). */
export interface ShellCommand {
  /** Given to bash as it stands. */
  readonly command: string;
  /** The id of the call: names what the run leaves behind, and tells runs apart. */
  readonly id: string;
  /** The turn that runs it; the journal of files keeps it with the changes. */
  readonly turn: number;
  /** How long it may run, in ms. */
  readonly timeout: number;
  /** Fires when the run is to be killed. */
  readonly signal: AbortSignal;
  /** Takes the bytes of stdout and stderr as they arrive, in their order; the driver reads no further until it resolves. */
  output(bytes: Uint8Array): Promise<void>;
  /** Tells those who watch of what is waited for, such as a container that starts. It is no output. */
  notice(text: string): Promise<void>;
}

/** How a command ended. Only a shell that ended by itself has an exit code; a shell that a signal ended has 128 and its number, as bash tells it. */
export type ShellEnd =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'timeout' }
  | { readonly how: 'cancelled' }
  /** It was not started: why, and the size of the command in bytes (SHELL-14). */
  | { readonly how: 'refused'; readonly reason: string; readonly size: number }
  /** What ran it is gone, so nobody knows how it ended: never an exit code. */
  | { readonly how: 'lost'; readonly reason: string };

/** What a run came to. `remarks` are sentences on what happened to files beside the command: what was not saved, what was lost before. */
export interface ShellOutcome {
  readonly end: ShellEnd;
  readonly remarks: readonly string[];
}

/**
 * What runs commands: a port, which `src/sandbox` implements. One command at a time; when `run` resolves, everything that the command started has
 * been killed (SHELL-15), but not the processes. It never rejects for what a command does.
 */
export interface ShellDriver {
  readonly name: 'container' | 'embedded' | 'local';
  /** Sentences for the model: where commands run, and what is missing there. */
  readonly description: string;
  /** What keeps programs running beside the commands (SHELL-18); null where nothing does. */
  readonly processes: ProcessDriver | null;
  run(command: ShellCommand): Promise<ShellOutcome>;
  /** Resolves once the files that ended commands changed are saved: what is read of the workspace before may be older. */
  settled(): Promise<void>;
}

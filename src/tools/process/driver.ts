/** What is to run on, and for whom. */
export interface ProcessCommand {
  /** Given to bash as it stands. */
  readonly command: string;
  /** The id of the call and its turn: what is saved of files before the start is told to be theirs. */
  readonly id: string;
  readonly turn: number;
  /** Fires when the call is cancelled: nothing is started then. */
  readonly signal: AbortSignal;
  /** Tells those who watch of what is waited for, such as a container that starts. */
  notice(text: string): Promise<void>;
}

/** Whether a process was started: its name, or null and why not. `remarks` are sentences on what was lost or not saved before. */
export type ProcessStarted =
  | { readonly process: string; readonly remarks: readonly string[] }
  | { readonly process: null; readonly reason: string; readonly remarks: readonly string[] };

/** How a process ended: by itself, with its exit code or 128 and the number of a signal; or because it was stopped. */
export type ProcessEnd = { readonly how: 'exited'; readonly code: number } | { readonly how: 'stopped' };

/** A process that runs (`end` is null), or has ended and is remembered. */
export interface KnownProcess {
  readonly process: string;
  readonly command: string;
  readonly end: ProcessEnd | null;
}

/** There is no process of that name: it never was, is forgotten, or is gone with its container. Those that there are. */
export interface NoSuchProcess {
  readonly others: readonly KnownProcess[];
}

/** A piece of what a process printed, stdout and stderr in their order. */
export interface ProcessOutput {
  readonly end: ProcessEnd | null;
  readonly bytes: Uint8Array;
  /** The place of its first byte in all that was printed. */
  readonly from: number;
  /** The place of the oldest byte that is still kept. */
  readonly first: number;
  /** How many bytes were printed in all. */
  readonly total: number;
}

/** What keeps programs running beside the commands of a session (SHELL-18): a port, which `src/sandbox` implements. It never rejects. */
export interface ProcessDriver {
  /** Starts bash on a command, on the files of the workspace as they are. */
  start(command: ProcessCommand): Promise<ProcessStarted>;
  /** At most `most` bytes from the place `from`, or from the oldest that is kept where that is later; null: the last ones. */
  logs(process: string, from: number | null, most: number): Promise<ProcessOutput | NoSuchProcess>;
  /** Kills a process and what it started. Gives what it was before; resolves when it has ended. */
  stop(process: string): Promise<KnownProcess | NoSuchProcess>;
}

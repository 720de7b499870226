import type { BashExecResult } from 'just-bash/browser';
import type { Clock } from '../../core/index.ts';
import type { ShellCommand, ShellDriver, ShellEnd, ShellOutcome, TrackedWorkspace } from '../../tools/index.ts';
import { saveChanges } from '../save.ts';
import { CommandFiles, root } from './files.ts';

/** As on Linux, in bytes. */
const commandLimit = 131_071;

/** How long a command that was stopped may take to notice, in ms; then it is left, without its files. */
const stopGrace = 150;

/** So many bytes of files may be held that a command wrote or changed. */
const filesLimit = 16_777_216;

/** So many bytes may pass through a pipe, or be printed: the interpreter takes many times as much memory, of which the isolate has 128 MB. */
const pipeLimit = 4_194_304;

/**
 * Keeps every loop short that never touches a file and so never lets others run: some hundred ms. Turns of a loop are counted by their commands; what is called
 * their number there also bounds the lines that a search looks at.
 */
const executionLimits = {
  maxCommandCount: 10_000,
  maxLoopIterations: 1_000_000,
  maxAwkIterations: 100_000,
  maxSedIterations: 10_000,
  maxJqIterations: 10_000,
  maxSourceBytes: 2 * commandLimit,
  maxStringLength: pipeLimit,
  maxOutputSize: pipeLimit,
  maxLiveBytes: 4 * pipeLimit,
  maxInputBytes: 4 * pipeLimit,
} as const;

const env = { HOME: root, USER: 'agent', PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TERM: 'dumb' };

/**
 * Runs commands in this isolate, with an interpreter of bash written in JavaScript over the session's files: the driver where no container is attached. Nothing
 * of it is loaded before the first command.
 */
export class EmbeddedDriver implements ShellDriver {
  readonly name = 'embedded';
  readonly description =
    'There is no container: an interpreter runs a subset of bash over the files of the workspace, with the usual text tools (grep, rg, find, sed, awk, jq, sort, diff and the like). There are no other programs: no node, python, git, make, package manager or compiler, and no network, so nothing can be built or tested here. Output comes at the end and is lost on a timeout. A script ends after 10,000 commands; files above 4 MiB cannot be read, and no more passes through a pipe. Only files in the workspace outlast the command. Output that is not text may come out wrong.';
  readonly processes = null;
  readonly #workspace: TrackedWorkspace;
  readonly #clock: Clock;

  constructor(workspace: TrackedWorkspace, clock: Clock) {
    this.#workspace = workspace;
    this.#clock = clock;
  }

  async run(command: ShellCommand): Promise<ShellOutcome> {
    const refused = refusal(command.command);
    if (refused !== null) return { end: refused, remarks: [] };
    const { Bash, InMemoryFs } = await import('just-bash/browser');
    const files = await CommandFiles.open(new InMemoryFs({}, { maxTotalBytes: filesLimit }), this.#workspace, pipeLimit);
    const bash = new Bash({ fs: files, cwd: root, env, executionLimits });
    const stopped = await this.#within(command, (signal) => {
      return bash.exec(`exec 2>&1; ${command.command}`, { rawScript: true, signal });
    });
    files.close();
    const end: ShellEnd = 'how' in stopped ? stopped : { how: 'exited', code: stopped.exitCode };
    if (!('how' in stopped)) await command.output(bytesOf(stopped));
    const unread = files.unread.map((path) => `${path} is larger than ${pipeLimit} bytes: this shell does not read it.`);
    return { end, remarks: [...unread, ...(await this.#save(files, command))] };
  }

  /** Nothing is saved behind a call. */
  async settled(): Promise<void> {}

  async #save(files: CommandFiles, { id, turn }: ShellCommand): Promise<readonly string[]> {
    const changes = await files.changes();
    if (!changes.ok) return [`Files were left as they were before the command: ${changes.reason}.`];
    return (await saveChanges(this.#workspace, changes.value, { call: id, turn })).remarks;
  }

  /** What an execution gives, or why it was stopped. */
  async #within(
    { timeout, signal }: ShellCommand,
    execute: (signal: AbortSignal) => Promise<BashExecResult>,
  ): Promise<BashExecResult | ShellEnd> {
    const timer = new AbortController();
    const stop = AbortSignal.any([signal, timer.signal]);
    const over = new AbortController();
    const stopped = this.#clock.sleep(timeout, AbortSignal.any([signal, over.signal])).then(async (): Promise<ShellEnd> => {
      const how = signal.aborted ? 'cancelled' : 'timeout';
      timer.abort();
      await this.#clock.sleep(stopGrace, over.signal);
      return { how };
    });
    try {
      const result = await Promise.race([execute(stop), stopped]);
      return stop.aborted ? { how: signal.aborted ? 'cancelled' : 'timeout' } : result;
    } finally {
      over.abort();
    }
  }
}

function refusal(command: string): ShellEnd | null {
  const size = new TextEncoder().encode(command).length;
  if (size > commandLimit)
    return { how: 'refused', reason: `argument list too long, a command has at most ${commandLimit} bytes`, size };
  return command.includes('\0') ? { how: 'refused', reason: 'a command is text without NUL', size } : null;
}

/** stdout as the bytes it stands for, and behind it what came before the streams were joined: the complaint about a script that cannot be read. */
function bytesOf({ stdout, stdoutKind, stderr }: BashExecResult): Uint8Array {
  if (stdoutKind !== 'bytes') return new TextEncoder().encode(stdout + stderr);
  return Uint8Array.from(stdout, (character) => character.charCodeAt(0));
}

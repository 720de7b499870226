import { ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import type { EndFrame, RefusedFrame } from '../../src/sandbox/wire/index.ts';
import { kill, killAll, type Sweep, type Victims } from './kill.ts';
import type { Pipe } from './pipe.ts';
import type { User } from './user.ts';

/** What is to be run, and as whom. */
export interface CommandInit {
  readonly command: string;
  readonly cwd: string;
  /** In ms; null: it may run as long as it does. */
  readonly timeout: number | null;
  readonly user: User | null;
  readonly env: NodeJS.ProcessEnv;
  /** Whom its end kills beside its session. */
  readonly sweep: Sweep | null;
}

/** A command that runs. */
export interface RunningCommand {
  /** What it prints, stdout and stderr in their order; ends when nobody is left who could print. To leave it does not end the command. */
  readonly output: AsyncIterable<Uint8Array>;
  /** The number of its session. */
  readonly session: number;
  /** How the shell ended. */
  readonly end: Promise<EndFrame>;
  cancel(): void;
}

/** How long the output may stay silent and open when the shell has ended, in ms: without a user of their own a process that left the group is not found. */
const silence = 150;

/** Starts bash on a command, in a session of its own (SHELL-01, SHELL-04, SHELL-15); gives a refusal when the system does not start it (SHELL-14). */
export async function startCommand(init: CommandInit, pipe: Pipe): Promise<RunningCommand | RefusedFrame> {
  const child = await start(init, pipe.end).finally(() => closeSync(pipe.end));
  if (!(child instanceof ChildProcess)) {
    pipe.socket.destroy();
    return child;
  }
  const victims: Victims = { leader: leaderOf(child), sweep: init.sweep };
  let why: 'timeout' | 'cancel' | null = null;
  // Once the shell has ended its number may be another's.
  const killFor = (reason: 'timeout' | 'cancel'): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    why ??= reason;
    kill(victims);
  };
  const timer = init.timeout === null ? undefined : setTimeout(() => killFor('timeout'), init.timeout);
  const ended = exitOf(child).then(async ({ code, signal }): Promise<EndFrame> => {
    clearTimeout(timer);
    await killAll(victims);
    const number = signal === null ? null : constants.signals[signal];
    return { code, signal: number, timedOut: why === 'timeout', cancelled: why === 'cancel' };
  });
  return { output: outputOf(pipe.socket, ended), session: victims.leader, end: ended, cancel: () => killFor('cancel') };
}

async function start({ command, cwd, user, env }: CommandInit, output: number): Promise<ChildProcess | RefusedFrame> {
  const refused = (error: unknown): RefusedFrame => ({ reason: reasonOf(error), size: Buffer.byteLength(command) });
  try {
    const child = spawn('bash', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', output, output], ...user });
    const { promise, resolve } = Promise.withResolvers<ChildProcess | RefusedFrame>();
    child.once('spawn', () => resolve(child));
    child.once('error', (error) => resolve(refused(error)));
    return await promise;
  } catch (error) {
    return refused(error);
  }
}

function reasonOf(error: unknown): string {
  const errno: unknown = error instanceof Error && 'errno' in error ? error.errno : undefined;
  const known = typeof errno === 'number' ? getSystemErrorMap().get(errno) : undefined;
  if (known !== undefined) return `${known[1]} (${known[0]})`;
  return error instanceof TypeError ? 'a command is text without NUL' : 'the system did not say why';
}

function exitOf(child: ChildProcess): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** A child that was started leads the group and the session of its number. */
function leaderOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('A child that was started has no number.');
  return pid;
}

async function* outputOf(socket: Socket, exited: Promise<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = socket[Symbol.asyncIterator]();
  let over = false;
  let waiting: number | null = null;
  let watch: NodeJS.Timeout | undefined;
  void exited.then(() => {
    over = true;
    const looked = (): void => {
      if (socket.destroyed) clearInterval(watch);
      else if (waiting !== null && performance.now() - waiting >= silence) socket.destroy();
    };
    watch = setInterval(looked, silence / 3);
    watch.unref();
  });
  try {
    for (;;) {
      waiting = performance.now();
      const next = await chunks.next();
      waiting = null;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    if (!over) throw error;
  } finally {
    clearInterval(watch);
    socket.destroy();
  }
}

import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A pipe: what is written to `end` is read from `socket`. */
export interface Pipe {
  readonly socket: Socket;
  /** A file descriptor for the command; close it once the command has it. */
  readonly end: number;
}

/**
 * Makes pipes, all through one named one, so only one at a time. Node gives a child sockets, and two of them: the order of stdout and stderr would be
 * lost, and a command could not open /dev/stdout.
 */
export function pipes(): () => Pipe {
  const { path } = named();
  return () => open(path);
}

/** A pipe through a name of its own, for what prints beside others. */
export function ownPipe(): Pipe {
  const { folder, path } = named();
  try {
    return open(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function named(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'box-'));
  const path = join(folder, 'output');
  execFileSync('mkfifo', ['-m', '666', path]);
  return { folder, path };
}

function open(path: string): Pipe {
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const end = openSync(path, constants.O_WRONLY);
    return { socket: new Socket({ fd: reading, readable: true, writable: false }), end };
  } catch (error) {
    closeSync(reading);
    throw error;
  }
}

import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync } from 'node:fs';
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
 * Makes pipes, all through one named one. Node gives a child sockets, and two of them: the order of stdout and stderr would be lost, and a
 * command could not open /dev/stdout.
 */
export function pipes(): () => Pipe {
  const path = join(mkdtempSync(join(tmpdir(), 'box-')), 'output');
  execFileSync('mkfifo', ['-m', '666', path]);
  return () => {
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const end = openSync(path, constants.O_WRONLY);
      return { socket: new Socket({ fd: reading, readable: true, writable: false }), end };
    } catch (error) {
      closeSync(reading);
      throw error;
    }
  };
}

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often, and how long apart in ms, it is looked for processes that are left; one that cannot die is the container's to end. */
const rounds = 100;
const pause = 2;

/** All processes of a user but for those of some sessions, which may change. */
export interface Sweep {
  readonly uid: number;
  readonly spared: ReadonlySet<number>;
}

/** Whose processes are meant: those of the group and of the session that a shell leads and, where given, those of a user, since a child may have left both. */
export interface Victims {
  readonly leader: number;
  readonly sweep: Sweep | null;
}

/** Kills them. They may still be dying when it is done. */
export function kill(victims: Victims): void {
  signal(-victims.leader);
  for (const pid of living(victims)) signal(pid);
}

/** Kills them, and whoever they had begun meanwhile, until nobody is left (SHELL-15, SHELL-16). */
export async function killAll(victims: Victims): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    kill(victims);
    if (living(victims).length === 0) return;
    await sleep(pause);
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Those that still run; one that is dead and waits for its parent to take note does not. */
function living({ leader, sweep }: Victims): readonly number[] {
  const isMeant = new RegExp(`^(?:NSpgid|NSsid):\\t${leader}$`, 'm');
  const isSwept = sweep === null ? null : new RegExp(`^Uid:\\t${sweep.uid}\\t`, 'm');
  const isSpared = (status: string): boolean => sweep?.spared.has(Number(/^NSsid:\t(\d+)$/m.exec(status)?.[1])) === true;
  return processes()
    .filter((pid) => {
      const status = statusOf(pid);
      if (/^State:\t[ZX]/m.test(status)) return false;
      return isMeant.test(status) || (isSwept?.test(status) === true && !isSpared(status));
    })
    .map(Number);
}

/** None where the system does not tell (it is no Linux): the group alone is killed then. */
function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often, and how long apart in ms, it is looked for processes that are left; one that cannot die is the container's to end. */
const rounds = 100;
const pause = 2;

/** Whose processes are meant: those of a group and, where commands have a user of their own, all of that user, since a child may have left the group. */
export interface Victims {
  readonly group: number;
  readonly uid: number | null;
}

/** Kills them. They may still be dying when it is done. */
export function kill(victims: Victims): void {
  signal(-victims.group);
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
function living({ group, uid }: Victims): readonly number[] {
  const isMeant = new RegExp(`^(?:NSpgid:\\t${group}$${uid === null ? '' : `|Uid:\\t${uid}\\t`})`, 'm');
  return processes()
    .filter((pid) => {
      const status = statusOf(pid);
      return isMeant.test(status) && !/^State:\t[ZX]/m.test(status);
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

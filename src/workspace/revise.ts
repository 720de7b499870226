import { collect } from './bodies.ts';
import { forget, oldest, oldestKept } from './journal.ts';
import { workspaceLimits } from './limits.ts';
import { Refusal } from './problem.ts';
import { forgetGone, readTotals, type Totals, writeTotals } from './rows.ts';
import { type Growth, Tree } from './tree.ts';

/** What a transaction gives, and the revision that it made; null when nothing changed. */
export interface Committed<T> {
  readonly value: T;
  readonly rev: number | null;
}

/** What a revision did beside the files: the bytes of bodies that it added, and bodies that may be needed no more. */
export interface Bodies {
  added: number;
  readonly released: string[];
}

/** Deletions are forgotten once in so many revisions: counting them costs a read of each. */
const forgetEvery = 64;

/**
 * Makes one revision of the workspace, within a transaction of the caller's: everything that `act` writes, or nothing where it throws. The quotas hold after
 * each change, and what the journal keeps is cut to its limits.
 */
export function revise<T>(sql: SqlStorage, act: (tree: Tree, bodies: Bodies) => T): Committed<T> {
  const totals = readTotals(sql);
  const tree = new Tree(sql, totals.rev + 1, (growth, path) => checkQuota(totals, growth, path));
  const bodies: Bodies = { added: 0, released: [] };
  const value = act(tree, bodies);
  if (!tree.touched) return { value, rev: null };
  const files = totals.files + tree.growth.files;
  const bytes = totals.bytes + tree.growth.bytes;
  const trimmed = trim(sql, totals.stored + bodies.added - collect(sql, bodies.released), tree.rev);
  const forgotten = tree.rev % forgetEvery === 0 ? forgetGone(sql, workspaceLimits.gone) : null;
  writeTotals(sql, {
    rev: tree.rev,
    files,
    bytes,
    stored: trimmed.stored,
    forgotten: forgotten ?? totals.forgotten,
    forgottenTurn: Math.max(totals.forgottenTurn, trimmed.turn),
  });
  return { value, rev: tree.rev };
}

/** One that is over its quota, since the quota became smaller say, may still shrink. */
function checkQuota(totals: Totals, growth: Growth, path: string): void {
  if (growth.files > 0 && totals.files + growth.files > workspaceLimits.files) {
    throw new Refusal('quota_exceeded', path, `A workspace holds at most ${workspaceLimits.files} files: delete some first.`);
  }
  if (growth.bytes > 0 && totals.bytes + growth.bytes > workspaceLimits.bytes) {
    throw new Refusal(
      'quota_exceeded',
      path,
      `A workspace holds at most ${workspaceLimits.bytes} bytes: delete something first.`,
    );
  }
}

/**
 * Forgets the oldest changes beyond the limits, never a part of a revision and never one of `current`, which is being made. Gives the bytes of all bodies that
 * are left, and the newest turn of which a change was forgotten, 0 for none.
 */
function trim(sql: SqlStorage, stored: number, current: number): { readonly stored: number; readonly turn: number } {
  const kept = oldestKept(sql, workspaceLimits.changes);
  let [left, turn, forgetting] = [stored, 0, 0];
  for (let next = oldest(sql); next !== null && next.rev < current; next = oldest(sql)) {
    if (next.rev >= kept && next.rev !== forgetting && left <= workspaceLimits.stored) break;
    left -= collect(sql, forget(sql, next.id));
    turn = Math.max(turn, next.turn ?? 0);
    forgetting = next.rev;
  }
  return { stored: left, turn };
}

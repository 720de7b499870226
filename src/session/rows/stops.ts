import type { Actor } from '../protocol/index.ts';
import { readReceipt } from './receipts.ts';

/** How a run is told to stop. */
export type StopKind = 'cancel' | 'interrupt';

/** A stop that names its target: a run, or the command that starts it. */
export interface StopRow {
  readonly kind: StopKind;
  readonly actor: Actor;
}

/** Stores a stop before it is carried out, so that it holds across a crash. The first for a target stays, but a cancel outranks. */
export function putStop(sql: SqlStorage, target: string, stop: StopRow): void {
  sql.exec(
    `INSERT INTO stops (target, kind, actor) VALUES (?, ?, ?)
     ON CONFLICT (target) DO UPDATE SET kind = excluded.kind, actor = excluded.actor WHERE excluded.kind = 'cancel'`,
    target,
    stop.kind,
    JSON.stringify(stop.actor),
  );
}

/** True when the target is a run, or the command of one, that has ended: nothing is left to stop. */
export function isOver(sql: SqlStorage, target: string): boolean {
  const result = readReceipt(sql, target)?.result;
  const run = result && 'run' in result && result.run !== null ? result.run : target;
  return sql.exec("SELECT 1 FROM runs WHERE id = ? AND status = 'ended'", run).toArray().length > 0;
}

/** The stop for a run or its command; undefined when there is none. */
export function readStop(sql: SqlStorage, run: string, command: string | null): StopRow | undefined {
  const row = sql
    .exec('SELECT kind, actor FROM stops WHERE target IN (?, ?) ORDER BY kind LIMIT 1', run, command ?? run)
    .toArray()[0];
  return row === undefined ? undefined : { kind: row.kind as StopKind, actor: JSON.parse(row.actor as string) as Actor };
}

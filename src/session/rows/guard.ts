/** How long a guard holds without a renewal, in ms (LOCK-07). */
export const guardTime = 300_000;

/** Who asks for a guard: the work, and the incarnation of the object that does it. */
export interface Holder {
  readonly owner: string;
  readonly incarnation: string;
}

/**
 * Takes a guard, in the tick of the check (P1); false when another holds it (LOCK-02). A guard is taken over only on proof: its incarnation is
 * dead, or, for another holder than a living one of this incarnation, its expiry has passed (LOCK-10, C-17). Never reentrant (LOCK-06).
 */
export function takeGuard(sql: SqlStorage, name: string, holder: Holder, now: number): boolean {
  const held = sql.exec('SELECT incarnation FROM guard WHERE name = ?', name).toArray()[0];
  if (held?.incarnation === holder.incarnation) return false;
  // Whoever runs here is the only incarnation there is: the platform keeps one object alive at a time.
  sql.exec(
    `INSERT INTO guard (name, owner, incarnation, generation, expires) VALUES (?, ?, ?, 1, ?)
     ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, incarnation = excluded.incarnation, expires = excluded.expires,
       generation = guard.generation + 1`,
    name,
    holder.owner,
    holder.incarnation,
    now + guardTime,
  );
  return true;
}

/** Gives a guard back, only if it is still the one taken (LOCK-09). */
export function releaseGuard(sql: SqlStorage, name: string, holder: Holder): boolean {
  return (
    sql.exec('DELETE FROM guard WHERE name = ? AND owner = ? AND incarnation = ?', name, holder.owner, holder.incarnation)
      .rowsWritten > 0
  );
}

/** Renews a guard that is still the one taken (LOCK-15); false when it is not. */
export function renewGuard(sql: SqlStorage, name: string, holder: Holder, now: number): boolean {
  const renewed = sql.exec(
    'UPDATE guard SET expires = ? WHERE name = ? AND owner = ? AND incarnation = ?',
    now + guardTime,
    name,
    holder.owner,
    holder.incarnation,
  );
  return renewed.rowsWritten > 0;
}

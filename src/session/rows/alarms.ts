/** What an object's one alarm is for. */
export type AlarmName = 'run' | 'uploads';

/** Sets when something is due, in ms since 1970. */
export function putAlarm(sql: SqlStorage, name: AlarmName, due: number): void {
  sql.exec('INSERT INTO alarms (name, due) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET due = excluded.due', name, due);
}

/** Nothing of this name is due any more. */
export function dropAlarm(sql: SqlStorage, name: AlarmName): void {
  sql.exec('DELETE FROM alarms WHERE name = ?', name);
}

/** What is due at a time. */
export function dueAlarms(sql: SqlStorage, now: number): AlarmName[] {
  return sql
    .exec<{ name: AlarmName }>('SELECT name FROM alarms WHERE due <= ? ORDER BY due', now)
    .toArray()
    .map((row) => row.name);
}

/** When the earliest is due; null when nothing is. */
export function earliestAlarm(sql: SqlStorage): number | null {
  return sql.exec<{ due: number | null }>('SELECT min(due) AS due FROM alarms').one().due;
}

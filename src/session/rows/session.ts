import type { Json, Usage } from '../../core/index.ts';
import type { Actor } from '../protocol/index.ts';

/** The row of the session itself. `named`: a person gave the title. `maxSteps` null: the mode's own. Times in ms. */
export interface SessionRow {
  readonly title: string;
  readonly named: boolean;
  readonly mode: string;
  readonly model: string | null;
  readonly maxSteps: number | null;
  readonly epoch: number;
  readonly thread: number;
  readonly turn: number;
  readonly usage: Usage;
  /** USD; null when it is not wholly known. */
  readonly cost: number | null;
  readonly contextUsed: number;
  readonly created: number;
  readonly updated: number;
  readonly creator: Actor;
}

const columnOf: { readonly [K in keyof SessionRow]: string } = {
  title: 'title',
  named: 'named',
  mode: 'mode',
  model: 'model',
  maxSteps: 'max_steps',
  epoch: 'epoch',
  thread: 'thread',
  turn: 'turn',
  usage: 'usage',
  cost: 'cost',
  contextUsed: 'context_used',
  created: 'created',
  updated: 'updated',
  creator: 'creator',
};

/** The session's row; undefined when there is none. */
export function readSession(sql: SqlStorage): SessionRow | undefined {
  const row = sql.exec('SELECT * FROM session').toArray()[0];
  if (row === undefined) return undefined;
  return {
    title: row.title as string,
    named: row.named === 1,
    mode: row.mode as string,
    model: row.model as string | null,
    maxSteps: row.max_steps as number | null,
    epoch: row.epoch as number,
    thread: row.thread as number,
    turn: row.turn as number,
    usage: JSON.parse(row.usage as string) as Usage,
    cost: row.cost as number | null,
    contextUsed: row.context_used as number,
    created: row.created as number,
    updated: row.updated as number,
    creator: JSON.parse(row.creator as string) as Actor,
  };
}

/** Writes the first row. */
export function insertSession(sql: SqlStorage, row: SessionRow): void {
  const keys = Object.keys(columnOf) as (keyof SessionRow)[];
  const columns = keys.map((key) => columnOf[key]).join(', ');
  sql.exec(
    `INSERT INTO session (only, ${columns}) VALUES (1, ${keys.map(() => '?').join(', ')})`,
    ...keys.map((key) => cell(row[key])),
  );
}

/** Changes some fields of the row. */
export function updateSession(sql: SqlStorage, change: Partial<SessionRow>): void {
  const keys = Object.keys(change) as (keyof SessionRow)[];
  if (keys.length === 0) return;
  sql.exec(
    `UPDATE session SET ${keys.map((key) => `${columnOf[key]} = ?`).join(', ')}`,
    ...keys.map((key) => cell(change[key] ?? null)),
  );
}

/** Begins the next thread, behind every message that there is. */
export function beginThread(sql: SqlStorage, now: number): void {
  sql.exec(
    `UPDATE session SET thread = thread + 1, thread_start = (SELECT coalesce(max(position), 0) + 1 FROM messages),
       context_used = 0, updated = ?`,
    now,
  );
}

function cell(value: Json | Usage | Actor): SqlStorageValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

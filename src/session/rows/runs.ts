import type { Answer, Message } from '../../core/index.ts';
import type { Choice } from '../choice.ts';
import type { Actor, EndedRun } from '../protocol/index.ts';
import { spilled, unspilled } from './spill.ts';

/** What a run was started with: kept, so that it can be retried. */
export type RunInput =
  | { readonly kind: 'message'; readonly messageId: string }
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'resume'; readonly edit: Message; readonly rev: number };

/** A life of the object: its id, and the release that it runs. */
export interface Life {
  readonly incarnation: string;
  readonly build: string;
}

/**
 * A run that has not ended. While it is there no other can be admitted: it is the guard of the session (LOCK-01). Only the life that plays it
 * changes it; another life takes it over, which is right because the platform keeps one life at a time (LOCK-10, C-17).
 */
export interface RunRow extends Life {
  readonly id: string;
  readonly turn: number;
  readonly thread: number;
  readonly command: string | null;
  readonly input: RunInput;
  readonly actor: Actor;
  readonly choice: Choice;
  readonly cancelOnDisconnect: boolean;
  readonly started: number;
  /** The seq before the run's first event, its admission included. */
  readonly seq: number;
  /** The position of the newest message before the run's own. */
  readonly position: number;
  /** Which life plays it, counted from 1. */
  readonly generation: number;
  /** When the life that plays it last said that it lives, in ms. */
  readonly heartbeat: number;
  /** Lives that died since the run last got on. */
  readonly deaths: number;
  /** The turn's tool retries so far (TOOL-18). */
  readonly retries: number;
}

/** What a run is admitted with; the rest follows. */
export type NewRun = Omit<RunRow, 'generation' | 'heartbeat' | 'deaths' | 'retries'>;

/** Stores an admitted run, and gives its row. The caller has checked that no other runs. */
export function insertRun(sql: SqlStorage, run: NewRun): RunRow {
  const { id, turn, thread, command, input, actor, choice, cancelOnDisconnect, started, seq, position, incarnation, build } = run;
  sql.exec(
    `INSERT INTO runs (id, turn, thread, command, input, actor, choice, status, cancel_on_disconnect, started, seq, position,
       incarnation, build, heartbeat)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)`,
    id,
    turn,
    thread,
    command,
    spilled(sql, JSON.stringify(input)),
    JSON.stringify(actor),
    JSON.stringify(choice),
    cancelOnDisconnect ? 1 : 0,
    started,
    seq,
    position,
    incarnation,
    build,
    started,
  );
  return { ...run, generation: 1, heartbeat: started, deaths: 0, retries: 0 };
}

/** Gives a run to this life of the object, after the one that played it. `died`: whether that counts as a death. Gives the row as it is now. */
export function takeOver(sql: SqlStorage, run: RunRow, life: Life, died: boolean, now: number): RunRow {
  const taken = {
    ...run,
    ...life,
    generation: run.generation + 1,
    heartbeat: now,
    deaths: run.deaths + (died ? 1 : 0),
  };
  sql.exec(
    'UPDATE runs SET incarnation = ?, build = ?, generation = ?, heartbeat = ?, deaths = ? WHERE id = ?',
    taken.incarnation,
    taken.build,
    taken.generation,
    taken.heartbeat,
    taken.deaths,
    run.id,
  );
  return taken;
}

/** Says that the life that plays a run lives (LOCK-15). */
export function beat(sql: SqlStorage, run: string, incarnation: string, now: number): void {
  sql.exec("UPDATE runs SET heartbeat = ? WHERE id = ? AND incarnation = ? AND status = 'running'", now, run, incarnation);
}

/** The run got on: deaths before do not count any more. */
export function forgetDeaths(sql: SqlStorage, run: string): void {
  sql.exec('UPDATE runs SET deaths = 0 WHERE id = ?', run);
}

/** Keeps how many tool retries the turn has used. */
export function putRetries(sql: SqlStorage, run: string, retries: number): void {
  sql.exec('UPDATE runs SET retries = ? WHERE id = ?', retries, run);
}

/** Marks a run as ended. @throws when another life of the object plays it (LOCK-09). */
export function endRun(sql: SqlStorage, ended: EndedRun, incarnation: string): void {
  const text = spilled(sql, JSON.stringify(ended));
  const { rowsWritten } = sql.exec(
    "UPDATE runs SET status = 'ended', ended = ? WHERE id = ? AND incarnation = ?",
    text,
    ended.run,
    incarnation,
  );
  if (rowsWritten === 0) throw new Error('A run was ended by a life that does not play it.');
}

/** The run that has not ended; undefined when the session is at rest. */
export function openRun(sql: SqlStorage): RunRow | undefined {
  const newest = sql.exec('SELECT * FROM runs ORDER BY turn DESC LIMIT 1').toArray()[0];
  return newest?.status === 'running' ? fromRow(sql, newest) : undefined;
}

/** A run by its id. */
export function readRun(sql: SqlStorage, id: string): { readonly row: RunRow; readonly ended: EndedRun | null } | undefined {
  const row = sql.exec('SELECT * FROM runs WHERE id = ?', id).toArray()[0];
  return row === undefined ? undefined : { row: fromRow(sql, row), ended: endedOf(sql, row) };
}

/** The run of the newest turn of a thread that ended. */
export function newestEnded(sql: SqlStorage, thread: number): { readonly row: RunRow; readonly ended: EndedRun } | undefined {
  // The newest two hold it: one run at most has not ended, and turns of a later thread are newer.
  const row = sql
    .exec('SELECT * FROM runs ORDER BY turn DESC LIMIT 2')
    .toArray()
    .find((newest) => newest.status === 'ended');
  const ended = row?.thread === thread ? endedOf(sql, row) : null;
  return row === undefined || ended === null ? undefined : { row: fromRow(sql, row), ended };
}

function endedOf(sql: SqlStorage, row: Record<string, SqlStorageValue>): EndedRun | null {
  if (row.ended === null) return null;
  // A run that ended before costs were counted says nothing of them.
  const ended = JSON.parse(unspilled(sql, row.ended as string)) as EndedRun | Omit<EndedRun, 'cost'>;
  return { cost: null, ...ended };
}

function fromRow(sql: SqlStorage, row: Record<string, SqlStorageValue>): RunRow {
  return {
    id: row.id as string,
    turn: row.turn as number,
    thread: row.thread as number,
    command: row.command as string | null,
    input: JSON.parse(unspilled(sql, row.input as string)) as RunInput,
    actor: JSON.parse(row.actor as string) as Actor,
    choice: JSON.parse(row.choice as string) as Choice,
    cancelOnDisconnect: row.cancel_on_disconnect === 1,
    started: row.started as number,
    seq: row.seq as number,
    position: row.position as number,
    incarnation: row.incarnation as string,
    build: row.build as string,
    generation: row.generation as number,
    heartbeat: row.heartbeat as number,
    deaths: row.deaths as number,
    retries: row.retries as number,
  };
}

import type { Answer, Message } from '../../core/index.ts';
import type { Choice } from '../choice.ts';
import type { Actor, EndedRun } from '../protocol/index.ts';

/** What a run was started with: kept, so that it can be retried. */
export type RunInput =
  | { readonly kind: 'message'; readonly messageId: string }
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'resume'; readonly edit: Message; readonly rev: number };

/** A run that has not ended. */
export interface RunRow {
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
}

/** Stores an admitted run. */
export function insertRun(sql: SqlStorage, run: RunRow): void {
  const { id, turn, thread, command, input, actor, choice, cancelOnDisconnect, started, seq } = run;
  sql.exec(
    `INSERT INTO runs (id, turn, thread, command, input, actor, choice, status, cancel_on_disconnect, started, seq)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?)`,
    id,
    turn,
    thread,
    command,
    JSON.stringify(input),
    JSON.stringify(actor),
    JSON.stringify(choice),
    cancelOnDisconnect ? 1 : 0,
    started,
    seq,
  );
}

/** Marks a run as ended. */
export function endRun(sql: SqlStorage, ended: EndedRun): void {
  sql.exec("UPDATE runs SET status = 'ended', ended = ? WHERE id = ?", JSON.stringify(ended), ended.run);
}

/** The run that has not ended; undefined when the session is at rest. */
export function openRun(sql: SqlStorage): RunRow | undefined {
  return sql.exec("SELECT * FROM runs WHERE status = 'running'").toArray().map(fromRow)[0];
}

/** A run by its id. */
export function readRun(sql: SqlStorage, id: string): { readonly row: RunRow; readonly ended: EndedRun | null } | undefined {
  const row = sql.exec('SELECT * FROM runs WHERE id = ?', id).toArray()[0];
  return row === undefined ? undefined : { row: fromRow(row), ended: endedOf(row) };
}

/** The run of the newest turn of a thread that ended. */
export function newestEnded(sql: SqlStorage, thread: number): { readonly row: RunRow; readonly ended: EndedRun } | undefined {
  const row = sql
    .exec("SELECT * FROM runs WHERE thread = ? AND status = 'ended' ORDER BY turn DESC LIMIT 1", thread)
    .toArray()[0];
  const ended = row === undefined ? null : endedOf(row);
  return row === undefined || ended === null ? undefined : { row: fromRow(row), ended };
}

function endedOf(row: Record<string, SqlStorageValue>): EndedRun | null {
  return row.ended === null ? null : (JSON.parse(row.ended as string) as EndedRun);
}

function fromRow(row: Record<string, SqlStorageValue>): RunRow {
  return {
    id: row.id as string,
    turn: row.turn as number,
    thread: row.thread as number,
    command: row.command as string | null,
    input: JSON.parse(row.input as string) as RunInput,
    actor: JSON.parse(row.actor as string) as Actor,
    choice: JSON.parse(row.choice as string) as Choice,
    cancelOnDisconnect: row.cancel_on_disconnect === 1,
    started: row.started as number,
    seq: row.seq as number,
  };
}

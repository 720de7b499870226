import type { Answer, Pending } from '../../core/index.ts';
import type { Actor } from '../protocol/index.ts';
import { type CallsSoFar, parseCalls } from './calls.ts';
import { spilled, unspilled } from './spill.ts';

/** The calls that wait for an answer, in the model's order. */
export function readPending(sql: SqlStorage): Pending[] {
  return sql
    .exec<{ body: string }>('SELECT body FROM pending ORDER BY position')
    .toArray()
    .map((row) => JSON.parse(unspilled(sql, row.body)) as Pending);
}

/** Puts these calls in the place of all that waited. */
export function replacePending(sql: SqlStorage, pending: readonly Pending[]): void {
  sql.exec('DELETE FROM pending');
  for (const [position, item] of pending.entries()) {
    const body = spilled(sql, JSON.stringify(item));
    sql.exec('INSERT INTO pending (call, position, body) VALUES (?, ?, ?)', item.call.id, position, body);
  }
}

/** Notes what came of waiting calls in a resume that ended before their results were stored; a known outcome stays (G-11). */
export function noteRan(sql: SqlStorage, calls: CallsSoFar): void {
  for (const [id, outcome] of Object.entries(calls)) {
    const ran = spilled(sql, JSON.stringify(outcome));
    sql.exec("UPDATE pending SET ran = ? WHERE call = ? AND coalesce(ran, 'null') = 'null'", ran, id);
  }
}

/** What came of waiting calls that ran already. */
export function readRan(sql: SqlStorage): CallsSoFar {
  const rows = sql.exec('SELECT call, ran FROM pending WHERE ran IS NOT NULL').toArray();
  return parseCalls(`{${rows.map((row) => `${JSON.stringify(row.call)}:${unspilled(sql, row.ran as string)}`).join(',')}}`);
}

/** Where the answer to a call stands: waiting for the others or in use, left over from a resume that ended early, or done. */
export type AnswerState = 'staged' | 'unapplied' | 'applied';

/** The answer that a call was given first. `at` in ms. */
export interface AnswerRow {
  readonly answer: Answer;
  readonly state: AnswerState;
  readonly by: Actor;
  readonly at: number;
}

/** The answer to one call; undefined when it has none. */
export function readAnswer(sql: SqlStorage, call: string): AnswerRow | undefined {
  return sql
    .exec('SELECT * FROM answers WHERE call = ?', call)
    .toArray()
    .map((row) => fromRow(sql, row))[0];
}

/** The answers to the calls that wait now. */
export function currentAnswers(sql: SqlStorage): AnswerRow[] {
  // CROSS JOIN keeps the order: from the few calls that wait to their answers, not through all answers there ever were.
  const rows = sql.exec('SELECT answers.* FROM pending CROSS JOIN answers USING (call) ORDER BY position').toArray();
  return rows.map((row) => fromRow(sql, row));
}

/** Stores an answer; one that was left over or applied before the call asked again is replaced. */
export function putAnswer(sql: SqlStorage, row: AnswerRow): void {
  sql.exec(
    'INSERT OR REPLACE INTO answers (call, state, body, by, at) VALUES (?, ?, ?, ?, ?)',
    row.answer.callId,
    row.state,
    spilled(sql, JSON.stringify(row.answer)),
    JSON.stringify(row.by),
    row.at,
  );
}

/** Changes the state of the answers to the calls that wait now. */
export function markAnswers(sql: SqlStorage, state: AnswerState): void {
  sql.exec('UPDATE answers SET state = ? WHERE call IN (SELECT call FROM pending)', state);
}

/** Forgets the answers to these calls: they asked again. */
export function forgetAnswers(sql: SqlStorage, pending: readonly Pending[]): void {
  for (const item of pending) sql.exec('DELETE FROM answers WHERE call = ?', item.call.id);
}

function fromRow(sql: SqlStorage, row: Record<string, SqlStorageValue>): AnswerRow {
  return {
    answer: JSON.parse(unspilled(sql, row.body as string)) as Answer,
    state: row.state as AnswerState,
    by: JSON.parse(row.by as string) as Actor,
    at: row.at as number,
  };
}

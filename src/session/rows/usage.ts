import type { Charge } from '../../config/index.ts';
import { addUsage, noUsage, type Usage } from '../../core/index.ts';
import type { ModelUsage, Spent } from '../protocol/index.ts';

/** What a reply took. `usage` null: the provider did not say. `at` in ms. */
export interface ReplyUsage extends Charge {
  readonly run: string;
  readonly turn: number;
  readonly message: string;
  readonly whole: boolean;
  readonly model: string;
  readonly usage: Usage | null;
  readonly at: number;
}

/** Puts down what a reply took. */
export function insertUsage(sql: SqlStorage, { run, turn, message, whole, model, usage, rates, cost, at }: ReplyUsage): void {
  sql.exec(
    `INSERT INTO usage (run, turn, message, whole, model, input, output, cache_read, cache_write,
       input_rate, output_rate, cache_read_rate, cache_write_rate, cost, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    run,
    turn,
    message,
    whole ? 1 : 0,
    model,
    usage?.input ?? null,
    usage?.output ?? null,
    usage?.cacheRead ?? null,
    usage?.cacheWrite ?? null,
    rates?.input ?? null,
    rates?.output ?? null,
    rates?.cacheRead ?? null,
    rates?.cacheWrite ?? null,
    cost,
    at,
  );
}

/** The sums over some replies. */
const sums = `count(*) AS replies, count(*) - count(cost) AS unpriced, sum(cost) AS cost, coalesce(sum(input), 0) AS input,
  coalesce(sum(output), 0) AS output, coalesce(sum(cache_read), 0) AS cache_read, coalesce(sum(cache_write), 0) AS cache_write`;

type Sums = Record<'replies' | 'unpriced' | 'input' | 'output' | 'cache_read' | 'cache_write', number> & { cost: number | null };

/** What the newest run took; nothing when this is another one. */
export function usageOf(sql: SqlStorage, run: string): Spent {
  // Its rows are the newest: what came before it is not read.
  const before = '(SELECT position FROM usage WHERE run <> ?1 ORDER BY position DESC LIMIT 1)';
  return spent(sql.exec<Sums>(`SELECT ${sums} FROM usage WHERE position > coalesce(${before}, 0)`, run).one());
}

/** What all replies took, by model, in the order in which they first answered. */
export function usageByModel(sql: SqlStorage): ModelUsage[] {
  const rows = sql.exec<Sums & { model: string }>(`SELECT model, ${sums} FROM usage GROUP BY model ORDER BY min(position)`);
  return rows
    .toArray()
    .map((row) => ({ model: row.model, replies: row.replies, unpriced: row.unpriced, ...tokens(row), cost: row.cost }));
}

/** The sum of two; its cost is known where both are. */
export function addSpent(a: Spent, b: Spent): Spent {
  return { ...addUsage(a, b), cost: a.cost === null || b.cost === null ? null : a.cost + b.cost };
}

/** Nothing. */
export const nothingSpent: Spent = { ...noUsage, cost: 0 };

function spent(row: Sums): Spent {
  return { ...tokens(row), cost: row.unpriced > 0 ? null : (row.cost ?? 0) };
}

function tokens({ input, output, cache_read: cacheRead, cache_write: cacheWrite }: Sums): Usage {
  return { input, output, cacheRead, cacheWrite };
}

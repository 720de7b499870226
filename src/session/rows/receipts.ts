import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../core/index.ts';
import type { CommandResult } from '../api.ts';
import { spilled, unspilled } from './spill.ts';

/** What tells a command from another under the same id: its type and body, whatever the order of the keys. */
export function digestOf(type: string, body: Json): string {
  return createHash('sha256')
    .update(canonical([type, body]))
    .digest('hex');
}

/** The receipt of an accepted command; undefined when none was accepted under this id. */
export function readReceipt(
  sql: SqlStorage,
  id: string,
): { readonly digest: string; readonly result: CommandResult } | undefined {
  const row = sql.exec('SELECT digest, result FROM receipts WHERE id = ?', id).toArray()[0];
  return row === undefined
    ? undefined
    : { digest: row.digest as string, result: JSON.parse(unspilled(sql, row.result as string)) as CommandResult };
}

/** Stores a receipt. */
export function putReceipt(sql: SqlStorage, id: string, digest: string, result: CommandResult): void {
  sql.exec('INSERT INTO receipts (id, digest, result) VALUES (?, ?, ?)', id, digest, spilled(sql, JSON.stringify(result)));
}

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}

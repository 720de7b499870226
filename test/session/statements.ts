import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { randomId } from '../../src/core/index.ts';

/** A statement that a session executes. */
export interface Statement {
  readonly query: string;
  readonly values: readonly SqlStorageValue[];
}

/** Executes a statement, or does not. */
export type Watch = (statement: Statement, execute: () => Cursor) => Cursor;

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;
type Exec = (this: SqlStorage, query: string, ...values: SqlStorageValue[]) => Cursor;

/** What only a list of sessions says first, one that wakes up or one that lives. */
const ofList = /'migrations'|\bsessions\b|\bparticipant\b/;

/**
 * Has every statement that sessions execute pass through `watch` while `work` is done, in the objects that live and in those that wake up
 * meanwhile. Those of the list of sessions are left alone. A session that was never used must not be alive before.
 */
export async function watching<T>(watch: Watch, work: () => Promise<T>): Promise<T> {
  const anywhere = env.DIRECTORY.getByName(randomId('watch'));
  const shared = (await runInDurableObject(anywhere, (_, { storage }) => Object.getPrototypeOf(storage.sql))) as { exec: Exec };
  const original = shared.exec;
  const lists = new WeakMap<SqlStorage, boolean>();
  shared.exec = function (query, ...values) {
    const execute = (): Cursor => original.call(this, query, ...values);
    const isList = lists.get(this) ?? ofList.test(query);
    lists.set(this, isList);
    return isList ? execute() : watch({ query, values }, execute);
  };
  try {
    return await work();
  } finally {
    shared.exec = original;
  }
}

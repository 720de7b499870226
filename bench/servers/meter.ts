/** Has a storage count the rows that its statements write, index rows included, from here on. Key-value writes and alarms are not in it. */
export function meter(ctx: DurableObjectState): DurableObjectState {
  const { sql } = ctx.storage;
  const exec = sql.exec.bind(sql);
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  Object.assign(sql, {
    exec: (query: string, ...values: unknown[]) => {
      const cursor = exec(query, ...values);
      cursors.push(cursor);
      return cursor;
    },
    written: () => cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0),
  });
  return ctx;
}

/** The rows that a metered storage has written. */
export function rowsWritten(ctx: DurableObjectState): number {
  return (ctx.storage.sql as SqlStorage & { written(): number }).written();
}

/** The text of a message that fills a session. */
export function filler(n: number): string {
  return `Message ${n} of a conversation that has gone on for long. `.padEnd(200, 'Lorem ipsum dolor sit amet. ');
}

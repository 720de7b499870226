import type { MessagePage } from './api.ts';
import { accepted, type Outcome, refused } from './protocol/index.ts';
import { positionOf, readPage } from './rows/messages.ts';
import { pageBounds } from './state.ts';

/** The most messages of one page of history. */
const pageLimit = 200;

/** The page of messages that ends before a message id; null: the newest. Refuses an id that is not there. */
export function pageBefore(sql: SqlStorage, before: string | null, limit: number): Outcome<MessagePage> {
  const position = before === null ? null : positionOf(sql, before);
  if (before !== null && position === null) return noSuchMessage();
  return accepted(readPage(sql, position, { messages: Math.min(limit, pageLimit), bytes: pageBounds.bytes }));
}

/** The same of a session that was never used. */
export function emptyPage(before: string | null): Outcome<MessagePage> {
  return before === null ? accepted({ messages: [], more: false }) : noSuchMessage();
}

function noSuchMessage(): ReturnType<typeof refused> {
  return refused('not_found', 'There is no message with this id here.');
}

import { useComputed } from '@preact/signals';
import { clockTime } from '../lib/time.ts';
import type { Row as RowData } from '../state/rows.ts';
import type { SessionStore } from '../state/session.ts';
import { LeftRow } from './left-row.tsx';
import { ReplyRow } from './reply-row.tsx';
import { UserRow } from './user-row.tsx';

/**
 * One line of the transcript, by id. It reads its own data, so that a delta draws the growing row alone, and it stays the same
 * element when its reply becomes a stored message: a selection in it holds.
 */
export function Row({ store, id }: { readonly store: SessionStore; readonly id: string }) {
  const isLive = useComputed(() => store.snapshot.value?.step?.id === id);
  const data = useComputed(() => (isLive.value ? store.live.value : store.rowById.value.get(id)) ?? null);
  const isLast = useComputed(() => store.rowIds.value.at(-1) === id);
  const row = data.value;
  if (row === null) return null;
  return (
    <li class={`row ${row.kind}`} aria-label={labelOf(row)}>
      {row.kind === 'user' && <UserRow row={row} />}
      {row.kind === 'reply' && <ReplyRow row={row} store={store} isLast={isLast.value} />}
      {row.kind === 'left' && <LeftRow row={row} />}
    </li>
  );
}

function labelOf(row: RowData): string {
  const who = { user: 'You', reply: 'Agent', left: 'Agent, stopped' }[row.kind];
  return row.created === null ? who : `${who}, ${clockTime(row.created, Date.now())}`;
}

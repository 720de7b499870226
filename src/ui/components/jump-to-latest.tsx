import type { Following } from '../lib/use-follow.ts';
import type { SessionStore } from '../state/session.ts';
import { Icon } from './icon.tsx';

/** Leads back to the end while the reader is elsewhere; says how much is new, or that something waits for them. */
export function JumpToLatest({
  store,
  following,
  seen,
}: {
  readonly store: SessionStore;
  readonly following: Following;
  readonly seen: number;
}) {
  if (following.attached.value) return null;
  const fresh = Math.max(0, store.rowIds.value.length - seen);
  const waits = store.snapshot.value?.status === 'awaiting_input';
  const label = waits ? 'Needs you' : fresh > 0 ? `${fresh} new` : 'Jump to latest';
  return (
    <button type="button" class={`jump ${waits ? 'waits' : ''}`} onClick={following.toEnd}>
      <Icon name="arrowDown" size={16} />
      {label}
    </button>
  );
}

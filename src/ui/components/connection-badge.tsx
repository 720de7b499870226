import { useNow } from '../lib/use-now.ts';
import { clockTime } from '../lib/time.ts';
import type { SessionStore } from '../state/session.ts';

/** How long a connection may be gone before it is said, and before it counts as offline, in ms. */
const limits = { quiet: 1500, offline: 30_000 } as const;

/** Says when the page is not live; nothing otherwise. The session's own state beside it stays as last known. */
export function ConnectionBadge({ store }: { readonly store: SessionStore }) {
  const lostAt = store.lostAt.value;
  const now = useNow(lostAt === null ? null : 500);
  if (lostAt === null || now - lostAt < limits.quiet) return null;
  if (now - lostAt < limits.offline) {
    return (
      <span class="badge warn" role="status">
        {store.snapshot.value === null ? 'Connecting…' : 'Reconnecting…'}
      </span>
    );
  }
  return (
    <span class="badge warn" role="status">
      Offline since {clockTime(lostAt, now)}
      <button type="button" class="link" onClick={() => store.nudge()}>
        Retry now
      </button>
    </span>
  );
}

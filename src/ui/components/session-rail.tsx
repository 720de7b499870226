import { useRef } from 'preact/hooks';
import { grouped } from '../lib/groups.ts';
import { useNow } from '../lib/use-now.ts';
import { useApp } from '../state/app.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { SessionRow } from './session-row.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

/** The reader's sessions: new, search, and the list. */
export function SessionRail({ onClose }: { readonly onClose: () => void }) {
  const app = useApp();
  const { directory, route, token } = app;
  const now = useNow(30_000);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const failed = (): void => void app.toasts.show('The session list cannot be reached.');
  const search = (text: string): void => {
    directory.query.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void directory.search(text.trim()).catch(failed), 150);
  };
  const groups = grouped(directory.shown.value, now);
  return (
    <nav class="rail" aria-label="Sessions">
      <div class="rail-head">
        <span class="brand">
          <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
            <path class="brand-mark" d="M8 26V11a8 8 0 0 1 16 0v4M24 26V21M8 17h10" />
          </svg>
          Reins
        </span>
        <IconButton icon="sidebar" label="Hide sessions" onClick={onClose} />
      </div>
      <button
        type="button"
        class="button new"
        disabled={(app.config.value?.onlyScope ?? null) !== null}
        onClick={() => app.create()}
      >
        <Icon name="plus" size={16} /> New session
      </button>
      <label class="search">
        <Icon name="search" size={15} />
        <span class="off-screen">Search titles</span>
        <input
          type="search"
          placeholder="Search titles"
          value={directory.query.value}
          onInput={(event) => search(event.currentTarget.value)}
        />
      </label>
      <div class="rail-list" tabIndex={-1}>
        {groups.map(({ name, sessions }) => (
          <section key={name} aria-labelledby={`group-${name.replace(' ', '-')}`}>
            <h2 id={`group-${name.replace(' ', '-')}`}>{name}</h2>
            <ul>
              {sessions.map((summary) => (
                <SessionRow key={summary.scope} summary={summary} current={summary.scope === route.scope.value} now={now} />
              ))}
            </ul>
          </section>
        ))}
        {directory.loaded.value && groups.length === 0 && (
          <p class="quiet rail-empty">
            {directory.query.value === '' ? 'Sessions appear here once something was said.' : 'No title matches.'}
          </p>
        )}
        {directory.cursor.value !== null && directory.query.value === '' && (
          <button type="button" class="link" onClick={() => void directory.more().catch(failed)}>
            Show older sessions
          </button>
        )}
      </div>
      <div class="rail-foot">
        <ThemeSwitch />
        {token.value !== null && (
          <button type="button" class="link" onClick={() => app.signOut()}>
            Sign out
          </button>
        )}
      </div>
    </nav>
  );
}

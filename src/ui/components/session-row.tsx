import { useEffect, useRef, useState } from 'preact/hooks';
import type { Summary } from '../../session/protocol/wire.ts';
import { composing } from '../lib/keys.ts';
import { ago } from '../lib/time.ts';
import { plainLine } from '../lib/tool-text.ts';
import { useApp } from '../state/app.ts';
import { pathOf } from '../state/route.ts';
import { Menu } from './menu.tsx';

interface SessionRowProps {
  readonly summary: Summary;
  readonly current: boolean;
  /** ms since 1970. */
  readonly now: number;
}

/** A session in the list: state, title, newest words, and its menu. */
export function SessionRow({ summary, current, now }: SessionRowProps) {
  const app = useApp();
  const [editing, setEditing] = useState(false);
  const { scope, title, status, last, updated, needs } = summary;
  const name = title === '' ? 'New conversation' : title;
  const open = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    app.open(scope);
  };
  if (editing) return <RenameField summary={summary} onDone={() => setEditing(false)} />;
  return (
    <li class={`session ${current ? 'current' : ''}`}>
      <a href={pathOf(scope)} aria-current={current ? 'page' : undefined} onClick={open}>
        <span class="session-title">
          {status !== 'idle' && <span class={`dot ${status}`} aria-hidden="true" />}
          <span>{name}</span>
        </span>
        <span class="session-last">
          {status === 'awaiting_input' ? `Waits for ${needs === 1 ? 'an answer' : `${needs} answers`}` : plainLine(last)}
        </span>
        <time dateTime={new Date(updated).toISOString()}>{ago(updated, now)}</time>
      </a>
      <Menu
        label={`Menu of ${name}`}
        icon="more"
        class="small"
        items={[
          { icon: 'edit', label: 'Rename', run: () => setEditing(true) },
          { icon: 'trash', label: 'Delete', danger: true, run: () => app.remove(scope, name) },
        ]}
      />
    </li>
  );
}

function RenameField({ summary, onDone }: { readonly summary: Summary; readonly onDone: () => void }) {
  const { directory, toasts } = useApp();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const finish = (title: string | null): void => {
    onDone();
    if (title === null || title.trim() === '' || title.trim() === summary.title) return;
    directory.rename(summary.scope, title.trim()).catch(() => toasts.show('The session could not be renamed.'));
  };
  return (
    <li class="session editing">
      <input
        ref={field}
        aria-label="Title"
        maxLength={200}
        defaultValue={summary.title}
        onBlur={(event) => finish(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (composing(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          finish(event.key === 'Enter' ? event.currentTarget.value : null);
        }}
      />
    </li>
  );
}

import { useState } from 'preact/hooks';
import { copyText } from '../lib/clipboard.ts';
import { narrow, useMedia } from '../lib/use-media.ts';
import { patch } from '../state/actions.ts';
import { activityOf } from '../state/activity.ts';
import { useApp } from '../state/app.ts';
import type { Answered, SessionStore } from '../state/session.ts';
import { ConnectionBadge } from './connection-badge.tsx';
import { IconButton } from './icon-button.tsx';
import { Menu } from './menu.tsx';
import { PresenceDots } from './presence-dots.tsx';
import { SessionTitle } from './session-title.tsx';

/** The bar above a conversation: its title, what it does, who is here, and what can be done with it. */
export function TopBar({ store }: { readonly store: SessionStore }) {
  const app = useApp();
  const isNarrow = useMedia(narrow);
  const [editing, setEditing] = useState(false);
  const snapshot = store.snapshot.value;
  const asked = store.asked.value;
  const activity = snapshot === null ? null : activityOf(snapshot, asked?.run ?? null);
  const title = snapshot?.title ?? '';
  const tell = (command: Promise<Answered>): void =>
    void command.then((answered) => answered.ok || app.toasts.show(answered.refusal.detail));
  const copyLink = async (): Promise<void> => {
    app.toasts.show((await copyText(location.href)) ? 'The address is copied.' : location.href);
  };
  const startOver = (): void => {
    app.api
      .change('POST', `/sessions/${encodeURIComponent(store.scope)}/new`, {})
      .catch((error: Error) => app.toasts.show(error.message));
  };
  const railHidden = isNarrow || !app.railOpen.value;
  return (
    <header class="top-bar">
      {railHidden && (
        <IconButton icon={isNarrow ? 'menu' : 'sidebar'} label="Show sessions" onClick={() => (app.railOpen.value = true)} />
      )}
      <SessionTitle
        title={title}
        editing={editing}
        onEdit={setEditing}
        onRename={(next) => tell(patch(store, { title: next }))}
      />
      {activity !== null && (
        <span class={`status ${activity.kind} ${store.lostAt.value === null ? '' : 'dimmed'}`}>
          <span class="dot" aria-hidden="true" />
          <span class="status-words">{activity.label}</span>
        </span>
      )}
      <ConnectionBadge store={store} />
      <span class="spacer" />
      <PresenceDots store={store} />
      <IconButton
        icon="panel"
        label="Files and changes"
        pressed={app.panel.open.value}
        onClick={() => app.panel.setOpen(!app.panel.open.value)}
      />
      <Menu
        label="Session menu"
        icon="more"
        items={[
          { icon: 'edit', label: 'Rename', run: () => setEditing(true) },
          { icon: 'link', label: 'Copy address', run: () => void copyLink() },
          { icon: 'retry', label: 'Start over', disabled: snapshot?.status !== 'idle', run: () => startOver() },
          { icon: 'question', label: 'Keys', keys: '?', run: () => (app.helpOpen.value = true) },
          { icon: 'trash', label: 'Delete', danger: true, run: () => app.remove(store.scope, title) },
        ]}
      />
    </header>
  );
}

import { useState } from 'preact/hooks';
import { textOf } from '../../core/message.ts';
import type { InboxItem } from '../../session/protocol/wire.ts';
import { composing } from '../lib/keys.ts';
import { dropItem, editItem, sendItem } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import type { Answered, SessionStore } from '../state/session.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';

/** The messages that wait to land: which way, and what can still be done with them. */
export function QueueList({ store }: { readonly store: SessionStore }) {
  const items = store.snapshot.value?.inbox ?? [];
  if (items.length === 0) return null;
  return (
    <ul class="queue" aria-label="Waiting messages">
      {items.map((item) => (
        <Item key={item.id} store={store} item={item} />
      ))}
    </ul>
  );
}

function Item({ store, item }: { readonly store: SessionStore; readonly item: InboxItem }) {
  const { toasts } = useApp();
  const [draft, setDraft] = useState<string | null>(null);
  const running = store.snapshot.value?.status === 'running';
  const text = textOf(item.message);
  const other = item.delivery === 'steer' ? 'queue' : 'steer';
  const tell = (command: Promise<Answered>): void =>
    void command.then((answered) => answered.ok || toasts.show(answered.refusal.detail));
  const save = (): void => {
    if (draft !== null && draft.trim() !== '' && draft !== text) tell(editItem(store, item, { text: draft }));
    setDraft(null);
  };
  return (
    <li class={`queue-item ${item.held ? 'is-held' : `is-${item.delivery}`}`}>
      <span class="queue-state">
        <Icon name={item.held ? 'pause' : item.delivery} size={15} />
        {item.held ? 'On hold' : item.delivery === 'steer' ? 'Steers after this step' : 'Queued for when it is done'}
      </span>
      {draft === null ? (
        <span class="queue-text">{text}</span>
      ) : (
        <textarea
          class="queue-text"
          aria-label="Edit the waiting message"
          rows={2}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (composing(event)) return;
            if (event.key === 'Enter' && !event.shiftKey) save();
            else if (event.key === 'Escape') setDraft(null);
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      )}
      <span class="queue-actions">
        {draft === null ? (
          <>
            {item.held && (
              <button type="button" class="link" onClick={() => tell(sendItem(store, item))}>
                Send now
              </button>
            )}
            {running && !item.held && (
              <button type="button" class="link" onClick={() => tell(editItem(store, item, { delivery: other }))}>
                {other === 'steer' ? 'Steer instead' : 'Queue instead'}
              </button>
            )}
            {store.isWhole(item) && (
              <IconButton icon="edit" class="small" label="Edit waiting message" onClick={() => setDraft(text)} />
            )}
            <IconButton icon="close" class="small" label="Remove waiting message" onClick={() => tell(dropItem(store, item))} />
          </>
        ) : (
          <>
            <button type="button" class="link" onClick={save}>
              Save
            </button>
            <button type="button" class="link" onClick={() => setDraft(null)}>
              Cancel
            </button>
          </>
        )}
      </span>
    </li>
  );
}

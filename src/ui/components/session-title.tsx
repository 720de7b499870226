import { useEffect, useRef, useState } from 'preact/hooks';
import { composing } from '../lib/keys.ts';
import { Icon } from './icon.tsx';

interface SessionTitleProps {
  readonly title: string;
  readonly editing: boolean;
  readonly onEdit: (editing: boolean) => void;
  readonly onRename: (title: string) => void;
}

/** The session's title; a press makes it a field. Enter keeps the change, Esc drops it. */
export function SessionTitle({ title, editing, onEdit, onRename }: SessionTitleProps) {
  const [draft, setDraft] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!editing) return;
    setDraft(title);
    field.current?.focus();
    field.current?.select();
  }, [editing]);
  const finish = (keep: boolean): void => {
    onEdit(false);
    if (keep && draft.trim() !== '' && draft.trim() !== title) onRename(draft.trim());
    queueMicrotask(() => button.current?.focus());
  };
  if (!editing) {
    return (
      <h1>
        <button type="button" class="title" title="Rename" ref={button} onClick={() => onEdit(true)}>
          <span>{title === '' ? 'New conversation' : title}</span>
          <Icon name="edit" size={14} />
        </button>
      </h1>
    );
  }
  return (
    <h1>
      <input
        ref={field}
        class="title-field"
        aria-label="Title"
        maxLength={200}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => finish(true)}
        onKeyDown={(event) => {
          if (composing(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          finish(event.key === 'Enter');
        }}
      />
    </h1>
  );
}

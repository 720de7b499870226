import { useComputed } from '@preact/signals';
import { useApp } from '../state/app.ts';
import { groupChanges } from '../state/changes.ts';
import { ChangeGroupView } from './change-group.tsx';
import { FileActions } from './file-actions.ts';
import type { TabProps } from './side-panel.tsx';

/** What was changed in the files of the session, newest first, and how to take it back. */
export function ChangesTab({ store, files }: TabProps) {
  const app = useApp();
  const { changes } = files;
  const groups = useComputed(() => groupChanges(changes.shown.value ?? [], store.rows.value, store.edits.value));
  const actions = new FileActions(app, store, files, () => {});
  const mayWrite = app.config.value?.mayWrite !== false;
  return (
    <div class="changes">
      {changes.failure.value !== null && (
        <p class="panel-note field-error">
          {changes.failure.value}{' '}
          <button type="button" class="link" onClick={() => void changes.refresh()}>
            Try again
          </button>
        </p>
      )}
      {changes.shown.value === null && changes.failure.value === null && <p class="panel-note quiet">Loading…</p>}
      {changes.shown.value?.length === 0 && <p class="panel-note quiet">Nothing was changed that could be undone.</p>}
      {groups.value.map((group) => (
        <ChangeGroupView
          key={group.key}
          group={group}
          actions={actions}
          mayWrite={mayWrite}
          onShow={(path) => app.panel.showFile(path)}
        />
      ))}
      {changes.cursor.value !== null && (
        <button type="button" class="link" onClick={() => void changes.more()}>
          Show earlier changes
        </button>
      )}
    </div>
  );
}

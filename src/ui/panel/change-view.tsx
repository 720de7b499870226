import { useState } from 'preact/hooks';
import { Counts, FileEditView } from '../components/file-edit-view.tsx';
import { Icon } from '../components/icon.tsx';
import { toolTitle } from '../lib/tool-names.ts';
import type { FileChange, ShownChange } from '../state/changes.ts';
import { ConfirmButton } from './confirm-button.tsx';
import type { FileActions } from './file-actions.ts';

interface ChangeViewProps {
  readonly shown: ShownChange;
  readonly actions: FileActions;
  readonly mayWrite: boolean;
  readonly onShow: (path: string) => void;
}

/** One change: its file, its lines, and how to take it back. */
export function ChangeView({ shown, actions, mayWrite, onShow }: ChangeViewProps) {
  const { change, tool, edits, newest } = shown;
  const [open, setOpen] = useState(false);
  const { path, other } = change;
  const now = other ?? path;
  const gone = change.files.find((file) => file.path === now)?.after === null;
  const [only] = edits.length === 1 ? edits : [];
  return (
    <li class="change">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="chevron" size={14} />
          <span class="name">{other === null ? path : `${path} → ${other}`}</span>
          {only !== undefined && <Counts edit={only} />}
          <span class="quiet">{verbOf(change)}</span>
        </summary>
        {open && (
          <div class="change-body">
            {edits.map((edit) => (
              <FileEditView key={edit.path} edit={edit} done />
            ))}
            {edits.length === 0 && <WithoutDiff change={change} tool={tool} />}
          </div>
        )}
      </details>
      <div class="change-actions">
        {!gone && change.files.some((file) => file.path === now) && (
          <button type="button" class="button small quiet-button" onClick={() => onShow(now)}>
            Open<span class="off-screen"> {now}</span>
          </button>
        )}
        {mayWrite && newest && (
          <ConfirmButton
            icon="undo"
            label="Undo"
            confirm="Undo for good?"
            of={path}
            onConfirm={() => void actions.undo([{ path }])}
          />
        )}
      </div>
    </li>
  );
}

/** What is known of a change that no tool reported the lines of. */
function WithoutDiff({ change, tool }: Pick<ShownChange, 'change' | 'tool'>) {
  const who = tool !== null ? `by ${toolTitle(tool)}` : change.turn === null ? 'by hand' : 'by the agent';
  return (
    <>
      <p class="quiet">Changed {who}. Its lines are not known here.</p>
      {change.files.length > 1 && (
        <ul class="change-files">
          {change.files.map((file) => (
            <li key={file.path}>{file.path}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function verbOf({ path, other, files }: FileChange): string {
  if (other !== null) return 'moved';
  const here = files.find((file) => file.path === path);
  if (here === undefined) return files.every((file) => file.after === null) && files.length > 0 ? 'deleted' : 'folder';
  return here.after === null ? 'deleted' : here.before === null ? 'created' : 'changed';
}

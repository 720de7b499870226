import type { FileEdit } from '../lib/file-edits.ts';
import { DiffView } from './diff-view.tsx';
import { VisibleText } from './visible-text.tsx';

const verbs: { readonly [what in FileEdit['what']]: { readonly done: string; readonly asked: string } } = {
  edited: { done: 'Edited', asked: 'Edit' },
  written: { done: 'Wrote', asked: 'Write all of' },
  created: { done: 'Created', asked: 'Create' },
  deleted: { done: 'Deleted', asked: 'Delete' },
  moved: { done: 'Moved', asked: 'Move' },
};

interface FileEditProps {
  readonly edit: FileEdit;
  /** It has happened. */
  readonly done: boolean;
  /** Shows the file as it is now. */
  readonly onOpen?: (path: string) => void;
}

/** One changed file: which, how much, and the lines. What is made from the request alone says so. */
export function FileEditView({ edit, done, onOpen }: FileEditProps) {
  const { path, from, what, hunks } = edit;
  const note = noteOf(edit, done);
  return (
    <section class="file-edit">
      <header>
        <span class="quiet">{verbs[what][done ? 'done' : 'asked']}</span>{' '}
        <code>
          <VisibleText text={from === null ? path : `${from} → ${path}`} />
        </code>
        <Counts edit={edit} />
        {onOpen !== undefined && what !== 'deleted' && (
          <button type="button" class="link" onClick={() => onOpen(path)}>
            Open<span class="off-screen"> {path}</span>
          </button>
        )}
      </header>
      {hunks.some((hunk) => hunk.lines.length > 0) && <DiffView hunks={hunks} label={`Changes of ${path}`} />}
      {note !== '' && <p class="quiet edit-note">{note}</p>}
    </section>
  );
}

/** `+3 −1`, where it is known. */
export function Counts({ edit: { added, removed } }: { readonly edit: Pick<FileEdit, 'added' | 'removed'> }) {
  if ((added ?? 0) + (removed ?? 0) === 0) return null;
  return (
    <span class="counts">
      {added !== null && added > 0 && (
        <span class="added">
          +{added}
          <span class="off-screen"> lines added</span>
        </span>
      )}
      {removed !== null && removed > 0 && (
        <span class="removed">
          −{removed}
          <span class="off-screen"> lines removed</span>
        </span>
      )}
    </span>
  );
}

function noteOf({ source, what, hunks, added }: FileEdit, done: boolean): string {
  if (source === 'done') {
    if (hunks.length > 0) return '';
    return added === null
      ? 'There is no diff: the file is not text, or too much of it changed.'
      : what === 'moved'
        ? 'Its content is the same.'
        : '';
  }
  switch (what) {
    case 'written':
      return `Made from the request: this is the whole file. What it ${done ? 'replaced' : 'replaces'}, if it ${done ? 'was' : 'is'} there, is not shown.`;
    case 'deleted':
      return 'Made from the request, which does not say what is in the file.';
    case 'created':
      return '';
    default:
      return 'Made from the request, which does not say where in the file this is.';
  }
}

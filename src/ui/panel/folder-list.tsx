import { useComputed } from '@preact/signals';
import { changedPaths } from '../state/changes.ts';
import type { Files } from '../state/files.ts';
import type { FileActions } from './file-actions.ts';
import { FileLine } from './file-line.tsx';

interface FolderListProps {
  readonly files: Files;
  /** '' is the root. */
  readonly folder: string;
  /** The folder that something is dragged over. */
  readonly over: string | null;
  readonly actions: FileActions;
  readonly mayWrite: boolean;
}

/** What stands in a folder, each open folder with its own list below it. */
export function FolderList(props: FolderListProps) {
  const { files, folder } = props;
  const known = files.tree.value.folders.get(folder);
  const changed = useComputed(() => changedPaths(files.changes.shown.value ?? []));
  const entries = known?.entries ?? null;
  const failure = known?.failure ?? null;
  return (
    <>
      {failure !== null && (
        <p class="panel-note">
          {failure}{' '}
          <button type="button" class="link" onClick={() => files.again(folder)}>
            Try again
          </button>
        </p>
      )}
      {entries === null && failure === null && <p class="panel-note quiet">Loading…</p>}
      {entries?.length === 0 && (
        <p class="panel-note quiet">
          {folder === '' ? 'There are no files yet. Drop some here, or let the agent write them.' : 'Empty'}
        </p>
      )}
      {entries !== null && entries.length > 0 && (
        <ul class="tree" aria-label={folder === '' ? 'Files' : `In ${folder}`}>
          {entries.map((entry) => {
            const open = files.tree.value.open.has(entry.path);
            return (
              <FileLine key={entry.path} entry={entry} open={open} changed={changed.value.has(entry.path)} {...props}>
                {open && entry.kind === 'folder' && <FolderList {...props} folder={entry.path} />}
              </FileLine>
            );
          })}
        </ul>
      )}
      {(known?.cursor ?? null) !== null && (
        <button type="button" class="link" onClick={() => void files.more(folder)}>
          Show more of {folder === '' ? 'the files' : folder}
        </button>
      )}
    </>
  );
}

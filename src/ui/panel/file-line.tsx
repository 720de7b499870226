import type { ComponentChildren } from 'preact';
import { Icon } from '../components/icon.tsx';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { sizeText } from '../lib/size.ts';
import { type FileEntry, nameOf } from '../state/file-entry.ts';
import type { Files } from '../state/files.ts';
import type { FileActions } from './file-actions.ts';
import { moveInTree } from './move-in-tree.ts';

interface FileLineProps {
  readonly files: Files;
  readonly entry: FileEntry;
  readonly open: boolean;
  readonly changed: boolean;
  readonly over: string | null;
  readonly actions: FileActions;
  readonly mayWrite: boolean;
  /** What is in the folder, where it is open. */
  readonly children: ComponentChildren;
}

/** A file or folder of the tree, with its menu. */
export function FileLine({ files, entry, open, changed, over, actions, mayWrite, children }: FileLineProps) {
  const { path, kind, size } = entry;
  const isFolder = kind === 'folder';
  const name = nameOf(path);
  return (
    <li data-folder={isFolder ? path : undefined}>
      <div class={`file-line ${over === path ? 'over' : ''}`}>
        <button
          type="button"
          class="file-name"
          data-path={path}
          aria-expanded={isFolder ? open : undefined}
          onClick={() => (isFolder ? files.toggle(path) : files.show(path))}
          onKeyDown={(event) => moveInTree(event)}
        >
          {isFolder ? <Icon name="chevron" size={14} /> : <span class="no-chevron" />}
          <Icon name={isFolder ? 'folder' : 'file'} size={16} />
          <span class="name">{name}</span>
          {kind === 'link' && <span class="quiet">link</span>}
          {changed && (
            <span class="changed-mark" title="Changed in this session">
              <span class="off-screen">changed</span>
            </span>
          )}
          {!isFolder && <span class="file-size">{sizeText(size)}</span>}
        </button>
        <Menu label={`Menu of ${name}`} icon="more" class="small" items={itemsOf(entry, actions, mayWrite)} />
      </div>
      {isFolder && open && <div class="below">{children}</div>}
    </li>
  );
}

function itemsOf(entry: FileEntry, actions: FileActions, mayWrite: boolean): readonly MenuItem[] {
  const { path, kind } = entry;
  const isFolder = kind === 'folder';
  const save: MenuItem = isFolder
    ? { icon: 'download', label: 'Download as zip', run: () => actions.saveFolder(path) }
    : { icon: 'download', label: 'Download', run: () => actions.saveFile(path) };
  if (!mayWrite) return [save];
  return [
    ...(isFolder ? [{ icon: 'upload' as const, label: 'Upload here', run: () => actions.chooseFor(path) }] : []),
    save,
    { icon: 'trash', label: 'Delete', danger: true, run: () => actions.remove(entry) },
  ];
}

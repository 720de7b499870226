import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { droppedFiles, dropLimit } from '../lib/dropped.ts';
import { useApp } from '../state/app.ts';
import { nameOf, pathIn } from '../state/file-entry.ts';
import type { Incoming } from '../state/uploads.ts';
import { FileActions } from './file-actions.ts';
import { FileView } from './file-view.tsx';
import { FolderList } from './folder-list.tsx';
import type { TabProps } from './side-panel.tsx';
import { UploadList } from './upload-list.tsx';

/** The session's files: the tree, or the one in view. Files that are dropped on it are uploaded. */
export function FilesTab({ store, files }: TabProps) {
  const app = useApp();
  const chooser = useRef<HTMLInputElement>(null);
  const archiveChooser = useRef<HTMLInputElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const target = useRef('');
  const [over, setOver] = useState<string | null>(null);
  const mayWrite = app.config.value?.mayWrite !== false;
  const actions = new FileActions(app, store, files, (folder) => {
    target.current = folder;
    chooser.current?.click();
  });

  const chosen = (input: HTMLInputElement, archive: boolean): void => {
    files.uploads.add([...(input.files ?? [])].map((file) => incoming(target.current, file.name, file, archive)));
    input.value = '';
  };
  const onDrag = (event: DragEvent): void => {
    if (!mayWrite || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setOver(folderUnder(event.target));
  };
  const onDrop = (event: DragEvent): void => {
    const folder = over ?? '';
    setOver(null);
    if (!mayWrite || event.dataTransfer === null) return;
    event.preventDefault();
    droppedFiles(event.dataTransfer).then(
      ({ files: dropped, cut }) => {
        files.uploads.add(dropped.map(({ path, file }) => incoming(folder, path, file, isArchive(path))));
        if (cut) app.toasts.show(`Only the first ${dropLimit} files were taken. Bring a whole project in as a zip archive.`);
      },
      () => app.toasts.show('What was dropped could not be read.'),
    );
  };

  const path = files.path.value;
  const left = useRef<string | null>(path);
  useEffect(() => {
    // Back in the tree, the reader stands where they left it.
    if (path === null && left.current !== null && document.activeElement === document.body)
      frame.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(left.current)}"]`)?.focus();
    left.current = path;
  }, [path]);
  return (
    <div
      ref={frame}
      class={`files ${over === null ? '' : 'dropping'}`}
      onDragEnter={onDrag}
      onDragOver={onDrag}
      onDragLeave={(event) => !contains(event.currentTarget, event.relatedTarget) && setOver(null)}
      onDrop={onDrop}
    >
      {path === null ? (
        <>
          <div class="files-bar">
            {mayWrite && (
              <button type="button" class="button small" onClick={() => actions.chooseFor('')}>
                <Icon name="upload" size={15} /> Upload
              </button>
            )}
            <span class="spacer" />
            <Menu
              label="All files"
              icon="more"
              items={[
                { icon: 'download', label: 'Download all as zip', run: () => actions.saveFolder('') },
                ...(mayWrite
                  ? [
                      {
                        icon: 'upload' as const,
                        label: 'Unpack a zip archive…',
                        run: () => {
                          target.current = '';
                          archiveChooser.current?.click();
                        },
                      },
                    ]
                  : []),
              ]}
            />
          </div>
          <FolderList files={files} folder="" over={over} actions={actions} mayWrite={mayWrite} />
        </>
      ) : (
        <FileView files={files} path={path} actions={actions} mayWrite={mayWrite} />
      )}
      <UploadList uploads={files.uploads} />
      <input
        ref={chooser}
        class="off-screen"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files to upload"
        onChange={(event) => chosen(event.currentTarget, false)}
      />
      <input
        ref={archiveChooser}
        class="off-screen"
        type="file"
        accept=".zip"
        tabIndex={-1}
        aria-label="Archive to unpack"
        onChange={(event) => chosen(event.currentTarget, true)}
      />
      {over !== null && (
        <p class="drop-note" role="status">
          Drop to upload into {over === '' ? 'the top folder' : over}
        </p>
      )}
    </div>
  );
}

/** A file for a folder; an archive for what is below it. */
function incoming(folder: string, path: string, body: Blob, archive: boolean): Incoming {
  return { path: archive ? folder : pathIn(folder, path), name: nameOf(path), body, archive };
}

function isArchive(path: string): boolean {
  return path.toLowerCase().endsWith('.zip') && !path.includes('/');
}

/** The folder whose line the pointer is over; the top one elsewhere. */
function folderUnder(target: EventTarget | null): string {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-folder]')?.dataset.folder ?? '') : '';
}

function contains(outer: Element, inner: EventTarget | null): boolean {
  return inner instanceof Node && outer.contains(inner);
}

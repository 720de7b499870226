import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { sizeText } from '../lib/size.ts';
import { nameOf } from '../state/file-entry.ts';
import type { Files } from '../state/files.ts';
import type { FileContent } from '../state/opened-file.ts';
import { extensionOf } from '../state/opened-file.ts';
import type { FileActions } from './file-actions.ts';
import { FileText } from './file-text.tsx';

interface FileViewProps {
  readonly files: Files;
  readonly path: string;
  readonly actions: FileActions;
  readonly mayWrite: boolean;
}

/** The file in view: its text, its picture, or what it is. */
export function FileView({ files, path, actions, mayWrite }: FileViewProps) {
  const back = useRef<HTMLButtonElement>(null);
  const content = files.content.value;
  const hash = 'etag' in content ? content.etag.replaceAll('"', '') : '';
  useEffect(() => {
    // Where the reader came from is gone from the page, and the focus with it.
    if (document.activeElement === document.body) back.current?.focus();
  }, [path]);
  const close = (): void => files.close();
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <section class="file-view" aria-label={`File ${path}`} onKeyDown={onKey}>
      <header>
        <IconButton icon="chevron" class="back" label="Back to the files" buttonRef={back} onClick={close} />
        <div class="file-title">
          <h2>{nameOf(path)}</h2>
          <p class="quiet">
            {path}
            {'size' in content && ` · ${sizeText(content.size)}`}
          </p>
        </div>
        <IconButton icon="download" label="Download" onClick={() => actions.saveFile(path)} />
        {mayWrite && content.kind !== 'loading' && (
          <IconButton icon="trash" label="Delete" onClick={() => actions.remove({ path, hash })} />
        )}
      </header>
      <Content content={content} path={path} actions={actions} />
    </section>
  );
}

function Content({ content, path, actions }: { readonly content: FileContent } & Pick<FileViewProps, 'path' | 'actions'>) {
  switch (content.kind) {
    case 'loading':
      return <p class="panel-note quiet">Loading…</p>;
    case 'failed':
      return <p class="panel-note field-error">{content.detail}</p>;
    case 'image':
      return (
        <div class="file-image">
          <img src={content.url} alt={`Picture ${nameOf(path)}`} />
        </div>
      );
    case 'binary':
      return (
        <p class="panel-note">
          This is no text: {sizeText(content.size)}.{' '}
          <button type="button" class="link" onClick={() => actions.saveFile(path)}>
            <Icon name="download" size={14} /> Download
          </button>
        </p>
      );
    case 'text':
      return (
        <>
          {content.text === '' ? (
            <p class="panel-note quiet">The file is empty.</p>
          ) : (
            <FileText text={content.text} lang={extensionOf(path)} label={path} />
          )}
          {content.cut && (
            <p class="panel-note">
              Only the beginning is shown.{' '}
              <button type="button" class="link" onClick={() => actions.saveFile(path)}>
                Download all of it
              </button>
            </p>
          )}
        </>
      );
  }
}

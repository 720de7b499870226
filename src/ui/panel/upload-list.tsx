import { IconButton } from '../components/icon-button.tsx';
import { sizeText } from '../lib/size.ts';
import type { Upload, Uploads } from '../state/uploads.ts';

/** What is on its way into the files, and what asks before it goes. */
export function UploadList({ uploads }: { readonly uploads: Uploads }) {
  const list = uploads.list.value;
  if (list.length === 0) return null;
  return (
    <ul class="uploads" aria-label="Uploads">
      {list.map((upload) => (
        <li key={upload.id} class={`upload ${upload.state}`}>
          <div class="upload-head">
            <span class="name">{upload.archive ? upload.name : upload.path}</span>
            <span class="quiet">{sizeText(upload.body.size)}</span>
            <IconButton icon="close" class="small" label={`Drop ${upload.name}`} onClick={() => uploads.drop(upload.id)} />
          </div>
          <Progress upload={upload} uploads={uploads} />
        </li>
      ))}
    </ul>
  );
}

function Progress({ upload, uploads }: { readonly upload: Upload; readonly uploads: Uploads }) {
  const { id, state, share, detail, archive, path, name } = upload;
  const go = (): void => uploads.go(id);
  switch (state) {
    case 'waiting':
      return <p class="quiet">Waits</p>;
    case 'sending':
      return (
        <div class="upload-share">
          <progress value={share} max={1} aria-label={`Upload of ${name}`} />
          <span class="tabular">{Math.floor(share * 100)}%</span>
        </div>
      );
    case 'asks':
      return (
        <div class="upload-asks">
          <p>
            {archive
              ? `Unpack it into ${path === '' ? 'the top folder' : path}? Files of the same names are replaced; Changes can take that back.`
              : detail}
          </p>
          <span class="upload-choices">
            <button type="button" class="button small" onClick={go}>
              {archive ? 'Unpack' : 'Replace'}
            </button>
            {archive && (
              <button type="button" class="button small quiet-button" onClick={() => uploads.asFile(id)}>
                Keep it as a file
              </button>
            )}
            <button type="button" class="button small quiet-button" onClick={() => uploads.drop(id)}>
              {archive ? 'Cancel' : 'Keep the old one'}
            </button>
          </span>
        </div>
      );
    case 'failed':
      return (
        <p class="field-error">
          {detail}{' '}
          <button type="button" class="link" onClick={go}>
            Try again
          </button>
        </p>
      );
  }
}

import { type Api, ApiError } from './api.ts';
import type { FolderPage } from './file-entry.ts';

/** How many entries a page of a folder has. */
const pageSize = 200;

/** A file's beginning. `size` is that of the whole file, `etag` names its content. */
export interface FileHead {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly etag: string;
}

/** A file that stands where somebody wants to write. `size` is null where the server does not tell it. */
export interface FileThere {
  readonly etag: string;
  readonly size: number | null;
}

/** How an upload goes: what must hold, how far it is, when to stop. */
export interface WriteInit {
  /** The content that it replaces; null: nothing may stand there. */
  readonly replaces: string | null;
  readonly signal: AbortSignal;
  readonly onShare: (share: number) => void;
}

/** The files of a session over HTTP (docs/wire.md, files). Every method throws ApiError for a refusal. */
export class FileRoutes {
  readonly #api: Api;
  readonly #root: string;

  constructor(api: Api, scope: string) {
    this.#api = api;
    this.#root = `/sessions/${encodeURIComponent(scope)}/files`;
  }

  list(folder: string, cursor: string | null): Promise<FolderPage> {
    const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.#api.get<FolderPage>(`${this.#at(folder)}?limit=${pageSize}${from}`);
  }

  /** At most `bytes` of a file, from its beginning. `known` is the content that is shown already: null then says that it is still the one. */
  async head(path: string, bytes: number, known: string | null): Promise<FileHead | null> {
    const headers = { range: `bytes=0-${bytes - 1}`, ...(known === null ? {} : { 'if-none-match': known }) };
    const response = await this.#api.fetch('GET', this.#at(path), { headers }).catch(emptyFile);
    if (response === 'empty') return { bytes: new Uint8Array(0), size: 0, etag: '' };
    if (response.status === 304) return null;
    const taken = new Uint8Array(await response.arrayBuffer());
    const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
    return { bytes: taken, size: total === undefined ? taken.length : Number(total), etag: response.headers.get('etag') ?? '' };
  }

  /** A whole file. */
  async whole(path: string): Promise<Blob> {
    return (await this.#api.fetch('GET', this.#at(path))).blob();
  }

  /** A folder with all that is in it, as a zip archive. */
  async archive(folder: string): Promise<Blob> {
    return (await this.#api.fetch('GET', `${this.#at(folder)}?archive=zip`)).blob();
  }

  /** The file at a path; null for a folder. */
  async there(path: string): Promise<FileThere | null> {
    const { headers } = await this.#api.fetch('HEAD', this.#at(path));
    const [etag, size] = [headers.get('etag'), headers.get('content-length')];
    return etag === null ? null : { etag, size: size === null ? null : Number(size) };
  }

  /** Writes a file, if what stands there is what the writer thinks. */
  write(path: string, body: Blob, { replaces, ...init }: WriteInit): Promise<void> {
    const headers = replaces === null ? { 'if-none-match': '*' } : { 'if-match': replaces };
    return this.#api.send(this.#at(path), body, { ...init, headers });
  }

  /** Puts all that is in a zip archive below a folder, over what is there. */
  unpack(folder: string, body: Blob, init: Pick<WriteInit, 'signal' | 'onShare'>): Promise<void> {
    return this.#api.send(`${this.#at(folder)}?archive=zip`, body, { ...init, headers: {} });
  }

  /** Deletes a file, if it has the content that the reader saw, or a folder with all that is in it. */
  async remove(path: string, hash: string): Promise<void> {
    const headers = hash === '' ? {} : { 'if-match': `"${hash}"` };
    await this.#api.fetch('DELETE', this.#at(path), { headers });
  }

  #at(path: string): string {
    return path === '' ? this.#root : `${this.#root}/${path.split('/').map(encodeURIComponent).join('/')}`;
  }
}

/** No range of a file without bytes can be satisfied. */
function emptyFile(error: unknown): 'empty' {
  if (error instanceof ApiError && error.status === 416) return 'empty';
  throw error;
}

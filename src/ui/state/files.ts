import { type Signal, signal } from '@preact/signals';
import { type Api, ApiError } from './api.ts';
import { ChangeList } from './change-list.ts';
import type { FileEntry } from './file-entry.ts';
import { FileRoutes } from './file-routes.ts';
import { type FileContent, imageLimit, imageType, shownBytes, textOfBytes } from './opened-file.ts';
import { freshTree, type Tree, treeAfter, type TreeInput } from './tree.ts';
import { Uploads } from './uploads.ts';

/** Most pages of one folder that are read anew when files change. */
const pagesAnew = 5;

/** A session's files as this tab sees them: the folders that were opened, the file in view, and what is on its way. */
export class Files {
  readonly scope: string;
  readonly tree: Signal<Tree> = signal(freshTree);
  /** The path in view; null: the tree is. */
  readonly path: Signal<string | null> = signal(null);
  readonly content: Signal<FileContent> = signal({ kind: 'loading' });
  readonly uploads: Uploads;
  readonly changes: ChangeList;
  readonly routes: FileRoutes;
  #rev = -1;
  #refreshing = false;

  constructor(api: Api, scope: string) {
    this.scope = scope;
    this.routes = new FileRoutes(api, scope);
    this.uploads = new Uploads(this.routes);
    this.changes = new ChangeList(api, scope);
  }

  /** Opens or closes a folder. */
  toggle(folder: string): void {
    if (this.tree.value.open.has(folder)) return this.#feed({ type: 'close', path: folder });
    this.#feed({ type: 'open', path: folder });
    void this.#list(folder);
  }

  /** Reads the next page of a folder. */
  async more(folder: string): Promise<void> {
    const after = this.tree.value.folders.get(folder)?.cursor ?? null;
    if (after === null) return;
    try {
      this.#feed({ type: 'more', path: folder, after, page: await this.routes.list(folder, after) });
    } catch (error) {
      this.#failed(folder, error);
    }
  }

  /**
   * Reads again what is shown, when the files have changed since (`files.rev` of the snapshot). One reading at a time, and one more for what changed during it.
   * A revision that went back belongs to a session that was erased: then nothing of before counts.
   */
  async refresh(rev: number): Promise<void> {
    if (rev === this.#rev) return;
    if (rev < this.#rev) {
      this.close();
      this.tree.value = freshTree;
    }
    this.#rev = rev;
    if (this.#refreshing) return;
    this.#refreshing = true;
    try {
      for (let seen = -1; seen !== this.#rev;) {
        seen = this.#rev;
        for (const folder of this.tree.value.open) await this.#list(folder);
        await Promise.all([this.#read(), this.changes.refresh()]);
      }
    } finally {
      this.#refreshing = false;
    }
  }

  /** Reads a folder again after a failure. */
  again(folder: string): void {
    void this.#list(folder);
  }

  /** Shows a file. */
  show(path: string): void {
    this.#leave({ kind: 'loading' });
    this.path.value = path;
    void this.#read();
  }

  /** Shows the tree again. */
  close(): void {
    this.path.value = null;
    this.#leave({ kind: 'loading' });
  }

  /** Deletes what stands there, as the reader saw it. @throws ApiError when it is refused. */
  async remove({ path, hash }: Pick<FileEntry, 'path' | 'hash'>): Promise<void> {
    await this.routes.remove(path, hash);
    if (this.path.value === path) this.close();
  }

  async #list(folder: string): Promise<void> {
    const wanted = Math.min(pagesAnew, Math.max(1, this.tree.value.folders.get(folder)?.pages ?? 1));
    try {
      let page = await this.routes.list(folder, null);
      let pages = 1;
      for (; pages < wanted && page.cursor !== null; pages += 1) {
        const next = await this.routes.list(folder, page.cursor);
        page = { ...next, entries: [...page.entries, ...next.entries] };
      }
      this.#feed({ type: 'came', path: folder, page, pages });
    } catch (error) {
      this.#failed(folder, error);
    }
  }

  #failed(folder: string, error: unknown): void {
    if (error instanceof ApiError && error.code === 'not_found') this.#feed({ type: 'gone', path: folder });
    else this.#feed({ type: 'failed', path: folder, detail: messageOf(error) });
  }

  async #read(): Promise<void> {
    const path = this.path.value;
    if (path === null) return;
    const now = this.content.value;
    const known = 'etag' in now && now.etag !== '' ? now.etag : null;
    try {
      const type = imageType({ path });
      const head = await this.routes.head(path, type === null ? shownBytes : imageLimit, known);
      if (head === null || this.path.value !== path) return;
      const { bytes, size, etag } = head;
      const cut = size > bytes.length;
      const text = type === null ? textOfBytes(bytes, cut) : null;
      if (text !== null) this.#leave({ kind: 'text', text, size, cut, etag });
      else if (type === null || cut || size === 0) this.#leave({ kind: 'binary', size, etag });
      else this.#leave({ kind: 'image', url: URL.createObjectURL(new Blob([bytes.slice()], { type })), size, etag });
    } catch (error) {
      if (this.path.value === path) this.#leave({ kind: 'failed', detail: messageOf(error) });
    }
  }

  /** Shows other content; the address of an image that was shown is given back. */
  #leave(content: FileContent): void {
    const before = this.content.value;
    if (before.kind === 'image') URL.revokeObjectURL(before.url);
    this.content.value = content;
  }

  #feed(input: TreeInput): void {
    this.tree.value = treeAfter(this.tree.value, input);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'This could not be read.';
}

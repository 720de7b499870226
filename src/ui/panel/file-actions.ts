import { saveAs } from '../lib/save.ts';
import { undo } from '../state/actions.ts';
import type { App } from '../state/app.ts';
import { type FileEntry, nameOf } from '../state/file-entry.ts';
import type { Files } from '../state/files.ts';
import type { SessionStore } from '../state/session.ts';

/** How long a deletion offers to be taken back, in ms. */
const undoTime = 10_000;

/** What a person does with a file or folder. What goes wrong is said in a notice. */
export class FileActions {
  readonly #app: App;
  readonly #store: SessionStore;
  readonly #files: Files;
  /** Asks for files to be uploaded into a folder. */
  readonly chooseFor: (folder: string) => void;

  constructor(app: App, store: SessionStore, files: Files, chooseFor: (folder: string) => void) {
    this.#app = app;
    this.#store = store;
    this.#files = files;
    this.chooseFor = chooseFor;
  }

  /** Downloads a file. */
  saveFile(path: string): void {
    this.#tell(this.#files.routes.whole(path).then((body) => saveAs(body, nameOf(path))));
  }

  /** Downloads a folder as an archive. */
  saveFolder(path: string): void {
    const name = path === '' ? this.#store.scope : nameOf(path);
    this.#tell(this.#files.routes.archive(path).then((body) => saveAs(body, `${name}.zip`)));
  }

  /** Deletes what stands there, with a time to take it back. */
  remove(entry: Pick<FileEntry, 'path' | 'hash'>): void {
    const { toasts } = this.#app;
    const deleted = (): void => {
      const toast = toasts.show(
        `Deleted ${entry.path}.`,
        {
          label: 'Undo',
          run: () => {
            toasts.dismiss(toast);
            void this.undo([{ path: entry.path }]);
          },
        },
        undoTime,
      );
    };
    this.#tell(this.#files.remove(entry).then(deleted));
  }

  /** Undoes, in this order, until one is refused; says what came of it. */
  async undo(what: readonly ({ readonly path: string } | { readonly turn: number })[]): Promise<void> {
    const paths = new Set<string>();
    for (const one of what) {
      const answered = await undo(this.#store, one);
      if (!answered.ok) {
        this.#app.toasts.show(answered.refusal.detail);
        return;
      }
      for (const path of undonePaths(answered.result)) paths.add(path);
    }
    const [first = ''] = paths;
    this.#app.toasts.show(paths.size === 1 ? `Undone: ${first}.` : `Undone in ${paths.size} files.`);
  }

  #tell(work: Promise<void>): void {
    work.catch((error: unknown) => this.#app.toasts.show(error instanceof Error ? error.message : 'This did not work.'));
  }
}

function undonePaths(result: unknown): readonly string[] {
  if (typeof result !== 'object' || result === null || !('undone' in result) || !Array.isArray(result.undone)) return [];
  return result.undone.filter((path) => typeof path === 'string');
}

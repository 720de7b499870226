import type { Directory } from './directory.ts';
import type { Toasts } from './toasts.ts';

/** How long a deletion can be taken back, in ms. */
const undoTime = 10_000;

/** Deletions that wait: the session is hidden at once and erased when its time is up, or when the page goes away. */
export class Deletions {
  readonly #directory: Directory;
  readonly #toasts: Toasts;
  readonly #waiting = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(directory: Directory, toasts: Toasts) {
    this.#directory = directory;
    this.#toasts = toasts;
  }

  /** Deletes a session, unless the reader takes it back in time. */
  ask(scope: string, title: string): void {
    this.#directory.hide(scope, true);
    const toast = this.#toasts.show(`Deleted “${title}”.`, { label: 'Undo', run: () => this.#undo(scope, toast) }, undoTime);
    this.#waiting.set(
      scope,
      setTimeout(() => this.#erase(scope), undoTime),
    );
  }

  /** Erases all that wait, now. */
  flush(): void {
    for (const scope of this.#waiting.keys()) this.#erase(scope);
  }

  #undo(scope: string, toast: number): void {
    clearTimeout(this.#waiting.get(scope));
    this.#waiting.delete(scope);
    this.#directory.hide(scope, false);
    this.#toasts.dismiss(toast);
  }

  #erase(scope: string): void {
    clearTimeout(this.#waiting.get(scope));
    if (!this.#waiting.delete(scope)) return;
    this.#directory.erase(scope).catch((error: unknown) => {
      this.#directory.hide(scope, false);
      this.#toasts.show(error instanceof Error ? error.message : 'The session could not be deleted.');
    });
  }
}

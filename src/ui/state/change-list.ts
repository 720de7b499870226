import { type Signal, signal } from '@preact/signals';
import type { Api } from './api.ts';
import type { ChangePage, FileChange } from './changes.ts';

/** The undo journal of a session's files, as far as it was read. */
export class ChangeList {
  /** Newest first; null until it was read. */
  readonly shown: Signal<readonly FileChange[] | null> = signal(null);
  /** Where the next page begins; null on the last. */
  readonly cursor: Signal<number | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);
  readonly #api: Api;
  readonly #path: string;

  constructor(api: Api, scope: string) {
    this.#api = api;
    this.#path = `/sessions/${encodeURIComponent(scope)}/changes?limit=100`;
  }

  /** Reads the newest page anew; what was read beyond it is read again on demand. Never throws: `failure` says why it did not come. */
  async refresh(): Promise<void> {
    await this.#read(null);
  }

  /** Reads the next page. Never throws. */
  async more(): Promise<void> {
    if (this.cursor.value !== null) await this.#read(this.cursor.value);
  }

  async #read(before: number | null): Promise<void> {
    try {
      const page = await this.#api.get<ChangePage>(`${this.#path}${before === null ? '' : `&before=${before}`}`);
      if (before !== null && this.cursor.value !== before) return;
      this.shown.value = before === null ? page.changes : [...(this.shown.value ?? []), ...page.changes];
      this.cursor.value = page.cursor;
      this.failure.value = null;
    } catch (error) {
      this.failure.value = error instanceof Error ? error.message : 'The changes could not be read.';
    }
  }
}

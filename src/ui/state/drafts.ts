import type { TextStore } from './session.ts';

/** What a draft is of: the composer's, an edit of a partial reply, or an answer in the making. */
export type DraftKind = 'composer' | 'edit' | 'ask';

/** Texts that a reader began, kept on this device, a key each: shared by its tabs, and there again after a reload. */
export class Drafts {
  readonly #store: TextStore;

  constructor(store: TextStore) {
    this.#store = store;
  }

  /** The draft, empty when there is none. */
  read(scope: string, kind: DraftKind, of = ''): string {
    return this.#store.get(draftKey(scope, kind, of)) ?? '';
  }

  write(scope: string, kind: DraftKind, text: string, of = ''): void {
    this.#store.set(draftKey(scope, kind, of), text === '' ? null : text);
  }
}

/** Where a draft is kept. */
export function draftKey(scope: string, kind: DraftKind, of = ''): string {
  return `reins.draft.${kind}.${scope}${of === '' ? '' : `.${of}`}`;
}

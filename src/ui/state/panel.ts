import { type Signal, signal } from '@preact/signals';
import type { TextStore } from './session.ts';

/** What the side panel shows. */
export const panelTabs = ['files', 'changes'] as const;

/** One of them. */
export type PanelTab = (typeof panelTabs)[number];

const key = 'reins.panel';

/** The panel beside the conversation: whether it shows, and which of its tabs. Where it has a column of its own this is kept on the device; a drawer starts closed. */
export class Panel {
  readonly open: Signal<boolean> = signal(false);
  readonly tab: Signal<PanelTab>;
  /** A file that is to be shown; the panel takes it. */
  readonly wanted: Signal<string | null> = signal(null);
  readonly #store: TextStore;
  #column = false;

  constructor(store: TextStore) {
    this.#store = store;
    const [, tab] = (store.get(key) ?? '').split(' ');
    this.tab = signal(panelTabs.find((one) => one === tab) ?? 'files');
  }

  /** Whether there is room for a column. */
  fits(column: boolean): void {
    this.#column = column;
    this.open.value = column && this.#store.get(key)?.startsWith('open') === true;
  }

  /** Shows a tab. */
  show(tab: PanelTab): void {
    this.tab.value = tab;
    this.setOpen(true);
  }

  /** Shows a file. */
  showFile(path: string): void {
    this.wanted.value = path;
    this.show('files');
  }

  /** Shows or hides the panel. */
  setOpen(open: boolean): void {
    this.open.value = open;
    if (this.#column) this.#store.set(key, `${open ? 'open' : 'closed'} ${this.tab.value}`);
  }
}

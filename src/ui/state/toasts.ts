import { type Signal, signal } from '@preact/signals';

/** A short notice at the foot of the page, with at most one thing to do. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

/** The notices that show now; each leaves by itself. */
export class Toasts {
  readonly shown: Signal<readonly Toast[]> = signal([]);
  #next = 1;

  /** Shows a notice for `ms`. */
  show(text: string, action: Toast['action'] = null, ms = 6000): number {
    const id = this.#next;
    this.#next += 1;
    this.shown.value = [...this.shown.value, { id, text, action }];
    setTimeout(() => this.dismiss(id), ms);
    return id;
  }

  dismiss(id: number): void {
    this.shown.value = this.shown.value.filter((toast) => toast.id !== id);
  }
}

import { effect, type Signal, signal } from '@preact/signals';
import type { TextStore } from './session.ts';

/** Light, dark, or as the system has it. */
export type ThemeChoice = 'system' | 'light' | 'dark';

const key = 'reins.theme';

/** The reader's choice, kept on this device and put on the document. */
export function themeChoice(store: TextStore, root: HTMLElement): Signal<ThemeChoice> {
  const stored = store.get(key);
  const choice = signal<ThemeChoice>(stored === 'light' || stored === 'dark' ? stored : 'system');
  effect(() => {
    if (choice.value === 'system') delete root.dataset.theme;
    else root.dataset.theme = choice.value;
    store.set(key, choice.value === 'system' ? null : choice.value);
  });
  return choice;
}

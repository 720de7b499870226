import { useSignalEffect } from '@preact/signals';
import type { SessionStore } from '../state/session.ts';

/** Puts the session's title on the tab, and a mark on title and icon while something waits for a person. */
export function useTabMark(store: SessionStore): void {
  useSignalEffect(() => {
    const snapshot = store.snapshot.value;
    const waits = snapshot?.status === 'awaiting_input';
    const title = snapshot?.title || 'New conversation';
    document.title = `${waits ? '● Needs you: ' : ''}${title} · Reins`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon !== null) icon.href = waits ? '/icon-waits.svg' : '/icon.svg';
  });
}

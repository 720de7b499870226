import { useEffect } from 'preact/hooks';
import { composing } from './keys.ts';

/** How soon the second Esc must come, in ms. */
const again = 1000;

/**
 * Esc twice within a second stops; once only says so. What is open (a menu, a dialog, an edit) takes its Esc first and lets
 * none through. Esc never answers anything.
 */
export function useEscape(active: () => boolean, onTwice: () => void, onHint: (shown: boolean) => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let once = false;
    const reset = (): void => {
      once = false;
      onHint(false);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || composing(event) || !active()) return;
      if (document.querySelector('dialog[open]') !== null) return;
      clearTimeout(timer);
      if (once) {
        reset();
        onTwice();
        return;
      }
      once = true;
      onHint(true);
      timer = setTimeout(reset, again);
    };
    addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', onKey);
    };
  }, []);
}

import { useEffect, useState } from 'preact/hooks';

/** Whether a media query holds, kept up to date. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = (): void => setHolds(list.matches);
    changed();
    list.addEventListener('change', changed);
    return () => list.removeEventListener('change', changed);
  }, [query]);
  return holds;
}

/** One column: the session list is a sheet. */
export const narrow = '(max-width: 699px)';

/** Room for the side panel beside the conversation. */
export const wide = '(min-width: 1100px)';

/** The main pointer is a finger, so the keyboard is on the screen. */
export const touch = '(pointer: coarse)';

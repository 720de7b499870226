import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Lets a text box grow with its text; its style sheet says from how little to how much. */
export function useAutosize(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + element.offsetHeight - element.clientHeight}px`;
  }, [text]);
}

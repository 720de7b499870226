import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Follow, type FollowInput, follow, following } from './follow.ts';

/** A scrolling list that follows its end. */
export interface Following {
  readonly attached: Signal<boolean>;
  /** Goes to the end and follows it again. */
  readonly toEnd: () => void;
}

/** Keys that move the reader up or down a list. */
const upKeys = ['PageUp', 'ArrowUp', 'Home'];
const downKeys = ['PageDown', 'ArrowDown', ' '];

/**
 * Ties a scroller to the rule of `follow`: it stays at its end while `content` grows, and lets go as soon as the reader moves up.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): Following {
  const attached = useSignal(true);
  const state = useRef<Follow>(following);

  const feed = (input: FollowInput): void => {
    state.current = follow(state.current, input);
    attached.value = state.current.attached;
  };
  const pin = (): void => {
    const list = scroller.current;
    if (list !== null && state.current.attached) list.scrollTop = list.scrollHeight;
  };
  const toEnd = (): void => {
    feed({ type: 'end' });
    pin();
  };

  useEffect(() => {
    const list = scroller.current;
    const inner = content.current;
    if (list === null || inner === null) return undefined;
    const listening = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(name: K, run: (event: HTMLElementEventMap[K]) => void): void =>
      list.addEventListener(name, run, { passive: true, signal: listening.signal });
    const down = (): void => feed({ type: 'down', at: performance.now() });
    const away = (): void => feed({ type: 'away' });

    let finger = 0;
    let dragging = false;
    let top = list.scrollTop;
    on('wheel', (event) => (event.deltaY < 0 ? away() : down()));
    on('touchstart', (event) => {
      finger = event.touches[0]?.clientY ?? 0;
    });
    on('touchmove', (event) => {
      const at = event.touches[0]?.clientY ?? finger;
      if (at > finger) away();
      if (at < finger) down();
      finger = at;
    });
    on('keydown', (event) => {
      if (event.key === 'End') toEnd();
      else if (upKeys.includes(event.key) || (event.key === ' ' && event.shiftKey)) away();
      else if (downKeys.includes(event.key)) down();
    });
    on('pointerdown', (event) => {
      // Beside the text's own width lies the scrollbar.
      dragging = event.target === list && event.offsetX >= list.clientWidth;
      if (dragging) away();
    });
    addEventListener('pointerup', () => (dragging = false), { signal: listening.signal });
    on('scroll', () => {
      if (dragging && list.scrollTop > top) down();
      top = list.scrollTop;
      feed({ type: 'scrolled', gap: list.scrollHeight - list.clientHeight - list.scrollTop, at: performance.now() });
    });
    document.addEventListener('selectionchange', () => selects(inner) && away(), { signal: listening.signal });
    addEventListener('keydown', (event) => findKey(event) && away(), { signal: listening.signal });

    const grown = new ResizeObserver(pin);
    grown.observe(inner);
    grown.observe(list);
    pin();
    return () => {
      listening.abort();
      grown.disconnect();
    };
  }, []);

  return { attached, toEnd };
}

function selects(within: HTMLElement): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.anchorNode !== null && within.contains(selection.anchorNode);
}

function findKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && event.key === 'f';
}

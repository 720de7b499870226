import { useEffect, useRef } from 'preact/hooks';
import { tailOf } from '../lib/ansi.ts';
import { useFollow } from '../lib/use-follow.ts';
import { AnsiText } from './ansi-text.tsx';

/** How much of a running command's output is shown, in characters. */
const shown = 24_000;

/** The end of what a command has said so far. It follows as long as the reader is at its end, and its scrolling is its own. */
export function LiveOutput({ text }: { readonly text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLPreElement>(null);
  useFollow(box, content);
  useEffect(() => {
    // The conversation around it takes a move up for its own.
    const keep = (event: Event): void => {
      const element = box.current;
      if (element !== null && element.scrollHeight > element.clientHeight) event.stopPropagation();
    };
    const names = ['wheel', 'touchstart', 'touchmove'] as const;
    for (const name of names) box.current?.addEventListener(name, keep, { passive: true });
    return () => {
      for (const name of names) box.current?.removeEventListener(name, keep);
    };
  }, []);
  return (
    <div class="live-output" ref={box} tabIndex={0} role="group" aria-label="Output so far">
      <pre ref={content}>
        <AnsiText text={tailOf(text, shown)} />
      </pre>
    </div>
  );
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { duration } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { Icon } from './icon.tsx';

/** What the model thought: folded, with its last line while it comes in. How long it took is known to a tab that saw it. */
export function ReasoningPart({ text, live }: { readonly text: string; readonly live: boolean }) {
  const [open, setOpen] = useState(false);
  const began = useRef(live ? Date.now() : null);
  const [took, setTook] = useState<number | null>(null);
  const now = useNow(live ? 1000 : null);
  useEffect(() => {
    if (!live && began.current !== null) setTook(Date.now() - began.current);
  }, [live]);
  const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
  return (
    <details class="reasoning" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron" size={14} />
        <span class={live ? 'shimmer' : undefined}>
          {live
            ? `Thinking for ${duration(now - (began.current ?? now))}`
            : took === null
              ? 'Thought'
              : `Thought for ${duration(took)}`}
        </span>
        {live && !open && <span class="last-line">{lastLine}</span>}
      </summary>
      <div class="reasoning-text">{text}</div>
    </details>
  );
}

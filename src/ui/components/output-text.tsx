import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';

/** How much of a text shows at first, in characters. */
const limit = 4000;

/** A result under its title: its beginning, and all of it on demand. `view` shows a text; without it a text is shown as it is. */
export function OutputText({
  title,
  text,
  view = (shown) => shown,
}: {
  readonly title: string;
  readonly text: string;
  readonly view?: (text: string) => ComponentChildren;
}) {
  const [all, setAll] = useState(false);
  const cut = text.length > limit && !all;
  return (
    <section>
      <header>
        <h4>{title}</h4>
        <CopyButton text={() => text} label={`Copy ${title.toLowerCase()}`} />
      </header>
      <pre tabIndex={0} role="group" aria-label={title}>
        {view(cut ? text.slice(0, limit) : text)}
      </pre>
      {cut && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show all ({Math.ceil(text.length / 1024)} KiB)
        </button>
      )}
    </section>
  );
}

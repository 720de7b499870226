import { useEffect, useState } from 'preact/hooks';
import { colourable } from '../lib/highlight.ts';
import { useApp } from '../state/app.ts';
import { CodeText } from './code-text.tsx';
import { CopyButton } from './copy-button.tsx';
import { IconButton } from './icon-button.tsx';

/** A fence: its language, copy, wrap, and colours once they are loaded. `open`: its last line has not come. */
export function CodeBlock({ code, lang, open }: { readonly code: string; readonly lang: string; readonly open: boolean }) {
  const { highlighting } = useApp();
  const [wrap, setWrap] = useState(false);
  useEffect(() => {
    if (lang !== '') highlighting.ask();
  }, [lang]);
  const highlighter = lang === '' ? null : highlighting.ready.value;
  const [whole, rest] = colourable(code, open);
  const coloured = highlighter?.(whole, lang.toLowerCase()) ?? null;
  return (
    <figure class="code-block">
      <figcaption>
        <span>{lang === '' ? 'text' : lang}</span>
        <IconButton icon="wrap" class="small" label="Wrap long lines" pressed={wrap} onClick={() => setWrap(!wrap)} />
        <CopyButton text={() => code} label={open ? 'Copy (incomplete)' : 'Copy code'} />
      </figcaption>
      <pre class={wrap ? 'wrap' : undefined} tabIndex={0} aria-label={`Code, ${lang === '' ? 'plain text' : lang}`} role="group">
        <code>
          {coloured === null ? code : <CodeText nodes={coloured} />}
          {coloured === null ? null : rest}
        </code>
      </pre>
    </figure>
  );
}

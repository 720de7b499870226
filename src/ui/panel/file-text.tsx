import { useEffect, useMemo } from 'preact/hooks';
import { CodeText } from '../components/code-text.tsx';
import { useApp } from '../state/app.ts';

/** Above so many characters a file stays plain: colours would hold the page up. */
const colourLimit = 60_000;

interface FileTextProps {
  readonly text: string;
  /** The extension of its name, by which its language is known. */
  readonly lang: string;
  readonly label: string;
}

/** A text with the numbers of its lines, which are no part of what is copied. */
export function FileText({ text, lang, label }: FileTextProps) {
  const { highlighting } = useApp();
  const colours = lang !== '' && text.length <= colourLimit;
  useEffect(() => {
    if (colours) highlighting.ask();
  }, [colours]);
  const highlighter = colours ? highlighting.ready.value : null;
  const coloured = useMemo(() => highlighter?.(text, lang) ?? null, [highlighter, text, lang]);
  const numbers = useMemo(() => {
    const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    return Array.from({ length: count }, (_, index) => index + 1).join('\n');
  }, [text]);
  return (
    <div class="file-text" tabIndex={0} role="group" aria-label={`Text of ${label}`}>
      <pre class="line-numbers" aria-hidden="true">
        {numbers}
      </pre>
      <pre>
        <code>{coloured === null ? text : <CodeText nodes={coloured} />}</code>
      </pre>
    </div>
  );
}

import { useMemo } from 'preact/hooks';
import { ansiSpans } from '../lib/ansi.ts';

/** A program's output: its colours as classes, its other control sequences left out. */
export function AnsiText({ text }: { readonly text: string }) {
  const spans = useMemo(() => ansiSpans(text), [text]);
  return (
    <>
      {spans.map((span, index) =>
        span.classes === '' ? (
          span.text
        ) : (
          <span key={index} class={span.classes}>
            {span.text}
          </span>
        ),
      )}
    </>
  );
}

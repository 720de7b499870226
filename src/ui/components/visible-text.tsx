import { visibleParts } from '../lib/visible.ts';

/** A text in which nothing hides: control characters and characters without a width have a name. */
export function VisibleText({ text }: { readonly text: string }) {
  return (
    <>
      {visibleParts(text).map((part, index) =>
        part.hidden ? (
          <span key={index} class="unseen">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  );
}

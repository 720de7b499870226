import { useState } from 'preact/hooks';
import type { DiffHunk, DiffLine } from '../lib/diff-lines.ts';
import { VisibleText } from './visible-text.tsx';

/** How many lines show at first, and how many more with each press. */
const step = 400;
const further = 2000;

const signs = { same: ' ', add: '+', remove: '-', note: '' } as const;
const words = { same: '', add: 'Added: ', remove: 'Removed: ', note: '' } as const;

/** Changed lines, as texts in nodes: what a file holds is never markup. */
export function DiffView({ hunks, label }: { readonly hunks: readonly DiffHunk[]; readonly label: string }) {
  const [shown, setShown] = useState(step);
  const all = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return (
    <>
      <div class="diff" tabIndex={0} role="group" aria-label={label}>
        <table role="presentation">
          {cutAt(hunks, shown).map((hunk, index) => (
            <tbody key={index}>
              {(hunk.at !== '' || index > 0) && (
                <tr class="diff-at">
                  <td class="diff-number" />
                  <td>{hunk.at === '' ? '…' : hunk.at}</td>
                </tr>
              )}
              {hunk.lines.map((line, at) => (
                <DiffRow key={at} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </div>
      {all > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + further)}>
          Show {Math.min(further, all - shown)} more of {all} lines
        </button>
      )}
    </>
  );
}

function DiffRow({ line }: { readonly line: DiffLine }) {
  const { kind, text, marked } = line;
  return (
    <tr class={`diff-${kind}`}>
      <td class="diff-number">{line.after ?? line.before ?? ''}</td>
      <td>
        <span class="diff-sign" aria-hidden="true">
          {signs[kind]}
        </span>
        {words[kind] !== '' && <span class="off-screen">{words[kind]}</span>}
        {marked === null ? (
          <VisibleText text={text} />
        ) : (
          <>
            <VisibleText text={text.slice(0, marked[0])} />
            <mark>
              <VisibleText text={text.slice(marked[0], marked[1])} />
            </mark>
            <VisibleText text={text.slice(marked[1])} />
          </>
        )}
      </td>
    </tr>
  );
}

function cutAt(hunks: readonly DiffHunk[], lines: number): readonly DiffHunk[] {
  let left = lines;
  return hunks.flatMap((hunk) => {
    if (left <= 0) return [];
    const kept = hunk.lines.slice(0, left);
    left -= kept.length;
    return [{ ...hunk, lines: kept }];
  });
}

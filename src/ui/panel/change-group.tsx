import { oneLine } from '../lib/tool-text.ts';
import type { ChangeGroup } from '../state/changes.ts';
import { ChangeView } from './change-view.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import type { FileActions } from './file-actions.ts';

interface ChangeGroupProps {
  readonly group: ChangeGroup;
  readonly actions: FileActions;
  readonly mayWrite: boolean;
  /** Shows a file. */
  readonly onShow: (path: string) => void;
}

/** The changes of one request, with a way to undo all of them. */
export function ChangeGroupView({ group, actions, mayWrite, onShow }: ChangeGroupProps) {
  const { words, turns, changes } = group;
  const title = turns.length === 0 ? 'By hand' : oneLine(words);
  return (
    <section class="change-group" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {mayWrite && turns.length > 0 && (
          <ConfirmButton
            icon="undo"
            label="Undo turn"
            confirm="Undo for good?"
            of={`of ${title}`}
            onConfirm={() => void actions.undo(turns.map((turn) => ({ turn })))}
          />
        )}
      </header>
      <ul>
        {changes.map((shown) => (
          <ChangeView key={shown.change.id} shown={shown} actions={actions} mayWrite={mayWrite} onShow={onShow} />
        ))}
      </ul>
    </section>
  );
}

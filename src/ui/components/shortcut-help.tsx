import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from './icon-button.tsx';

const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['Enter', 'Send; while it runs, steer'],
  ['Alt+Enter', 'Queue for when the turn is done'],
  ['Shift+Enter', 'A new line'],
  ['Ctrl+Enter', 'Resume after an edit'],
  ['Esc Esc', 'Stop the turn'],
  ['Alt+A', 'Go to what waits for you'],
  ['A, D', 'Allow or deny, with the request focused'],
  ['Ctrl+B', 'Show or hide the sessions'],
  ['Ctrl+J', 'Show or hide files and changes'],
  ['End', 'In the conversation: follow the newest line'],
  ['?', 'This list'],
];

/** The keys of the page, in a dialog. */
export function ShortcutHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <header>
        <h2 id="help-title">Keys</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <dl>
        {shortcuts.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}

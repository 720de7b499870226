import { useEffect, useRef } from 'preact/hooks';
import { useLazy } from '../lib/use-lazy.ts';
import { useApp } from '../state/app.ts';
import type { SessionStore } from '../state/session.ts';
import { ToastList } from './toast-list.tsx';

interface FrameProps {
  readonly store: SessionStore;
  /** It has a column of its own; else it is a sheet over the page. */
  readonly column: boolean;
}

/** Where the side panel stands. A sheet makes the page under it inert, so notices show in it. */
export function PanelFrame({ store, column }: FrameProps) {
  const { panel } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const open = panel.open.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open, column]);
  const close = (): void => panel.setOpen(false);
  if (column) return open ? <LazyPanel key={store.scope} store={store} /> : null;
  return (
    <dialog
      ref={dialog}
      class="sheet right"
      aria-label="Side panel"
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      {open && (
        <>
          <LazyPanel key={store.scope} store={store} />
          <ToastList />
        </>
      )}
    </dialog>
  );
}

function LazyPanel({ store }: Pick<FrameProps, 'store'>) {
  const { part, failed, again } = useLazy(() => import('../panel/side-panel.tsx'));
  if (part !== null) return <part.SidePanel store={store} />;
  return (
    <aside class="side-panel" aria-label="Side panel" aria-busy={!failed}>
      {failed && (
        <p class="panel-note">
          The panel could not be loaded.{' '}
          <button type="button" class="link" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </aside>
  );
}

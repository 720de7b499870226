import { useEffect, useRef } from 'preact/hooks';
import { narrow, useMedia, wide } from '../lib/use-media.ts';
import { useApp } from '../state/app.ts';
import { PanelFrame } from '../components/panel-frame.tsx';
import { SessionRail } from '../components/session-rail.tsx';
import { ShortcutHelp } from '../components/shortcut-help.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ToastList } from '../components/toast-list.tsx';
import { Chat } from './chat.tsx';
import { SignIn } from './sign-in.tsx';

/** The page: sessions beside the conversation, or under it as a sheet where there is one column. */
export function Shell() {
  const app = useApp();
  const isNarrow = useMedia(narrow);
  const isWide = useMedia(wide);
  const session = app.session.value;
  const close = (): void => {
    app.railOpen.value = false;
  };
  useEffect(() => {
    app.railOpen.value = !isNarrow;
  }, [isNarrow]);
  useEffect(() => app.panel.fits(isWide), [isWide]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isField(event.target)) app.helpOpen.value = true;
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if (event.key !== 'b' && event.key !== 'j') return;
      event.preventDefault();
      if (event.key === 'b') app.railOpen.value = !app.railOpen.value;
      else app.panel.setOpen(!app.panel.open.value);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  if (app.signIn.value !== null) return <SignIn />;
  const withPanel = isWide && session !== null && app.panel.open.value;
  return (
    <>
      <a class="skip-link" href="#conversation">
        Skip to the conversation
      </a>
      <div class={`shell ${app.railOpen.value && !isNarrow ? 'with-rail' : ''} ${withPanel ? 'with-panel' : ''}`}>
        {isNarrow ? (
          <RailSheet open={app.railOpen.value} onClose={close} />
        ) : (
          app.railOpen.value && <SessionRail onClose={close} />
        )}
        {session === null ? (
          <main id="conversation" class="chat">
            <Skeleton />
          </main>
        ) : (
          <>
            <Chat key={session.scope} store={session} />
            <PanelFrame store={session} column={isWide} />
          </>
        )}
      </div>
      {(isWide || session === null || !app.panel.open.value) && <ToastList />}
      <ShortcutHelp open={app.helpOpen.value} onClose={() => (app.helpOpen.value = false)} />
    </>
  );
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

function RailSheet({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label="Sessions"
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      {open && <SessionRail onClose={onClose} />}
    </dialog>
  );
}

import { useEffect, useRef } from 'preact/hooks';
import { narrow, useMedia } from '../lib/use-media.ts';
import { useApp } from '../state/app.ts';
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
  const session = app.session.value;
  const close = (): void => {
    app.railOpen.value = false;
  };
  useEffect(() => {
    app.railOpen.value = !isNarrow;
  }, [isNarrow]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === '?' && !isField(event.target)) app.helpOpen.value = true;
      if (event.key !== 'b' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      app.railOpen.value = !app.railOpen.value;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  if (app.signIn.value !== null) return <SignIn />;
  return (
    <>
      <a class="skip-link" href="#conversation">
        Skip to the conversation
      </a>
      <div class={`shell ${app.railOpen.value && !isNarrow ? 'with-rail' : ''}`}>
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
          <Chat key={session.scope} store={session} />
        )}
      </div>
      <ToastList />
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

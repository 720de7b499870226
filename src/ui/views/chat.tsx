import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { textOf } from '../../core/message.ts';
import type { Following } from '../lib/use-follow.ts';
import { useEscape } from '../lib/use-escape.ts';
import { stop } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import { type ComposerLink, ComposerProvider } from '../state/composer-link.ts';
import type { SessionStore } from '../state/session.ts';
import { AskTray } from '../components/ask-tray.tsx';
import { Composer } from '../components/composer.tsx';
import { DemoBanner } from '../components/demo-banner.tsx';
import { QueueList } from '../components/queue-list.tsx';
import { RunningStrip } from '../components/running-strip.tsx';
import { StatusAnnouncer } from '../components/status-announcer.tsx';
import { TopBar } from '../components/top-bar.tsx';
import { Transcript } from '../components/transcript.tsx';
import { useTabMark } from '../lib/use-tab-mark.ts';

/** One session: its bar, the conversation, and the place to write. */
export function Chat({ store }: { readonly store: SessionStore }) {
  const { drafts, compose } = useApp();
  const box = useRef<HTMLTextAreaElement>(null);
  const following = useRef<Following | null>(null);
  const [text, setText] = useState(() => drafts.read(store.scope, 'composer'));
  const current = useRef(text);
  current.current = text;
  const hint = useSignal(false);
  const main = useRef<HTMLElement>(null);

  const link = useMemo<ComposerLink>(() => {
    const fill = (words: string): void => {
      const next = current.current.trim() === '' ? words : `${current.current.trimEnd()}\n${words}`;
      setText(next);
      drafts.write(store.scope, 'composer', next);
      box.current?.focus();
    };
    return {
      fill,
      rephrase: () => {
        const mine = store.rows.value.findLast((row) => row.kind === 'user');
        fill(mine?.kind === 'user' ? textOf(mine.message) : '');
      },
      focus: () => box.current?.focus(),
    };
  }, [store]);

  useTabMark(store);
  useEffect(() => {
    if (compose.value) box.current?.focus();
    compose.value = false;
  }, []);
  useEscape(
    () => store.snapshot.value?.status === 'running',
    () => void stop(store),
    (shown) => (hint.value = shown),
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || event.code !== 'KeyA' || event.ctrlKey || event.metaKey) return;
      const ask = main.current?.querySelector<HTMLElement>('.ask');
      if (ask === null || ask === undefined) return;
      event.preventDefault();
      ask.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <ComposerProvider value={link}>
      <div class="chat">
        <TopBar store={store} />
        <main id="conversation" ref={main} tabIndex={-1}>
          <DemoBanner store={store} />
          <Transcript store={store} onFollow={(next) => (following.current = next)} />
          <div class="dock">
            <AskTray store={store} />
            <QueueList store={store} />
            <RunningStrip store={store} hint={hint.value} />
            <Composer store={store} box={box} text={text} onText={setText} onSent={() => following.current?.toEnd()} />
          </div>
        </main>
        <StatusAnnouncer store={store} />
      </div>
    </ComposerProvider>
  );
}

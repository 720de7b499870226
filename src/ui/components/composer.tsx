import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { enterMeans } from '../lib/keys.ts';
import { useAutosize } from '../lib/use-autosize.ts';
import { touch, useMedia } from '../lib/use-media.ts';
import { send, type SendMode, stop } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import { draftKey } from '../state/drafts.ts';
import type { SessionStore } from '../state/session.ts';
import { ContextMeter } from './context-meter.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { ModelLine } from './model-line.tsx';

interface ComposerProps {
  readonly store: SessionStore;
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSent: () => void;
}

/** Where a person writes. What sending means follows the session: a turn when idle, a steer or a queued message while it runs. */
export function Composer({ store, box, text, onText, onSent }: ComposerProps) {
  const { drafts, config } = useApp();
  const onTouch = useMedia(touch);
  const [focused, setFocused] = useState(false);
  const status = store.snapshot.value?.status ?? 'idle';
  const ready = text.trim() !== '';
  useAutosize(box, text);

  // Another tab's draft is taken over, unless this one is being typed in.
  useEffect(() => {
    const key = draftKey(store.scope, 'composer');
    const changed = (event: StorageEvent): void => {
      if (event.key === key && document.activeElement !== box.current) onText(event.newValue ?? '');
    };
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
  }, [store]);

  const write = (next: string): void => {
    onText(next);
    drafts.write(store.scope, 'composer', next);
  };
  const give = (delivery: SendMode): void => {
    if (!ready) return;
    void send(store, text.trim(), delivery);
    write('');
    onSent();
    box.current?.focus();
  };
  const primary: SendMode = status === 'awaiting_input' ? 'queue' : 'auto';
  const stopAndSend = (): void => {
    void stop(store);
    give('queue');
  };

  if (config.value?.mayWrite === false) return <p class="composer read-only">You may read this session, not write in it.</p>;
  return (
    <form
      class={`composer ${focused ? 'focused' : ''}`}
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        give(primary);
      }}
    >
      <textarea
        ref={box}
        rows={1}
        value={text}
        aria-label="Message"
        placeholder={placeholders[status]}
        enterkeyhint={onTouch ? 'enter' : 'send'}
        onInput={(event) => write(event.currentTarget.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onKeyDown={(event) => {
          const meaning = enterMeans(event, onTouch);
          if (meaning === 'none' || meaning === 'line') return;
          event.preventDefault();
          give(meaning === 'queue' && status === 'running' ? 'queue' : primary);
        }}
      />
      <div class="composer-foot">
        <ModelLine store={store} />
        <ContextMeter store={store} />
        <span class="composer-hint">{focused && ready && !onTouch ? hints[status] : ''}</span>
        <span class="split">
          <button type="submit" class="button primary send" disabled={!ready} aria-label={labels[status]} title={labels[status]}>
            <Icon name={status === 'idle' ? 'send' : status === 'running' ? 'steer' : 'queue'} size={18} />
            {status !== 'idle' && <span>{labels[status]}</span>}
          </button>
          {status !== 'idle' && (
            <Menu
              label="Other ways to send"
              icon="chevron"
              class="primary split-more"
              up
              items={
                status === 'running'
                  ? [
                      { icon: 'queue', label: 'Queue', keys: 'Alt+Enter', run: () => give('queue'), disabled: !ready },
                      { icon: 'stop', label: 'Stop and send', run: stopAndSend, disabled: !ready },
                    ]
                  : [{ icon: 'send', label: 'Deny what waits and send', run: () => give('deny_pending'), disabled: !ready }]
              }
            />
          )}
        </span>
      </div>
    </form>
  );
}

const placeholders = {
  idle: 'Message the agent',
  running: 'Steer it, or queue what comes next',
  awaiting_input: 'Answer above, or queue a message',
} as const;

const labels = { idle: 'Send', running: 'Steer', awaiting_input: 'Queue' } as const;

const hints = {
  idle: 'Enter sends · Shift+Enter makes a line',
  running: 'Enter steers · Alt+Enter queues',
  awaiting_input: 'Enter queues',
} as const;

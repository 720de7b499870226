import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Pending } from '../../core/need.ts';
import { answer } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import { useComposerLink } from '../state/composer-link.ts';
import type { Refusal } from '../state/outbox.ts';
import type { SessionStore } from '../state/session.ts';
import { byWhom } from '../state/who.ts';
import { AskCard } from './ask-card.tsx';
import { IconButton } from './icon-button.tsx';

/** What waits for a person, oldest first, one at a time. It never takes the focus; Alt+A goes to it. */
export function AskTray({ store }: { readonly store: SessionStore }) {
  const { me, toasts, drafts } = useApp();
  const composer = useComposerLink();
  const tray = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  const [at, setAt] = useState(0);
  const [sentIds, setSentIds] = useState<ReadonlySet<string>>(new Set());
  const snapshot = store.snapshot.value;
  const waits = snapshot?.status === 'awaiting_input' ? snapshot.pending : [];
  const staged = new Map(snapshot?.staged.map((one) => [one.callId, one.by]));
  const open = waits.filter((pending) => !staged.has(pending.call.id));
  const index = Math.min(at, Math.max(0, open.length - 1));
  const current = open[index] ?? null;

  useEffect(() => {
    if (!hadFocus.current) return;
    hadFocus.current = false;
    const next = tray.current?.querySelector<HTMLElement>('.ask');
    if (next !== null && next !== undefined) next.focus();
    else composer.focus();
  }, [current?.call.id]);

  // Answers that a failed turn did not use are given again by its Retry.
  const given = current === null && snapshot?.lastEnded?.reason === 'failed';
  if (waits.length === 0 || given) return null;

  const give = async (pending: Pending, given: Answer): Promise<void> => {
    hadFocus.current = tray.current?.contains(document.activeElement) ?? false;
    setSentIds(new Set([...sentIds, pending.call.id]));
    const answered = await answer(store, [given]);
    setSentIds((ids) => new Set([...ids].filter((id) => id !== pending.call.id)));
    if (answered.ok) drafts.write(store.scope, 'ask', '', pending.call.id);
    else toasts.show(explain(answered.refusal, me));
  };

  return (
    <section class="tray" aria-label="Waiting for you" ref={tray}>
      {open.length > 1 && (
        <nav class="tray-nav" aria-label="What waits">
          <IconButton
            icon="chevron"
            class="small back"
            label="Previous"
            disabled={index === 0}
            onClick={() => setAt(index - 1)}
          />
          <span>
            {index + 1} of {open.length}
          </span>
          <IconButton
            icon="chevron"
            class="small"
            label="Next"
            disabled={index === open.length - 1}
            onClick={() => setAt(index + 1)}
          />
        </nav>
      )}
      {current === null ? (
        <p class="quiet">Answered. The turn goes on in a moment.</p>
      ) : (
        <AskCard
          key={current.call.id}
          scope={store.scope}
          pending={current}
          whole={store.isWhole(current)}
          locked={sentIds.has(current.call.id)}
          onAnswer={(given) => void give(current, given)}
        />
      )}
      {staged.size > 0 && current !== null && (
        <ul class="staged">
          {waits
            .filter((pending) => staged.has(pending.call.id))
            .map((pending) => (
              <li key={pending.call.id}>
                <code>{pending.call.name}</code> answered{byWhom(staged.get(pending.call.id), me)}, waits for the rest
              </li>
            ))}
        </ul>
      )}
    </section>
  );
}

function explain(refusal: Refusal, me: string): string {
  if (refusal.code !== 'already_answered' && refusal.code !== 'nothing_pending') return refusal.detail;
  const by = refusal.decided?.by as { participant: string; client?: string } | undefined;
  return `Already answered${byWhom(by, me)}.`;
}

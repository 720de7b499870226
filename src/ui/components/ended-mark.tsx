import { useState } from 'preact/hooks';
import type { EndedRun } from '../../session/protocol/wire.ts';
import { retry } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import type { SessionStore } from '../state/session.ts';
import { byWhom } from '../state/who.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

const causes: { readonly [kind: string]: string } = {
  model_error: 'The model failed.',
  rate_limited: 'The model’s provider asks to slow down.',
  context_too_long: 'The conversation is too long for the model.',
  transport_error: 'The connection to the model broke.',
  tool_retries_exceeded: 'A tool was called wrongly too often.',
  middleware_error: 'A middleware failed.',
  tool_error: 'A tool broke the rules of its protocol.',
  recovery_exhausted: 'The server was lost again and again in the middle of the turn.',
  too_many_turns: 'Too many of your turns run at once.',
  unsupported_option: 'The model cannot do what was asked of it.',
};

/** How the last turn ended, where that is more than done: failed with what to do, or stopped by whom. */
export function EndedMark({ store }: { readonly store: SessionStore }) {
  const snapshot = store.snapshot.value;
  const { me } = useApp();
  const ended = snapshot?.lastEnded ?? null;
  if (snapshot === null || snapshot.status === 'running' || ended === null) return null;
  if (ended.reason === 'failed') return <Failed store={store} ended={ended} />;
  if (snapshot.status !== 'idle') return null;
  if (ended.reason === 'cancelled' && snapshot.partial === null) return <Notice text={`Stopped${byWhom(ended.by, me)}`} />;
  if (ended.reason === 'stopped') return <Notice text="Stopped: the turn reached its limit of steps" />;
  return null;
}

function Notice({ text }: { readonly text: string }) {
  return (
    <p class="notice">
      <span>{text}</span>
    </p>
  );
}

function Failed({ store, ended }: { readonly store: SessionStore; readonly ended: EndedRun }) {
  const [asked, setAsked] = useState(false);
  const { toasts } = useApp();
  const cause = causes[ended.error?.class ?? ''] ?? causes[ended.errorKind ?? ''] ?? 'The turn failed.';
  const again = async (): Promise<void> => {
    setAsked(true);
    const answered = await retry(store);
    setAsked(false);
    if (!answered.ok) toasts.show(answered.refusal.detail);
  };
  return (
    <section class="mark failed" aria-label="Failed">
      <Icon name="alert" size={18} />
      <div>
        <strong>{cause}</strong>
        {ended.error !== null && <p>{ended.error.message}</p>}
      </div>
      <div class="mark-actions">
        <CopyButton text={() => details(ended)} label="Copy details" />
        <button type="button" class="button small" disabled={asked} onClick={() => void again()}>
          <Icon name="retry" size={15} /> Retry
        </button>
      </div>
    </section>
  );
}

function details({ run, turn, reason, error, errorKind, usage }: EndedRun): string {
  return JSON.stringify({ run, turn, reason, error, errorKind, usage }, null, 2);
}

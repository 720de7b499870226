import { toolTitle } from '../lib/tool-names.ts';
import { duration } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { interrupt, stop } from '../state/actions.ts';
import { activityOf } from '../state/activity.ts';
import type { SessionStore } from '../state/session.ts';
import { Icon } from './icon.tsx';

/** How long a stop may take before it is said what still runs, in ms. */
const patience = 5000;

/** What the turn does now, since when, and how to stop it. */
export function RunningStrip({ store, hint }: { readonly store: SessionStore; readonly hint: boolean }) {
  const snapshot = store.snapshot.value;
  const running = snapshot?.status === 'running';
  const now = useNow(running ? 1000 : null);
  if (snapshot === null || !running) return null;
  const asked = store.asked.value;
  const stopping = asked !== null && asked.run === snapshot.run;
  const { label } = activityOf(snapshot, stopping ? snapshot.run : null);
  const since = store.turnSince.value ?? now;
  const notice = store.retryNotice.value;
  const writing =
    snapshot.step?.attributes === null && snapshot.step.content.some((part) => part.type === 'text' && part.text.trim() !== '');
  return (
    <div class="strip">
      <span class="pulse" aria-hidden="true" />
      <span class="strip-label">
        {notice === null ? label : `Trying again in ${duration(Math.max(0, notice.until - now))} (attempt ${notice.attempt})`}
        {stopping && now - since > patience && stillRunning(snapshot.step?.calls ?? [])}
      </span>
      <span class="quiet tabular">{duration(now - since)}</span>
      {hint && <span class="esc-hint">Press Esc again to stop</span>}
      <span class="strip-actions">
        {writing && !stopping && (
          <button type="button" class="button small" onClick={() => void interrupt(store)}>
            <Icon name="edit" size={15} /> Interrupt & edit
          </button>
        )}
        <button type="button" class="button small stop" disabled={stopping} onClick={() => void stop(store)}>
          <Icon name="stop" size={15} /> Stop
        </button>
      </span>
    </div>
  );
}

function stillRunning(calls: readonly { readonly name: string; readonly state: string }[]): string {
  const names = calls.filter((call) => call.state === 'running').map((call) => toolTitle(call.name));
  return names.length === 0 ? '' : ` Still running: ${names.join(', ')}`;
}

import { tokens } from '../lib/time.ts';
import type { SessionStore } from '../state/session.ts';

/** How full the model's window is; nothing where that is not known. Amber from 70 percent, red from 85. */
export function ContextMeter({ store }: { readonly store: SessionStore }) {
  const usage = store.snapshot.value?.usage;
  if (usage === undefined) return null;
  const { used, window } = usage.context;
  const spent = usage.session.input + usage.session.output;
  if (spent === 0 && used === 0) return null;
  const title = `${tokens(usage.session.input)} tokens in, ${tokens(usage.session.output)} out in this session`;
  if (window === null || window <= 0)
    return (
      <span class="meter quiet" title={title}>
        {tokens(spent)} tokens
      </span>
    );
  const share = Math.min(1, used / window);
  const level = share >= 0.85 ? 'high' : share >= 0.7 ? 'some' : 'low';
  return (
    <span class={`meter ${level}`} title={`${title}; ${tokens(used)} of ${tokens(window)} in the window`}>
      <svg width="16" height="16" viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="8" pathLength={100} />
        <circle cx="10" cy="10" r="8" pathLength={100} class="filled" stroke-dasharray={`${Math.round(share * 100)} 100`} />
      </svg>
      {Math.round(share * 100)}% of the window
    </span>
  );
}

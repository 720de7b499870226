import { useSignalEffect, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Snapshot } from '../../session/protocol/wire.ts';
import { announcement } from '../state/announce.ts';
import type { SessionStore } from '../state/session.ts';

/** The page's one voice for screen readers: what changes in the session, at its boundaries only. */
export function StatusAnnouncer({ store }: { readonly store: SessionStore }) {
  const before = useRef<Snapshot | null>(null);
  const calm = useSignal('');
  const urgent = useSignal('');
  useSignalEffect(() => {
    const after = store.snapshot.value;
    if (after === null) return;
    const said = announcement(before.current, after);
    before.current = after;
    if (said === null) return;
    calm.value = said.urgent ? '' : said.text;
    urgent.value = said.urgent ? said.text : '';
  });
  return (
    <div class="off-screen">
      <p role="status">{calm}</p>
      <p role="alert">{urgent}</p>
    </div>
  );
}

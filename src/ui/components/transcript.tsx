import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Following } from '../lib/use-follow.ts';
import { useFollow } from '../lib/use-follow.ts';
import { useApp } from '../state/app.ts';
import type { SessionStore } from '../state/session.ts';
import { EmptyState } from './empty-state.tsx';
import { EndedMark } from './ended-mark.tsx';
import { JumpToLatest } from './jump-to-latest.tsx';
import { PartialRow } from './partial-row.tsx';
import { Row } from './row.tsx';
import { SendingRows } from './sending-rows.tsx';
import { Skeleton } from './skeleton.tsx';

/** How far from the top older rows are fetched, in px. */
const ahead = 1500;

/** The conversation, newest at the end. */
export function Transcript({
  store,
  onFollow,
}: {
  readonly store: SessionStore;
  readonly onFollow: (following: Following) => void;
}) {
  const { toasts } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useFollow(scroller, content);
  const seen = useRef(0);
  const loaded = useComputed(() => store.snapshot.value !== null);
  const empty = useComputed(
    () => store.rowIds.value.length === 0 && store.outbox.value.length === 0 && store.snapshot.value?.status === 'idle',
  );
  useEffect(() => onFollow(following), [following.attached]);
  if (following.attached.value) seen.current = store.rowIds.value.length;

  const height = useRef(0);
  const first = store.rowIds.value[0];
  useLayoutEffect(() => {
    // At the very top the browser holds no anchor, so the rows that were there are put back by hand.
    const list = scroller.current;
    if (list !== null && list.scrollTop === 0 && !following.attached.peek()) list.scrollTop = list.scrollHeight - height.current;
    height.current = list?.scrollHeight ?? 0;
  }, [first]);

  const loadEarlier = (): void => {
    height.current = scroller.current?.scrollHeight ?? 0;
    store.loadEarlier().catch(() => toasts.show('Earlier messages could not be loaded.'));
  };
  const onScroll = (): void => {
    if ((scroller.current?.scrollTop ?? ahead) < ahead && store.moreEarlier.value) loadEarlier();
  };

  return (
    <div class="transcript-frame">
      <div class="transcript" ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label="Conversation">
        <div class="column" ref={content}>
          {!loaded.value && <Skeleton />}
          {store.moreEarlier.value && (
            <button type="button" class="link earlier" onClick={loadEarlier}>
              Show earlier messages
            </button>
          )}
          {empty.value ? <EmptyState store={store} /> : null}
          <ol class="rows" aria-label="Messages">
            {store.rowIds.value.map((id) => (
              <Row key={id} store={store} id={id} />
            ))}
            <PartialRow store={store} />
            <SendingRows store={store} />
          </ol>
          <EndedMark store={store} />
        </div>
      </div>
      <JumpToLatest store={store} following={following} seen={seen.current} />
    </div>
  );
}

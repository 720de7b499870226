import { useComputed, useSignal } from '@preact/signals';
import { narrow, useMedia } from '../lib/use-media.ts';
import { useApp } from '../state/app.ts';
import type { SessionStore } from '../state/session.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';

const command = 'npm start -- --var HARNESS_OPENAI_URL:http://127.0.0.1:8080/v1 --var HARNESS_MODEL:my-model';

/** Says that no language model is connected, and how to connect one. One line once the conversation has begun; it never goes away. */
export function DemoBanner({ store }: { readonly store: SessionStore }) {
  const { config } = useApp();
  const isNarrow = useMedia(narrow);
  const chosen = useSignal<boolean | null>(null);
  const empty = useComputed(() => store.snapshot.value !== null && store.rowIds.value.length === 0);
  if (config.value?.demo !== true) return null;
  const open = chosen.value ?? (empty.value && !isNarrow);
  return (
    <aside class={`banner ${open ? '' : 'folded'}`} aria-label="No language model">
      <Icon name="alert" size={17} />
      <div>
        <p>
          <strong>No language model is connected.</strong>{' '}
          {open ? 'The built-in demo answers; it follows plain requests, say “help” for the list.' : ''}
        </p>
        {open && (
          <>
            <p>To connect any server that speaks Chat Completions, start Reins with its address and a model:</p>
            <div class="command">
              <code tabIndex={0} role="group" aria-label="Command">
                {command}
              </code>
              <CopyButton text={() => command} label="Copy the command" />
            </div>
          </>
        )}
      </div>
      {open ? (
        <IconButton icon="close" class="small" label="Fold this notice" onClick={() => (chosen.value = false)} />
      ) : (
        <button type="button" class="link" onClick={() => (chosen.value = true)}>
          How to connect one
        </button>
      )}
    </aside>
  );
}

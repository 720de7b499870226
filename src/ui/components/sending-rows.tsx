import { useApp } from '../state/app.ts';
import { useComposerLink } from '../state/composer-link.ts';
import type { Sent } from '../state/outbox.ts';
import type { SessionStore } from '../state/session.ts';
import { Icon } from './icon.tsx';

/** The reader's words that the session does not show yet: on their way, waiting for the network, or refused. */
export function SendingRows({ store }: { readonly store: SessionStore }) {
  return (
    <>
      {store.outbox.value
        .filter((sent) => sent.text !== null)
        .map((sent) => (
          <li
            key={sent.id}
            class={`row user ${sent.state}`}
            aria-label={sent.state === 'refused' ? 'You, not sent' : 'You, sending'}
          >
            <div class="bubble">{sent.text}</div>
            <Delivery sent={sent} store={store} />
          </li>
        ))}
    </>
  );
}

function Delivery({ sent, store }: { readonly sent: Sent; readonly store: SessionStore }) {
  const composer = useComposerLink();
  const { toasts } = useApp();
  if (sent.state !== 'refused') {
    return <div class="delivery">{store.phase.value === 'live' ? 'Sending…' : 'Waits for the connection'}</div>;
  }
  const takeBack = (): void => {
    store.forget(sent);
    composer.fill(sent.text ?? '');
    toasts.show('The message is back in the box.');
  };
  return (
    <div class="delivery failed">
      <Icon name="alert" size={14} /> {sent.refusal?.detail ?? 'Not sent.'}
      <button type="button" class="link" onClick={() => store.again(sent)}>
        Retry
      </button>
      <button type="button" class="link" onClick={takeBack}>
        Edit
      </button>
    </div>
  );
}

import type { Finish } from '../../core/message.ts';
import { useComposerLink } from '../state/composer-link.ts';
import { Icon } from './icon.tsx';

/**
 * Marks a reply that is finished but not whole (FIN-04): cut at the token limit, with the remedy (FIN-06, CTXW-06), or refused.
 * Each has something to do next, which only fills the composer: the person sends.
 */
export function FinishMark({ finish, empty }: { readonly finish: Finish | null; readonly empty: boolean }) {
  const composer = useComposerLink();
  if (finish === 'length') {
    return (
      <aside class="mark warn" aria-label="Cut off">
        <Icon name="alert" size={16} />
        <p>
          <strong>{empty ? 'No answer: the token limit was used up before it.' : 'Cut off at the token limit.'}</strong> A higher{' '}
          <code>maxOutputTokens</code> gives {empty ? 'a model that thinks room to answer' : 'room for the whole reply'}.
        </p>
        <button type="button" class="button small" onClick={() => composer.fill('Please go on.')}>
          Ask to go on
        </button>
      </aside>
    );
  }
  if (finish === 'refusal') {
    return (
      <aside class="mark warn" aria-label="Declined">
        <Icon name="shield" size={16} />
        <p>
          <strong>The model declined to answer.</strong> The words of the request may be why.
        </p>
        <button type="button" class="button small" onClick={() => composer.rephrase()}>
          Rephrase
        </button>
      </aside>
    );
  }
  return null;
}

import { useState } from 'preact/hooks';
import type { Message } from '../../core/message.ts';
import type { PartialReply } from '../../session/protocol/wire.ts';
import { discard, keep, send } from '../state/actions.ts';
import type { SessionStore } from '../state/session.ts';

interface AppendAndAskProps {
  readonly store: SessionStore;
  readonly partial: PartialReply;
  /** The reply as edited. */
  readonly message: Message;
  readonly onDone: () => void;
}

/** For a model that cannot go on after an edit (INTR-15): keep it as a finished message, then ask. The person chooses, and sees the words. */
export function AppendAndAsk({ store, partial, message, onDone }: AppendAndAskProps) {
  const [words, setWords] = useState('Please go on from there.');
  const [problem, setProblem] = useState<string | null>(null);
  const run = async (ask: boolean): Promise<void> => {
    const kept = await keep(store, partial.rev, message);
    if (!kept.ok) {
      setProblem(kept.refusal.detail);
      return;
    }
    onDone();
    if (ask) void send(store, words, 'auto');
  };
  return (
    <div class="fallback">
      <p>
        <strong>This model cannot go on from an edited reply.</strong> The edit can be kept as a finished message instead, and the
        model asked for the next one with these words:
      </p>
      <input
        type="text"
        aria-label="What to ask after the kept reply"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {problem !== null && <p class="field-error">{problem}</p>}
      <div class="partial-actions">
        <button type="button" class="button primary" disabled={words.trim() === ''} onClick={() => void run(true)}>
          Keep and ask
        </button>
        <button type="button" class="button" onClick={() => void run(false)}>
          Keep only
        </button>
        <button type="button" class="button quiet-button" onClick={() => void discard(store, partial.rev)}>
          Discard
        </button>
      </div>
    </div>
  );
}

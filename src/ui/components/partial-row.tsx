import { useEffect, useState } from 'preact/hooks';
import type { PartialReply } from '../../session/protocol/wire.ts';
import { discard, keep, resume } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import { useComposerLink } from '../state/composer-link.ts';
import { editableText, withText } from '../state/edit.ts';
import type { Refusal } from '../state/outbox.ts';
import type { Answered, SessionStore } from '../state/session.ts';
import { byWhom } from '../state/who.ts';
import { AppendAndAsk } from './append-and-ask.tsx';
import { Icon } from './icon.tsx';
import { PartialEditor } from './partial-editor.tsx';
import { PartialParts } from './partial-parts.tsx';

/** The reply that was stopped: outlined, since it is not part of the conversation until someone decides. */
export function PartialRow({ store }: { readonly store: SessionStore }) {
  const snapshot = store.snapshot.value;
  const partial = snapshot?.partial ?? null;
  if (partial === null || snapshot?.status !== 'idle') return null;
  return (
    <li class="row partial" aria-label="Unfinished reply">
      {store.isWhole(partial) ? (
        <Partial key={`${partial.run}.${partial.rev}`} store={store} partial={partial} />
      ) : (
        <PartialParts message={partial.message} withoutLastText={false} />
      )}
    </li>
  );
}

function Partial({ store, partial }: { readonly store: SessionStore; readonly partial: PartialReply }) {
  const { drafts, me } = useApp();
  const composer = useComposerLink();
  const ended = store.snapshot.value?.lastEnded ?? null;
  const original = editableText(partial.message);
  const draft = drafts.read(store.scope, 'edit', partial.run);
  const mine = store.asked.peek()?.what === 'interrupt' && store.asked.peek()?.run === partial.run;
  const [editing, setEditing] = useState(original !== null && (mine || draft !== ''));
  const [text, setText] = useState(draft === '' ? (original ?? '') : draft);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const edited = text !== original;
  const fallback = refusal?.fallback ?? ended?.fallback ?? null;
  const elsewhere = store.presence.value.some((one) => one.editing === true && one.label !== me);

  useEffect(() => {
    store.setEditing(editing);
    return () => store.setEditing(false);
  }, [editing]);

  const change = (next: string): void => {
    setText(next);
    drafts.write(store.scope, 'edit', next === original ? '' : next, partial.run);
  };
  const decide = async (command: Promise<Answered>): Promise<void> => {
    setBusy(true);
    const answered = await command;
    setBusy(false);
    setRefusal(answered.ok ? null : answered.refusal);
    if (!answered.ok) return;
    drafts.write(store.scope, 'edit', '', partial.run);
    composer.focus();
  };
  const message = edited ? withText(partial.message, text) : partial.message;
  const goOn = (): void => void decide(resume(store, message, partial.rev));

  return (
    <>
      <header class="partial-head">
        <Icon name="pause" size={15} />
        <span>
          {ended?.reason === 'interrupted' ? 'Paused' : ended?.reason === 'failed' ? 'Broken off' : 'Stopped'}
          {byWhom(partial.by ?? ended?.by, me)}
        </span>
        <span class="quiet">{elsewhere ? 'Being edited in another tab' : 'Not part of the conversation yet'}</span>
      </header>
      <PartialParts message={partial.message} withoutLastText={editing} />
      {editing && <PartialEditor text={text} focus={mine} onChange={change} onResume={goOn} />}
      {refusal !== null && refusal.fallback === undefined && <p class="field-error">{refusal.detail}</p>}
      {fallback === 'append_and_ask' ? (
        <AppendAndAsk
          store={store}
          partial={partial}
          message={message}
          onDone={() => drafts.write(store.scope, 'edit', '', partial.run)}
        />
      ) : (
        <div class="partial-actions">
          {original !== null && (
            <button type="button" class="button primary" disabled={busy || text.trim() === ''} onClick={goOn} title="Ctrl+Enter">
              {edited ? 'Resume from the edit' : 'Resume'}
            </button>
          )}
          {original !== null && !editing && (
            <button type="button" class="button" onClick={() => setEditing(true)}>
              {elsewhere ? 'Take over' : 'Edit'}
            </button>
          )}
          <button
            type="button"
            class="button"
            disabled={busy}
            onClick={() => void decide(keep(store, partial.rev, edited ? message : undefined))}
          >
            {edited ? 'Keep the edit' : 'Keep as is'}
          </button>
          <button
            type="button"
            class="button quiet-button"
            disabled={busy}
            onClick={() => void decide(discard(store, partial.rev))}
          >
            Discard
          </button>
        </div>
      )}
    </>
  );
}

import { useState } from 'preact/hooks';
import { type Approval, allow, deny, type Need, type Question } from '../../core/need.ts';
import { enterMeans } from '../lib/keys.ts';
import { touch, useMedia } from '../lib/use-media.ts';
import type { Given } from './ask-card.tsx';

interface FieldProps<T extends Need> {
  readonly need: T;
  readonly given: Given | undefined;
  /** The call's only need: giving it answers the call. */
  readonly single: boolean;
  readonly locked: boolean;
  /** `final`: given by a press that means it, not while typing. */
  readonly onGive: (given: Given, final: boolean) => void;
}

/** The field of one need. */
export function NeedField(props: FieldProps<Need>) {
  const { need } = props;
  if (need.type === 'approval') return <ApprovalField {...props} need={need} />;
  return need.choices === null ? (
    <TextField {...props} need={need} />
  ) : (
    <ChoiceField {...props} need={need} choices={need.choices} />
  );
}

function ApprovalField({ need, given, single, locked, onGive }: FieldProps<Approval>) {
  const [note, setNote] = useState<string | null>(null);
  const decision = given !== undefined && 'decision' in given ? given.decision : null;
  const reason = note === null || note.trim() === '' ? null : note.trim();
  const pressed = (allowed: boolean): boolean | undefined => (single ? undefined : decision?.allowed === allowed);
  return (
    <div class="need">
      {need.reason !== '' && <p>{need.reason}</p>}
      {note !== null && (
        <input
          type="text"
          placeholder="Why not? The agent reads this."
          aria-label="Note to the agent"
          value={note}
          onInput={(event) => setNote(event.currentTarget.value)}
          onKeyDown={(event) => enterMeans(event, false) === 'send' && onGive({ decision: deny(reason) }, true)}
        />
      )}
      <div class="ask-actions">
        <button
          type="button"
          class="button primary"
          disabled={locked}
          aria-pressed={pressed(true)}
          onClick={() => onGive({ decision: allow }, true)}
        >
          Allow
        </button>
        <button
          type="button"
          class="button"
          disabled={locked}
          aria-pressed={pressed(false)}
          onClick={() => onGive({ decision: deny(reason) }, true)}
        >
          {reason === null ? 'Deny' : 'Deny with note'}
        </button>
        {note === null && (
          <button type="button" class="button quiet-button" disabled={locked} onClick={() => setNote('')}>
            Add a note
          </button>
        )}
      </div>
    </div>
  );
}

function ChoiceField({
  need,
  choices,
  given,
  single,
  locked,
  onGive,
}: FieldProps<Question> & { readonly choices: readonly string[] }) {
  const value = given !== undefined && 'value' in given ? given.value : null;
  return (
    <fieldset class="need">
      <legend>{need.text}</legend>
      <div class="choices">
        {choices.map((choice) => (
          <button
            key={choice}
            type="button"
            class="button choice"
            disabled={locked}
            aria-pressed={single ? undefined : value === choice}
            onClick={() => onGive({ value: choice }, true)}
          >
            {choice}
          </button>
        ))}
        <Decline locked={locked} onGive={onGive} />
      </div>
    </fieldset>
  );
}

function TextField({ need, given, single, locked, onGive }: FieldProps<Question>) {
  const onTouch = useMedia(touch);
  const value = given !== undefined && 'value' in given ? String(given.value) : '';
  const ready = value.trim() !== '' && !locked;
  return (
    <div class="need">
      <label>
        <span class="need-text">{need.text}</span>
        <textarea
          rows={2}
          value={value}
          disabled={locked}
          onInput={(event) => onGive({ value: event.currentTarget.value }, false)}
          onKeyDown={(event) => {
            if (enterMeans(event, onTouch) !== 'send' || !single || !ready) return;
            event.preventDefault();
            onGive({ value: event.currentTarget.value }, true);
          }}
        />
      </label>
      <div class="ask-actions">
        {single && (
          <button type="button" class="button primary" disabled={!ready} onClick={() => onGive({ value }, true)}>
            Answer
          </button>
        )}
        <Decline locked={locked} onGive={onGive} />
      </div>
    </div>
  );
}

function Decline({ locked, onGive }: Pick<FieldProps<Need>, 'locked' | 'onGive'>) {
  return (
    <button type="button" class="button quiet-button" disabled={locked} onClick={() => onGive({ decision: deny() }, true)}>
      Decline
    </button>
  );
}

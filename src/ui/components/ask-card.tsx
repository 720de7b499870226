import { useState } from 'preact/hooks';
import { isObject, type Json, parseJson } from '../../core/json.ts';
import { type Answer, allow, type Decision, deny, type Need, type Pending } from '../../core/need.ts';
import { composing } from '../lib/keys.ts';
import { toolTitle } from '../lib/tool-names.ts';
import { useApp } from '../state/app.ts';
import { CallInput } from './call-input.tsx';
import { Icon } from './icon.tsx';
import { NeedField } from './need-field.tsx';

/** What a person has said to one need so far. */
export type Given = { readonly decision: Decision } | { readonly value: Json };

interface AskCardProps {
  readonly scope: string;
  readonly pending: Pending;
  /** False while only the beginning of its input is here. */
  readonly whole: boolean;
  /** An answer is on its way. */
  readonly locked: boolean;
  readonly onAnswer: (answer: Answer) => void;
}

/** One call that waits: what it would do, and a field for each of its needs. A single approval or choice answers with one press. */
export function AskCard({ scope, pending, whole, locked, onAnswer }: AskCardProps) {
  const { drafts } = useApp();
  const { call, needs } = pending;
  const [given, setGiven] = useState(() => restore(drafts.read(scope, 'ask', call.id)));
  const only = needs.length === 1 ? needs[0] : undefined;
  const asks = needs.some((need) => need.type === 'approval');
  const complete = needs.every((need) => given.has(need.id));

  const submit = (answers: ReadonlyMap<string, Given>): void => onAnswer(toAnswer(call.id, answers));
  const set = (need: Need, one: Given, final: boolean): void => {
    const next = new Map(given).set(need.id, one);
    setGiven(next);
    drafts.write(scope, 'ask', JSON.stringify([...next]), call.id);
    if (final && only !== undefined) submit(next);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || composing(event) || only?.type !== 'approval' || locked) return;
    if (event.key === 'a') set(only, { decision: allow }, true);
    if (event.key === 'd') set(only, { decision: deny() }, true);
  };

  return (
    <div
      class="ask"
      tabIndex={-1}
      onKeyDown={onKey}
      role="group"
      aria-label={asks ? `Approve ${toolTitle(call.name)}` : 'Question'}
    >
      <header>
        <Icon name={asks ? 'shield' : 'question'} />
        <strong>{asks ? `Allow ${toolTitle(call.name)}?` : 'The agent asks'}</strong>
      </header>
      {asks && (
        <div class="asked">
          <CallInput name={call.name} input={call.input} raw="" label="What it would do" done={false} />
          {!whole && <p class="field-error">This is only the beginning of it: the whole is on its way.</p>}
        </div>
      )}
      {needs.map((need) => (
        <NeedField
          key={need.id}
          need={need}
          given={given.get(need.id)}
          single={only !== undefined}
          locked={locked}
          onGive={(one, final) => set(need, one, final)}
        />
      ))}
      {only === undefined && (
        <div class="ask-actions">
          <button type="button" class="button primary" disabled={!complete || locked} onClick={() => submit(given)}>
            Answer
          </button>
        </div>
      )}
    </div>
  );
}

function toAnswer(callId: string, given: ReadonlyMap<string, Given>): Answer {
  const decisions: [string, Decision][] = [];
  const values: [string, Json][] = [];
  for (const [id, one] of given) {
    if ('decision' in one) decisions.push([id, one.decision]);
    else values.push([id, one.value]);
  }
  return { callId, decisions: Object.fromEntries(decisions), values: Object.fromEntries(values) };
}

function restore(draft: string): ReadonlyMap<string, Given> {
  const stored = parseJson(draft);
  const entries = Array.isArray(stored)
    ? stored.filter((entry) => Array.isArray(entry) && typeof entry[0] === 'string' && isObject(entry[1]))
    : [];
  return new Map(entries);
}

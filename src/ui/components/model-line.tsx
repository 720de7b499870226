import { patch } from '../state/actions.ts';
import { useApp } from '../state/app.ts';
import type { SessionStore } from '../state/session.ts';

/** Mode and model of the session; a choice where there is one. */
export function ModelLine({ store }: { readonly store: SessionStore }) {
  const { config } = useApp();
  const snapshot = store.snapshot.value;
  const models = config.value?.models ?? [];
  const modes = config.value?.modes ?? [];
  const model = snapshot?.model ?? models[0] ?? '';
  return (
    <span class="model-line">
      <Choice label="Mode" value={snapshot?.mode ?? ''} options={modes} onChoose={(mode) => void patch(store, { mode })} />
      <Choice label="Model" value={model} options={models} onChoose={(next) => void patch(store, { model: next })} />
    </span>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  if (value === '') return null;
  if (options.length < 2)
    return (
      <span class="tag" title={label}>
        {value}
      </span>
    );
  return (
    <select class="tag" aria-label={label} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}

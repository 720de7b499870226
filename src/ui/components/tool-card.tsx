import { useState } from 'preact/hooks';
import { toolTitle } from '../lib/tool-names.ts';
import { callTarget, inputFields, progressShare, progressText, resultText } from '../lib/tool-text.ts';
import type { CallCard, CardState } from '../state/rows.ts';
import { CopyButton } from './copy-button.tsx';
import { InputFields } from './input-fields.tsx';
import { Icon, type IconName } from './icon.tsx';

const words: { readonly [state in CardState]: string } = {
  preparing: 'Preparing',
  ready: 'Waiting its turn',
  running: 'Running',
  waiting: 'Needs you',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
};

/** A tool call: one line, and behind it the input, the progress and the result. Open by itself when it failed. */
export function ToolCard({ card }: { readonly card: CallCard }) {
  const [open, setOpen] = useState<boolean | null>(null);
  const shown = open ?? card.state === 'failed';
  const target = callTarget(card.input);
  const input = inputFields(card.input, card.raw);
  const progress = card.result === null ? progressText(card.progress) : '';
  return (
    <div class={`tool-card ${card.state}`}>
      <details open={shown} onToggle={(event) => event.currentTarget.open !== shown && setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name={iconOf(card.name)} size={16} />
          <span class="tool-name">{toolTitle(card.name)}</span>
          <span class="tool-target">{target}</span>
          <span class="tool-state">
            <StateMark state={card.state} />
            {words[card.state]}
          </span>
          <Icon name="chevron" size={14} />
        </summary>
        <div class="tool-body">
          {input.length > 0 && <InputFields fields={input} label="Input" />}
          {card.result !== null && <Section title={card.result.error ? 'Error' : 'Result'} text={resultText(card.result)} />}
          {input.length === 0 && card.result === null && <p class="quiet">No input.</p>}
        </div>
      </details>
      {progress !== '' && <Progress text={progress} share={progressShare(card.progress)} />}
    </div>
  );
}

function iconOf(name: string): IconName {
  if (/clock|time|wait/.test(name)) return 'clock';
  if (/ask/.test(name)) return 'question';
  return /note/.test(name) ? 'note' : 'tool';
}

function StateMark({ state }: { readonly state: CardState }) {
  if (state === 'running' || state === 'preparing') return <span class="spinner" aria-hidden="true" />;
  if (state === 'done') return <Icon name="check" size={14} />;
  if (state === 'failed') return <Icon name="close" size={14} />;
  return state === 'waiting' ? <Icon name="alert" size={14} /> : null;
}

function Section({ title, text }: { readonly title: string; readonly text: string }) {
  const [all, setAll] = useState(false);
  const limit = 4000;
  const cut = text.length > limit && !all;
  return (
    <section>
      <header>
        <h4>{title}</h4>
        <CopyButton text={() => text} label={`Copy ${title.toLowerCase()}`} />
      </header>
      <pre tabIndex={0} role="group" aria-label={title}>
        {cut ? text.slice(0, limit) : text}
      </pre>
      {cut && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show all ({Math.ceil(text.length / 1024)} KiB)
        </button>
      )}
    </section>
  );
}

/** Outside the folded part, so that it shows while the card is closed. */
function Progress({ text, share }: { readonly text: string; readonly share: number | null }) {
  return (
    <div class="tool-progress">
      {share !== null && <progress value={share} max={1} aria-label="Progress" />}
      <span>{text}</span>
    </div>
  );
}

import { useState } from 'preact/hooks';
import { editTools, editsAsked, type FileEdit } from '../lib/file-edits.ts';
import { readShellResult, type ShellResult } from '../lib/shell-text.ts';
import { toolTitle } from '../lib/tool-names.ts';
import { callTarget, progressShare, progressText, resultText } from '../lib/tool-text.ts';
import { useApp } from '../state/app.ts';
import type { CallCard, CardState } from '../state/rows.ts';
import { CallInput } from './call-input.tsx';
import { Counts, FileEditView } from './file-edit-view.tsx';
import { Icon, type IconName } from './icon.tsx';
import { LiveOutput } from './live-output.tsx';
import { OutputText } from './output-text.tsx';
import { ShellBody } from './shell-body.tsx';
import { VisibleText } from './visible-text.tsx';

const words: { readonly [state in CardState]: string } = {
  preparing: 'Preparing',
  ready: 'Waiting its turn',
  running: 'Running',
  waiting: 'Needs you',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
};

interface ToolCardProps {
  readonly card: CallCard;
  /** What the call reported of the files that it changed; null when that is not known. */
  readonly edits?: readonly FileEdit[] | null;
}

/** A tool call: one line, and behind it the input, the progress and the result. Open by itself when it failed. */
export function ToolCard({ card, edits = null }: ToolCardProps) {
  const [open, setOpen] = useState<boolean | null>(null);
  const shown = open ?? card.state === 'failed';
  const shell = card.name === 'shell' && card.result !== null ? readShellResult(resultText(card.result)) : null;
  const live = card.name === 'shell' && card.result === null && typeof card.progress === 'string' ? card.progress : '';
  const progress = card.result === null && live === '' ? progressText(card.progress) : '';
  return (
    <div class={`tool-card ${card.state}`}>
      <details open={shown} onToggle={(event) => event.currentTarget.open !== shown && setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name={iconOf(card.name)} size={16} />
          <span class="tool-name">{toolTitle(card.name)}</span>
          <span class="tool-target">
            <VisibleText text={targetOf(card, edits)} />
          </span>
          {edits !== null && <Counts edit={sumOf(edits)} />}
          <span class="tool-state">
            <StateMark state={card.state} />
            {shell === null || shell.exit === null || card.state !== 'failed' ? words[card.state] : `Exit ${shell.exit}`}
          </span>
          <Icon name="chevron" size={14} />
        </summary>
        {shown && <Body card={card} edits={edits} shell={shell} />}
      </details>
      {live !== '' && <LiveOutput text={live} />}
      {progress !== '' && <Progress text={progress} share={progressShare(card.progress)} />}
    </div>
  );
}

/** What is behind the line; made when it is opened. */
function Body({ card, edits, shell }: Required<ToolCardProps> & { readonly shell: ShellResult | null }) {
  const { panel } = useApp();
  const { name, input, raw, result, state } = card;
  const done = state === 'done';
  const empty = Object.keys(input ?? {}).length === 0 && (raw === '' || raw === '{}');
  return (
    <div class="tool-body">
      {edits === null || edits.length === 0 ? (
        <CallInput name={name} input={input} raw={raw} label="Input" done={done} />
      ) : (
        edits.map((edit) => <FileEditView key={edit.path} edit={edit} done onOpen={(path) => panel.showFile(path)} />)
      )}
      {shell !== null && <ShellBody result={shell} />}
      {shell === null && result !== null && <OutputText title={result.error ? 'Error' : 'Result'} text={resultText(result)} />}
      {empty && result === null && <p class="quiet">No input.</p>}
    </div>
  );
}

function targetOf({ name, input }: CallCard, edits: readonly FileEdit[] | null): string {
  const changed = edits ?? (editTools.has(name) ? editsAsked(name, input) : null) ?? [];
  const [first] = changed;
  if (first === undefined) return callTarget(input);
  return changed.length === 1 ? first.path : `${first.path} and ${changed.length - 1} more`;
}

function sumOf(edits: readonly FileEdit[]): Pick<FileEdit, 'added' | 'removed'> {
  const sum = (count: 'added' | 'removed'): number => edits.reduce((all, edit) => all + (edit[count] ?? 0), 0);
  return { added: sum('added'), removed: sum('removed') };
}

function iconOf(name: string): IconName {
  if (/clock|time|wait/.test(name)) return 'clock';
  if (/ask/.test(name)) return 'question';
  if (/shell|process/.test(name)) return 'terminal';
  if (editTools.has(name)) return 'edit';
  if (/file|dir|glob|grep/.test(name)) return 'file';
  return /note/.test(name) ? 'note' : 'tool';
}

function StateMark({ state }: { readonly state: CardState }) {
  if (state === 'running' || state === 'preparing') return <span class="spinner" aria-hidden="true" />;
  if (state === 'done') return <Icon name="check" size={14} />;
  if (state === 'failed') return <Icon name="close" size={14} />;
  return state === 'waiting' ? <Icon name="alert" size={14} /> : null;
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

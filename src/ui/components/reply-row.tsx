import { useComputed } from '@preact/signals';
import type { Part } from '../../core/message.ts';
import { clockTime } from '../lib/time.ts';
import type { CallCard, ReplyRow as ReplyRowData } from '../state/rows.ts';
import type { SessionStore } from '../state/session.ts';
import { CopyButton } from './copy-button.tsx';
import { FinishMark } from './finish-mark.tsx';
import { MarkdownPart } from './markdown-part.tsx';
import { ReasoningPart } from './reasoning-part.tsx';
import { ToolCard } from './tool-card.tsx';

interface ReplyRowProps {
  readonly row: ReplyRowData;
  readonly store: SessionStore;
  readonly isLast: boolean;
}

/** The agent's reply: its parts in order. */
export function ReplyRow({ row, store, isLast }: ReplyRowProps) {
  const ended = useComputed(() => (store.snapshot.value?.status === 'idle' ? store.snapshot.value.lastEnded : null));
  const text = row.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const finish = row.finish ?? (isLast && !row.live ? (ended.value?.finish ?? null) : null);
  return (
    <>
      <h3 class="off-screen">Agent</h3>
      {row.content.map((part, index) => (
        <PartView key={index} part={part} row={row} store={store} last={index === row.content.length - 1} />
      ))}
      {row.live && row.content.length === 0 && <span class="caret" aria-hidden="true" />}
      <FinishMark finish={finish} empty={text.trim() === ''} />
      {!row.live && text !== '' && (
        <div class="row-actions">
          {row.created !== null && (
            <time dateTime={new Date(row.created).toISOString()}>{clockTime(row.created, Date.now())}</time>
          )}
          <CopyButton text={() => text} label="Copy as markdown" />
        </div>
      )}
    </>
  );
}

interface PartProps extends Pick<ReplyRowProps, 'row' | 'store'> {
  readonly part: Part;
  readonly last: boolean;
}

function PartView({ part, row, store, last }: PartProps) {
  const live = row.live && last;
  switch (part.type) {
    case 'text':
      return <MarkdownPart text={part.text} live={live} />;
    case 'reasoning':
      return part.text.trim() === '' ? null : <ReasoningPart text={part.text} live={live} />;
    case 'tool_call': {
      const card = row.cards.get(part.id);
      return card === undefined ? null : <CallPart card={card} store={store} />;
    }
    case 'tool_result':
    case 'opaque':
      return null;
    case 'image':
    case 'document':
    case 'audio':
    case 'video':
      return (
        <span class="chip">
          {part.type} <code>{part.mediaType}</code>
        </span>
      );
  }
}

/** A call with what it reported, where this tab knows it. */
function CallPart({ card, store }: { readonly card: CallCard; readonly store: SessionStore }) {
  const edits = useComputed(() => store.edits.value.get(card.id) ?? null);
  return <ToolCard card={card} edits={edits.value} />;
}

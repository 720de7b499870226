import { textOf } from '../../core/message.ts';
import { clockTime } from '../lib/time.ts';
import type { UserRow as UserRowData } from '../state/rows.ts';
import { CopyButton } from './copy-button.tsx';

/** A person's message: their words as they wrote them, no markdown. */
export function UserRow({ row }: { readonly row: UserRowData }) {
  const text = textOf(row.message);
  const media = row.message.content.filter((part) => 'mediaType' in part);
  return (
    <>
      <div class="bubble">
        {text}
        {media.map((part, index) => (
          <span key={index} class="chip">
            {part.type} <code>{part.mediaType}</code>
          </span>
        ))}
      </div>
      <div class="row-actions">
        <time dateTime={new Date(row.created).toISOString()}>{clockTime(row.created, Date.now())}</time>
        <CopyButton text={() => text} label="Copy message" />
      </div>
    </>
  );
}

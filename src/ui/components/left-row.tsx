import { useApp } from '../state/app.ts';
import type { LeftRow as LeftRowData } from '../state/rows.ts';
import { byWhom } from '../state/who.ts';
import { PartialParts } from './partial-parts.tsx';

/** A reply that was cut and left behind: still to be read, marked as no part of the conversation. */
export function LeftRow({ row }: { readonly row: LeftRowData }) {
  const { me } = useApp();
  return (
    <>
      <PartialParts message={row.partial.message} withoutLastText={false} />
      <p class="left-note">
        {row.partial.by === null ? 'Broken off' : `Stopped${byWhom(row.partial.by, me)}`}: the agent does not remember this reply.
      </p>
    </>
  );
}

import type { Presence } from '../../session/protocol/wire.ts';
import { useApp } from '../state/app.ts';
import { shortName } from '../state/who.ts';
import type { SessionStore } from '../state/session.ts';

/** Who has the session open beside this tab. */
export function PresenceDots({ store }: { readonly store: SessionStore }) {
  const { me } = useApp();
  const all = store.presence.value;
  if (all.length < 2) return null;
  const others = all.filter((one) => one.label !== me);
  const names = ['This tab', ...others.map(nameOf)];
  const editing = others.some((one) => one.editing === true);
  return (
    <span class="presence" title={names.join('\n')}>
      <span class="off-screen">Open in {all.length} places: </span>
      <ul>
        {others.slice(0, 3).map((one) => (
          <li key={one.client} class={one.editing === true ? 'editing' : undefined}>
            <span aria-hidden="true">{initials(nameOf(one))}</span>
            <span class="off-screen">{nameOf(one)}</span>
          </li>
        ))}
      </ul>
      <span class="presence-count" aria-hidden="true">
        {editing ? 'editing' : `${all.length} open`}
      </span>
    </span>
  );
}

function nameOf({ label }: Presence): string {
  return label === undefined ? 'A program' : shortName(label);
}

function initials(name: string): string {
  return name
    .split(/\s+/)
    .filter((word) => word !== 'on')
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? '')
    .join('');
}

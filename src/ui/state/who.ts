import type { Actor } from '../../session/protocol/wire.ts';

/** What a tab is called for the others: its browser, and four hex digits that tell this tab from the next. */
export function tabName(agent: string, digits: string): string {
  const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(agent)?.[0] ?? 'Browser';
  const system = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(agent)?.[0];
  const name = browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser;
  return `${system === undefined ? name : `${name} on ${system}`} #${digits}`;
}

/** A tab's name as people read it, without its digits. */
export function shortName(name: string): string {
  return name.replace(tabDigits, '');
}

/** ` by you`, ` in another tab`, ` by chat`: who did something, as seen from the tab of this name; empty when it is not known. */
export function byWhom(by: Actor | null | undefined, me: string): string {
  if (by === null || by === undefined) return '';
  if (by.client === me) return ' by you';
  return by.client === undefined || tabDigits.test(by.client) ? ' in another tab' : ` by ${by.client}`;
}

const tabDigits = / #[0-9a-f]{4}$/;

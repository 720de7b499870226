import type { Summary } from '../../session/protocol/wire.ts';
import { sameDay } from './time.ts';

/** Sessions under one heading. */
export interface Group {
  readonly name: 'Needs you' | 'Running' | 'Today' | 'Earlier';
  readonly sessions: readonly Summary[];
}

/** The list in groups, each in the order it came; empty groups are left out. `now` in ms since 1970. */
export function grouped(sessions: readonly Summary[], now: number): readonly Group[] {
  const names = ['Needs you', 'Running', 'Today', 'Earlier'] as const;
  const of = (summary: Summary): Group['name'] => {
    if (summary.status === 'awaiting_input') return 'Needs you';
    if (summary.status === 'running') return 'Running';
    return sameDay(summary.updated, now) ? 'Today' : 'Earlier';
  };
  return names
    .map((name) => ({ name, sessions: sessions.filter((one) => of(one) === name) }))
    .filter((group) => group.sessions.length > 0);
}

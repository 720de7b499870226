const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago, short: `now`, `5 min`, `3 h`, `2 d`, else the date. Times in ms. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return 'now';
  if (past < hour) return `${Math.floor(past / minute)} min`;
  if (past < day) return `${Math.floor(past / hour)} h`;
  if (past < 7 * day) return `${Math.floor(past / day)} d`;
  return new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
}

/** The time of day, with the date when it is another day. */
export function clockTime(at: number, now: number): string {
  const time = new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  return sameDay(at, now) ? time : `${new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}, ${time}`;
}

/** True when both times fall on one day here. */
export function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}

/** A span as people read it: `4 s`, `1 min 20 s`. In ms. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / second));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A count of tokens, short: `950`, `12.3k`. */
export function tokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

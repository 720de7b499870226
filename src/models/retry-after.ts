/** The wait when a server asks for one that is no time: negative, past, not a number. In ms, never nothing at all. */
export const leastWait = 1000;

/**
 * How long a server asks to wait, in ms: `retry-after-ms`, else `retry-after` as seconds or as a date (RFC 9110 10.2.3).
 * A value that is no time to come gives `leastWait`; null when there is no such header.
 */
export function retryAfter(headers: Headers, now: number): number | null {
  const ms = headers.get('retry-after-ms');
  const seconds = headers.get('retry-after');
  if (ms === null && seconds === null) return null;
  const waits = [number(ms), number(seconds) * 1000, date(seconds) - now];
  return waits.find((wait) => wait > 0 && wait < Infinity) ?? leastWait;
}

function number(value: string | null): number {
  return value !== null && /^\s*[+-]?\d+(\.\d*)?\s*$/.test(value) ? Number(value) : NaN;
}

/** The oldest of the three date forms names no zone, and means GMT like the others. */
function date(value: string | null): number {
  if (value === null || !/[a-z]/i.test(value)) return NaN;
  return Date.parse(/gmt|utc|z|[+-]\d{4}\s*$/i.test(value) ? value : `${value} GMT`);
}

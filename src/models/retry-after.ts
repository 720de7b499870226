/** The wait when a server asks for one that is no time: negative, past, not a number. In ms, never nothing at all. */
export const leastWait = 1000;

/**
 * How long a server asks to wait, in ms: `retry-after-ms`, else `retry-after` as seconds or as a date (RFC 9110 10.2.3), else
 * the time at which the limits that are used up are whole again. A value that is no time to come gives `leastWait`; null
 * when nothing asks to wait.
 */
export function retryAfter(headers: Headers, now: number): number | null {
  const ms = headers.get('retry-after-ms');
  const seconds = headers.get('retry-after');
  if (ms === null && seconds === null) return untilReset(headers, now);
  const waits = [number(ms), number(seconds) * 1000, date(seconds) - now];
  return waits.find((wait) => wait > 0 && wait < Infinity) ?? leastWait;
}

const remaining = /^x-ratelimit-remaining(?<limit>.*)$/;

/** Pairs such as `x-ratelimit-remaining-tokens: 0` and `x-ratelimit-reset-tokens: 6m0s`; answers that are no refusal have them, too. */
function untilReset(headers: Headers, now: number): number | null {
  const resets = [...headers].flatMap(([name, value]) => {
    const limit = remaining.exec(name)?.groups?.limit;
    const reset = limit === undefined || number(value) !== 0 ? null : headers.get(`x-ratelimit-reset${limit}`);
    return reset === null ? [] : [fromReset(reset.trim(), now)];
  });
  if (resets.length === 0) return null;
  const wait = Math.max(...resets.filter((reset) => reset < Infinity));
  return wait > 0 ? wait : leastWait;
}

const units: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** As `6m0s` or `1.5s`; as a date; or as a number: of seconds, or of seconds or ms since 1970 when it is as large as those are. */
function fromReset(value: string, now: number): number {
  if (/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(value)) {
    const parts = [...value.matchAll(/([\d.]+)(ms|s|m|h)/g)];
    return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? NaN), 0);
  }
  const count = number(value);
  if (Number.isNaN(count)) return date(value) - now;
  if (count < 1e9) return count * 1000;
  return (count < 1e12 ? count * 1000 : count) - now;
}

function number(value: string | null): number {
  return value !== null && /^\s*[+-]?\d+(\.\d*)?\s*$/.test(value) ? Number(value) : NaN;
}

/** The oldest of the three date forms names no zone, and means GMT like the others. */
function date(value: string | null): number {
  if (value === null || !/[a-z]/i.test(value)) return NaN;
  return Date.parse(/gmt|utc|z|[+-]\d{4}\s*$/i.test(value) ? value : `${value} GMT`);
}

import { describe, expect, test } from 'vitest';
import { leastWait, retryAfter } from '../../src/models/index.ts';

const now = Date.UTC(2026, 9, 15, 12, 0, 0);

/** The headers of a limit that is used up. */
function used(limit: string, reset: string): Record<string, string> {
  return { [`x-ratelimit-remaining${limit}`]: '0', [`x-ratelimit-reset${limit}`]: reset };
}

describe('HTTP-07 how long a server asks to wait', () => {
  test.each<[string, Record<string, string>, number | null]>([
    ['no header', {}, null],
    ['milliseconds', { 'retry-after-ms': '1500' }, 1500],
    ['milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    ['seconds', { 'retry-after': '7' }, 7000],
    ['parts of a second', { 'retry-after': ' 0.5 ' }, 500],
    ['a date seven seconds ahead', { 'retry-after': 'Thu, 15 Oct 2026 12:00:07 GMT' }, 7000],
    ['a date of the second form', { 'retry-after': 'Thursday, 15-Oct-26 12:00:07 GMT' }, 7000],
    ['a date of the third form, which names no zone', { 'retry-after': 'Thu Oct 15 12:00:07 2026' }, 7000],
    ['unusable milliseconds, then seconds', { 'retry-after-ms': 'NaN', 'retry-after': '7' }, 7000],
    ['a past date', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, leastWait],
    ['a negative number', { 'retry-after': '-5' }, leastWait],
    ['zero', { 'retry-after': '0' }, leastWait],
    ['NaN', { 'retry-after': 'NaN' }, leastWait],
    ['no number and no date', { 'retry-after': 'soon' }, leastWait],
    ['more than any number', { 'retry-after': '9'.repeat(400) }, leastWait],
    ['an empty value', { 'retry-after': '' }, leastWait],
    ['a limit that is used up, with its time', used('-requests', '1.5s'), 1500],
    ['its time in minutes and hours', used('-tokens', '1h6m0s'), 3_960_000],
    ['its time in milliseconds', used('-tokens', '120ms'), 120],
    ['its time as a number of seconds', used('', '30'), 30_000],
    ['its time in seconds since 1970', used('', String(now / 1000 + 9)), 9000],
    ['its time in milliseconds since 1970', used('', String(now + 9000)), 9000],
    ['its time as a date', used('-requests', '2026-10-15T12:00:07Z'), 7000],
    ['the longest of two', { ...used('-requests', '1s'), ...used('-tokens', '6s') }, 6000],
    ['a time that is over', used('', String(now - 9000)), leastWait],
    ['a time that is none', used('-requests', 'soon'), leastWait],
    ['a limit that is not used up', { 'x-ratelimit-remaining-tokens': '7', 'x-ratelimit-reset-tokens': '6m0s' }, null],
    ['a limit that is used up, without its time', { 'x-ratelimit-remaining-tokens': '0' }, null],
    ['what is asked for, before any limit', { 'retry-after': '7', ...used('-tokens', '6m0s') }, 7000],
  ])('%s', (_, headers, expected) => {
    expect(retryAfter(new Headers(headers), now)).toBe(expected);
  });

  test('never a wait of nothing', () => {
    expect(leastWait).toBeGreaterThan(0);
  });
});

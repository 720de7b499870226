import { describe, expect, test } from 'vitest';
import { leastWait, retryAfter } from '../../src/models/index.ts';

const now = Date.UTC(2026, 9, 15, 12, 0, 0);

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
  ])('%s', (_, headers, expected) => {
    expect(retryAfter(new Headers(headers), now)).toBe(expected);
  });

  test('never a wait of nothing', () => {
    expect(leastWait).toBeGreaterThan(0);
  });
});

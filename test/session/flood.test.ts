import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FloodLimit } from '../../src/session/flood.ts';

describe('FloodLimit', () => {
  it('admits up to its limit at once, then says how long to wait', () => {
    const limit = new FloodLimit(2, 1000);
    expect([limit.admit(0), limit.admit(10), limit.admit(20), limit.admit(999)]).toEqual([null, null, 980, 1]);
    expect([limit.admit(1000), limit.admit(1001), limit.admit(1010)]).toEqual([null, 9, null]);
  });

  it('never admits more than its limit in any period, and never makes anybody wait who need not', () => {
    const steps = fc.array(fc.nat({ max: 400 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (most, pauses) => {
        const limit = new FloodLimit(most, 1000);
        const admitted: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const recent = admitted.filter((at) => at > now - 1000).length;
          const wait = limit.admit(now);
          expect(wait === null).toBe(recent < most);
          if (wait === null) admitted.push(now);
        }
      }),
      { numRuns: 300 },
    );
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from '../../container/server/ring.ts';

test('SHELL-18 a ring keeps the last bytes at their places, however they come and are read', () => {
  const read = fc.record({ from: fc.nat(60), most: fc.nat(20) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.uint8Array({ maxLength: 30 })),
      read,
      (size, pieces, { from, most }) => {
        const ring = new Ring(size);
        for (const piece of pieces) ring.add(piece);
        const all = pieces.flatMap((piece) => [...piece]);
        const first = Math.max(0, all.length - size);
        expect([ring.total, ring.first]).toEqual([all.length, first]);
        const begin = Math.min(Math.max(from, first), all.length);
        const got = ring.read(from, most);
        expect([got.from, [...got.bytes]]).toEqual([begin, all.slice(begin, begin + most)]);
      },
    ),
    { numRuns: 500 },
  );
});

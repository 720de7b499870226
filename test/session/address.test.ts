import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, addressOf, directoryAddress, parseAddress, stubAt } from '../../src/session/address.ts';
import { isScope, jurisdictions } from '../../src/session/scope.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom('0', '1', '2', ':', 'a', 'é') }));
const address: fc.Arbitrary<Address> = fc.record({
  jurisdiction: fc.constantFrom(null, ...jurisdictions),
  participant: text,
  scope: text,
});

describe('addressOf', () => {
  it('SESS-04 a name gives back the address that it was made of, whatever characters that holds', () => {
    fc.assert(
      fc.property(address, (given) => {
        expect(parseAddress(addressOf(given))).toEqual(given);
      }),
      { numRuns: 500 },
    );
  });

  it('SESS-04 two addresses never share a name', () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        const same =
          one.jurisdiction === other.jurisdiction && one.participant === other.participant && one.scope === other.scope;
        expect(addressOf(one) === addressOf(other)).toBe(same);
      }),
      { numRuns: 500 },
    );
  });

  it('SESS-04 parts that would run together without their lengths stay apart', () => {
    const at = (participant: string, scope: string): string => addressOf({ jurisdiction: null, participant, scope });
    expect(new Set([at('a', 'bc'), at('ab', 'c'), at('a:', 'bc'), at('a', ':bc'), at('1:a', '2:bc'), at('a1:', 'bc')]).size).toBe(
      6,
    );
  });

  it('SESS-01 released names never change', () => {
    expect(addressOf({ jurisdiction: null, participant: 'local', scope: 'default' })).toBe('0:5:local7:default');
    expect(addressOf({ jurisdiction: 'eu', participant: 'é', scope: 'a' })).toBe('2:eu1:é1:a');
  });

  it('gives nothing for a name that it never made', () => {
    fc.assert(
      fc.property(text, (name) => {
        const parsed = parseAddress(name);
        expect(parsed === null ? name : addressOf(parsed)).toBe(name);
      }),
      { numRuns: 500 },
    );
    for (const name of ['', '0:', '0:1:a', '0:1:a1:b1:c', '4:mars1:a1:b', '00:1:a1:b', '0:9:a1:b'])
      expect(parseAddress(name)).toBeNull();
  });

  it('a directory has an address that no session has', () => {
    expect(isScope(directoryAddress({ jurisdiction: null, participant: 'local' }).scope)).toBe(false);
  });
});

describe('stubAt', () => {
  it('SESS-01 names the object by the address, inside its jurisdiction', () => {
    const asked: unknown[] = [];
    const there = { getByName: (name: string) => asked.push(name) };
    const namespace = { ...there, jurisdiction: (where: string) => asked.push(where) && there };
    for (const jurisdiction of [null, 'eu'] as const) {
      stubAt(namespace as unknown as DurableObjectNamespace, { jurisdiction, participant: 'ann', scope: 'work' });
    }
    expect(asked).toEqual(['0:3:ann4:work', 'eu', '2:eu3:ann4:work']);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { Listing } from '../../src/session/listing.ts';
import type { Summary } from '../../src/session/protocol/index.ts';
import { FakeClock, Gate } from '../../src/testing/index.ts';

const line = (status: Summary['status'], updated = 1): Summary => {
  return { scope: 's', title: 't', status, mode: 'chat', model: null, updated, created: 1, needs: 0, last: '' };
};

/** A list that remembers what it was sent, and takes a line only when `gate` is open. */
function listOf(gate?: Gate) {
  const seen: string[] = [];
  const running = { before: 0 };
  const clock = new FakeClock();
  const warned: string[] = [];
  const fail = { next: false };
  const list = {
    async put(summary: Summary): Promise<number> {
      seen.push(summary.status);
      await gate?.wait();
      if (fail.next) throw new Error('away');
      return running.before;
    },
    async ahead(scope: string): Promise<number> {
      seen.push(`ahead of ${scope}`);
      if (fail.next) throw new Error('away');
      return running.before;
    },
    async remove(): Promise<void> {
      seen.push('removed');
    },
  };
  return { seen, warned, fail, running, clock, listing: new Listing(list, { warn: (message) => warned.push(message) }, clock) };
}

describe('the line of a session in the list', () => {
  it('SESS-19 is sent when it changed, and not when only its time did', async () => {
    const { seen, listing } = listOf();
    await listing.put(line('running'));
    await listing.put(line('running', 2));
    await listing.put(line('idle', 3));
    expect(seen).toEqual(['running', 'idle']);
  });

  it('SESS-19 a change in the tick of one that changed nothing is not lost', async () => {
    const { seen, listing } = listOf();
    await listing.put(line('running'));
    await Promise.all([listing.put(line('running', 2)), listing.put(line('idle', 3))]);
    expect(seen.at(-1)).toBe('idle');
    void listing.put(line('idle', 4));
    await Promise.resolve();
    await listing.put(line('running', 5));
    expect(seen.at(-1)).toBe('running');
  });

  it('SESS-19 only the newest of those that came meanwhile is sent, after the one before it arrived', async () => {
    const gate = new Gate();
    const { seen, listing } = listOf(gate);
    const all = [listing.put(line('running')), listing.put(line('awaiting_input'))];
    await gate.reached;
    all.push(listing.put(line('running')), listing.put(line('idle')));
    gate.open();
    await Promise.all(all);
    expect(seen).toEqual(['awaiting_input', 'idle']);
  });

  it('a list that is away holds nothing up: the failure is told, and the next line is sent', async () => {
    const { seen, warned, fail, listing } = listOf();
    fail.next = true;
    await listing.put(line('running'));
    fail.next = false;
    await listing.put(line('running'));
    expect([seen, warned.length]).toEqual([['running', 'running'], 1]);
  });

  it('SESS-19 that may wait goes a little later, once, with what came meanwhile, and not at all after one that may not', async () => {
    vi.useFakeTimers();
    try {
      const { seen, listing } = listOf();
      listing.soon(line('running'));
      listing.soon(line('awaiting_input'));
      expect(seen).toEqual([]);
      await vi.runAllTimersAsync();
      expect(seen).toEqual(['awaiting_input']);
      listing.soon(line('running'));
      await listing.put(line('idle'));
      await vi.runAllTimersAsync();
      expect(seen).toEqual(['awaiting_input', 'idle']);
      listing.soon(line('running'));
      await listing.remove('s');
      await vi.runAllTimersAsync();
      expect(seen).toEqual(['awaiting_input', 'idle', 'removed']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is taken away after whatever is on its way', async () => {
    const { seen, listing } = listOf();
    const put = listing.put(line('running'));
    await listing.remove('s');
    await put;
    expect(seen.at(-1)).toBe('removed');
  });

  it('says with the line how many run before it, without another question; asked again, it asks', async () => {
    const gate = new Gate();
    const { seen, listing, running } = listOf(gate);
    void listing.put(line('running'));
    running.before = 2;
    const ahead = listing.ahead('s');
    gate.open();
    expect([await ahead, seen]).toEqual([2, ['running']]);
    running.before = 1;
    expect([await listing.ahead('s'), seen]).toEqual([1, ['running', 'ahead of s']]);
    running.before = 0;
    await listing.put(line('idle'));
    await listing.put(line('running'));
    expect([await listing.ahead('s'), seen.length]).toEqual([0, 4]);
  });

  it('does not know how many run before it when the list is away or silent, and tells that', async () => {
    const { listing, fail, warned } = listOf();
    fail.next = true;
    void listing.put(line('running'));
    expect([await listing.ahead('s'), warned.length]).toEqual([null, 2]);
    const silent = listOf(new Gate());
    void silent.listing.put(line('running'));
    const ahead = silent.listing.ahead('s');
    silent.clock.advance(5000);
    expect([await ahead, silent.warned.length]).toEqual([null, 1]);
  });
});

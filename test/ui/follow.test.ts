import { describe, expect, it } from 'vitest';
import { downIntent, follow, following, type FollowInput, nearEnd } from '../../src/ui/lib/follow.ts';

const after = (...inputs: readonly FollowInput[]): boolean => inputs.reduce(follow, following).attached;

describe('following the stream', () => {
  it('holds on while the text grows and the list scrolls by itself', () => {
    expect(after({ type: 'scrolled', gap: 400, at: 10 }, { type: 'scrolled', gap: 0, at: 20 })).toBe(true);
  });

  it('lets go at the first move up, however small, even at the very end', () => {
    expect(after({ type: 'away' })).toBe(false);
    expect(after({ type: 'away' }, { type: 'scrolled', gap: 0, at: 5 })).toBe(false);
  });

  it('stays away when the end comes near without a move of the reader', () => {
    expect(after({ type: 'away' }, { type: 'scrolled', gap: nearEnd, at: 100 })).toBe(false);
  });

  it('holds on again when the reader moves down and reaches the end', () => {
    expect(after({ type: 'away' }, { type: 'down', at: 100 }, { type: 'scrolled', gap: nearEnd, at: 200 })).toBe(true);
    expect(after({ type: 'away' }, { type: 'down', at: 100 }, { type: 'scrolled', gap: nearEnd + 1, at: 200 })).toBe(false);
  });

  it('forgets a move down after a while, and at once when the reader moves up', () => {
    expect(after({ type: 'away' }, { type: 'down', at: 0 }, { type: 'scrolled', gap: 0, at: downIntent + 1 })).toBe(false);
    expect(after({ type: 'down', at: 0 }, { type: 'away' }, { type: 'scrolled', gap: 0, at: 1 })).toBe(false);
  });

  it('holds on again at End, at Jump to latest and when something is sent', () => {
    expect(after({ type: 'away' }, { type: 'end' })).toBe(true);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backoff, backoffLimits } from '../../src/ui/state/backoff.ts';
import { Link, type LinkPhase, pingText, watchdog } from '../../src/ui/state/link.ts';
import { FakeNetwork } from './fake-wire.ts';

function linked(): { network: FakeNetwork; link: Link; phases: LinkPhase[]; texts: string[]; lost: boolean[] } {
  const network = new FakeNetwork();
  const phases: LinkPhase[] = [];
  const texts: string[] = [];
  const lost: boolean[] = [];
  const link = new Link({
    open: network.open,
    random: () => 1,
    onText: (text) => texts.push(text),
    onPhase: (phase) => phases.push(phase),
    onLost: (_code, opened) => lost.push(opened),
  });
  link.start();
  return { network, link, phases, texts, lost };
}

describe('backoff', () => {
  it('waits from half a second to ten, longer each time, spread by chance', () => {
    expect(backoff(0, 0)).toBe(backoffLimits.least);
    expect(backoff(0, 1)).toBe(1000);
    expect(backoff(3, 1)).toBe(8000);
    expect(backoff(50, 1)).toBe(backoffLimits.most);
    expect(backoff(50, 0)).toBe(backoffLimits.least);
    expect(backoff(3, 0.5)).toBeGreaterThan(backoff(3, 0.4));
  });
});

describe('the link', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('comes back after a loss, with growing waits', () => {
    const { network, lost } = linked();
    network.last.events.closed(1006);
    vi.advanceTimersByTime(999);
    expect(network.wires).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(network.wires).toHaveLength(2);
    network.last.events.closed(1006);
    vi.advanceTimersByTime(1999);
    expect(network.wires).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(network.wires).toHaveLength(3);
    expect(lost).toEqual([false, false]);
  });

  it('begins its waits anew once it stood', () => {
    const { network } = linked();
    network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    network.last.events.opened();
    network.last.events.closed(1006);
    vi.advanceTimersByTime(1000);
    expect(network.wires).toHaveLength(3);
  });

  it('comes back at once when the reader or the network does', () => {
    const { network, link } = linked();
    network.last.events.closed(1006);
    link.nudge();
    expect(network.wires).toHaveLength(2);
    vi.advanceTimersByTime(60_000);
    expect(network.wires).toHaveLength(2);
  });

  it('asks a quiet connection with the exact ping, and leaves one that stays silent', () => {
    const { network, phases } = linked();
    network.last.events.opened();
    vi.advanceTimersByTime(watchdog.every);
    expect(network.last.sent).toEqual([pingText]);
    expect(pingText).toBe('{"type":"ping"}');
    vi.advanceTimersByTime(watchdog.patience);
    expect(network.wires[0]?.closed).toBe(true);
    expect(phases.at(-1)).toBe('waiting');
  });

  it('stays with a connection that answers', () => {
    const { network, phases } = linked();
    network.last.events.opened();
    vi.advanceTimersByTime(watchdog.every);
    network.last.events.text('{"type":"pong"}');
    vi.advanceTimersByTime(watchdog.patience);
    expect(phases.at(-1)).toBe('live');
    expect(network.wires).toHaveLength(1);
  });

  it('asks for a sign of life at once when the reader comes back to a standing connection', () => {
    const { network, link } = linked();
    network.last.events.opened();
    link.nudge();
    expect(network.last.sent).toEqual([pingText]);
  });

  it('sends only while it stands, and hears nothing of a connection it has left', () => {
    const { network, link, texts } = linked();
    expect(link.send('early')).toBe(false);
    network.last.events.opened();
    expect(link.send('now')).toBe(true);
    const old = network.last;
    link.restart();
    old.events.text('late');
    old.events.closed(1006);
    expect(texts).toEqual([]);
    expect(network.wires).toHaveLength(2);
  });

  it('ends for good', () => {
    const { network, link } = linked();
    link.stop();
    vi.advanceTimersByTime(60_000);
    link.nudge();
    expect(network.wires).toHaveLength(1);
    expect(network.last.closed).toBe(true);
  });
});

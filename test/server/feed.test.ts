import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Feed, heartbeat } from '../../src/server/feed.ts';

const everything = (): boolean => true;
const text = ({ value }: ReadableStreamReadResult<Uint8Array>): string => new TextDecoder().decode(value);

describe('Feed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('says something every 15 s while it has a reader, and holds no timer without one', async () => {
    const feed = new Feed();
    expect(vi.getTimerCount()).toBe(0);
    const [one, other] = [feed.open(everything).getReader(), feed.open(everything).getReader()];
    expect([text(await one.read()), text(await other.read())]).toEqual([': \n\n', ': \n\n']);
    expect(heartbeat).toBe(15_000);
    vi.advanceTimersByTime(15_000);
    expect([text(await one.read()), text(await other.read())]).toEqual([': \n\n', ': \n\n']);
    await one.cancel();
    expect(vi.getTimerCount()).toBe(1);
    await other.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('drops a reader that does not read, and keeps the others', async () => {
    const feed = new Feed();
    const [slow, fast] = [feed.open(everything), feed.open(everything).pipeThrough(new TextDecoderStream()).getReader()];
    let heard = '';
    for (let n = 0; n < 6; n += 1) {
      feed.publish('work', { n, last: 'x'.repeat(100_000) });
      while (!heard.includes(`"n":${n}`) || !heard.endsWith('\n\n')) heard += (await fast.read()).value ?? '';
    }
    const missed = await new Response(slow).text();
    expect(missed).toContain('"n":0');
    expect(missed).not.toContain('"n":5');
    feed.publish('work', { n: 6 });
    expect((await fast.read()).value).toBe('data: {"n":6}\n\n');
  });
});

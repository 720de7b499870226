import { describe, expect, test } from 'vitest';
import { Cancelled, ModelError } from '../../src/core/index.ts';
import { defaultTimers, timed, type Timers } from '../../src/models/index.ts';
import { FakeClock, Gate } from '../../src/testing/index.ts';
import { rejection } from './support.ts';

const timers: Timers = { firstEvent: 1000, idle: 200, total: Infinity };

/** A stream that gives what it is handed, and ends when its signal fires, as transports do. */
class Source {
  readonly closed = new Gate();
  #gives: PromiseWithResolvers<string | null> = Promise.withResolvers();

  give(value: string | null): void {
    this.#gives.resolve(value);
  }

  async *open(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => aborted.reject(new Cancelled()));
    try {
      for (;;) {
        const value = await Promise.race([this.#gives.promise, aborted.promise]);
        if (value === null) return;
        this.#gives = Promise.withResolvers();
        yield value;
      }
    } finally {
      this.closed.open();
    }
  }
}

function start(limits: Partial<Timers> = {}, cancel = new AbortController()) {
  const clock = new FakeClock();
  const source = new Source();
  const stream = timed((signal) => source.open(signal), { ...timers, ...limits }, clock, cancel.signal);
  return { clock, source, stream, cancel };
}

describe('silence', () => {
  test('HTTP-09 before the first event ends the stream as a transport error', async () => {
    const { clock, source, stream } = start();
    const first = stream.next();
    await clock.sleeping();
    clock.advance(999);
    clock.advance(1);
    const error = await rejection(first);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind: 'transport_error', message: 'The model was silent for 1 s.' });
    await source.closed.wait();
  });

  test('HTTP-09 between events has a limit of its own, counted anew from each', async () => {
    const { clock, source, stream } = start();
    for (let n = 0; n < 5; n += 1) {
      const next = stream.next();
      await clock.sleeping();
      clock.advance(199);
      source.give(`${n}`);
      expect(await next).toEqual({ done: false, value: `${n}` });
    }
    const next = stream.next();
    await clock.sleeping();
    clock.advance(200);
    expect(await rejection(next)).toMatchObject({ kind: 'transport_error', message: 'The model was silent for 0.2 s.' });
    // One sleep serves the waits: the second looks at what is left of the newest.
    expect(clock.asked.slice(0, 3)).toEqual([1000, 200, 1]);
  });

  test('HTTP-09 is nobody who asks: time between two reads does not count', async () => {
    const { clock, source, stream } = start({ total: 500 });
    source.give('a');
    await stream.next();
    clock.advance(3_600_000);
    const next = stream.next();
    source.give('b');
    expect(await next).toEqual({ done: false, value: 'b' });
  });

  test('HTTP-09 in all has a limit when one is set', async () => {
    const { clock, source, stream } = start({ total: 500 });
    for (const value of ['a', 'b', 'c']) {
      const next = stream.next();
      await clock.sleeping();
      clock.advance(150);
      source.give(value);
      await next;
    }
    const next = stream.next();
    await clock.sleeping();
    clock.advance(50);
    expect(await rejection(next)).toMatchObject({ kind: 'transport_error', message: 'The model took more than 0.5 s.' });
  });

  test('HTTP-09 is five minutes unless said otherwise, and a reply may take as long as it likes', () => {
    expect(defaultTimers).toEqual({ firstEvent: 300_000, idle: 300_000, total: Infinity });
  });

  test('HTTP-09 a limit beyond what runtimes measure is none that fires at once', async () => {
    const { clock, source, stream } = start({ firstEvent: 2 ** 40 });
    const next = stream.next();
    await clock.sleeping();
    expect(clock.asked).toEqual([2 ** 31 - 1]);
    source.give('a');
    await next;
  });

  test('HTTP-09 no limit at all sets no timer', async () => {
    const { clock, source, stream } = start({ firstEvent: Infinity });
    source.give('a');
    await stream.next();
    expect(clock.asked).toEqual([]);
  });
});

describe('the end', () => {
  test('CANC-03 a cancel is told as one, at once', async () => {
    const { clock, stream, cancel } = start();
    const next = stream.next();
    await clock.sleeping();
    cancel.abort();
    expect(await rejection(next)).toBeInstanceOf(Cancelled);
  });

  test('RUN-11 leaves no timer behind and closes the stream', async () => {
    const { clock, source, stream } = start();
    source.give('a');
    await stream.next();
    await stream.return();
    await source.closed.wait();
    clock.advance(10_000);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test('HTTP-09 of the stream is the end, and an error of its own goes through', async () => {
    const { source, stream } = start();
    const next = stream.next();
    source.give(null);
    expect(await next).toEqual({ done: true, value: undefined });

    const broken = timed(
      async function* () {
        yield* [];
        throw new Error('its own');
      },
      timers,
      new FakeClock(),
      new AbortController().signal,
    );
    expect(await rejection(broken.next())).toMatchObject({ message: 'its own' });
  });
});

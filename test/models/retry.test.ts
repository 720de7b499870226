import { describe, expect, test } from 'vitest';
import {
  Cancelled,
  type Delta,
  ModelError,
  type ModelErrorKind,
  type ModelMiddleware,
  type NextModel,
} from '../../src/core/index.ts';
import { retryModel, type RetryOptions } from '../../src/models/index.ts';
import { FakeClock, TestPrompt, textDelta } from '../../src/testing/index.ts';
import { collect, collectUntilError, rejection } from './support.ts';

/** A model that plays one act a call: deltas, then perhaps an error. */
function model(...acts: readonly (readonly (Delta | Error)[])[]) {
  const seen = { calls: 0 };
  const next: NextModel = async function* () {
    const act = acts[seen.calls] ?? [];
    seen.calls += 1;
    for (const item of act) {
      if (item instanceof Error) throw item;
      yield item;
    }
  };
  return { next, seen };
}

const limited = (retryAfter: number | null = null): ModelError => new ModelError('rate_limited', 'slow down', retryAfter);

function play(middleware: ModelMiddleware, next: NextModel, cancel?: AbortSignal): AsyncIterable<Delta> {
  return middleware.stream(new TestPrompt(cancel === undefined ? {} : { cancel }), next);
}

/** A clock whose sleeps are over at once, and which remembers them. */
class InstantClock extends FakeClock {
  override sleep(ms: number): Promise<void> {
    this.asked.push(ms);
    return Promise.resolve();
  }
}

function retrying(options: Omit<RetryOptions, 'clock'> = {}): { clock: InstantClock; middleware: ModelMiddleware } {
  const clock = new InstantClock();
  return { clock, middleware: retryModel({ random: () => 1, ...options, clock }) };
}

describe('the retry middleware', () => {
  test('MW-14 waits two to the power of the try, in seconds, and gives up after three tries', async () => {
    const { clock, middleware } = retrying();
    const { next, seen } = model([limited()], [limited()], [limited()], [textDelta('too late')]);
    expect(await rejection(collect(play(middleware, next)))).toMatchObject({ kind: 'rate_limited' });
    expect([seen.calls, clock.asked]).toEqual([3, [2000, 4000]]);
  });

  test('MW-14 waits a random part of that, so that those who were refused together do not come back together', async () => {
    const chances = [0.25, 0.5];
    const { clock, middleware } = retrying({ random: () => chances.shift() ?? 1 });
    await collect(play(middleware, model([limited()], [limited()], [textDelta('Hello')]).next));
    expect(clock.asked).toEqual([500, 2000]);
  });

  test('MW-14 waits as long as the provider says, and no part of it', async () => {
    const { clock, middleware } = retrying({ random: () => 0 });
    const { next, seen } = model([limited(700)], [textDelta('Hello')]);
    expect(await collect(play(middleware, next))).toEqual([textDelta('Hello')]);
    expect([seen.calls, clock.asked]).toEqual([2, [700]]);
  });

  test.each<ModelErrorKind>(['model_error', 'context_too_long', 'transport_error'])(
    'MW-14 tries a %s only once',
    async (kind) => {
      const { clock, middleware } = retrying();
      const { next, seen } = model([new ModelError(kind, 'no', 5, 503)]);
      expect(await rejection(collect(play(middleware, next)))).toMatchObject({ kind });
      expect([seen.calls, clock.asked]).toEqual([1, []]);
    },
  );

  test('MW-13 does not try again once a delta has gone on', async () => {
    const { middleware } = retrying();
    const { next, seen } = model([textDelta('Hel'), limited()], [textDelta('Hello')]);
    const { items, error } = await collectUntilError(play(middleware, next));
    expect(items).toEqual([textDelta('Hel')]);
    expect(error).toMatchObject({ kind: 'rate_limited' });
    expect(seen.calls).toBe(1);
  });

  test('MW-14 a wait beyond the longest fails at once, the time in the error', async () => {
    const { clock, middleware } = retrying({ longestWait: 5000 });
    const { next, seen } = model([limited(5001)]);
    expect(await rejection(collect(play(middleware, next)))).toMatchObject({ kind: 'rate_limited', retryAfter: 5001 });
    expect([seen.calls, clock.asked]).toEqual([1, []]);
  });

  test('MW-14 tells of each wait before it begins', async () => {
    const waits: unknown[] = [];
    const { clock, middleware } = retrying({ onWait: (...wait) => void waits.push([...wait, clock.asked.length]) });
    await collect(play(middleware, model([limited(700)], [limited()], []).next));
    expect(waits).toEqual([
      [700, 1, 'slow down', 0],
      [4000, 2, 'slow down', 1],
    ]);
  });

  test('MW-14 RUN-04 goes on with the count of a life before, for the first prompt alone', async () => {
    const { clock, middleware } = retrying({ already: { tries: 1, until: 0 } });
    const lost = model([limited()], [limited()], [textDelta('too late')]);
    expect(await rejection(collect(play(middleware, lost.next)))).toMatchObject({ kind: 'rate_limited' });
    expect([lost.seen.calls, clock.asked]).toEqual([2, [4000]]);
    const next = model([limited()], [limited()], [textDelta('in time')]);
    expect(await collect(play(middleware, next.next))).toEqual([textDelta('in time')]);
  });

  test('MW-14 RUN-04 waits the wait of a life before to its end, and no longer than the longest', async () => {
    const waited = async (until: number): Promise<readonly number[]> => {
      const { clock, middleware } = retrying({ already: { tries: 1, until } });
      clock.advance(1000);
      await collect(play(middleware, model([textDelta('Hello')]).next));
      return clock.asked;
    };
    expect([await waited(1000), await waited(1700), await waited(600_000)]).toEqual([[], [700], [60_000]]);
  });

  test('CANC-10 a cancel ends that wait too, and nothing is asked', async () => {
    const clock = new FakeClock();
    const cancel = new AbortController();
    const { next, seen } = model([textDelta('Hello')]);
    const reading = collect(play(retryModel({ clock, already: { tries: 1, until: 9 } }), next, cancel.signal));
    await clock.sleeping();
    cancel.abort();
    expect(await rejection(reading)).toBeInstanceOf(Cancelled);
    expect(seen.calls).toBe(0);
  });

  test('MW-14 CANC-10 a cancel ends the wait and nothing is asked again', async () => {
    const clock = new FakeClock();
    const cancel = new AbortController();
    const { next, seen } = model([limited(60_000)], [textDelta('Hello')]);
    const reading = collect(play(retryModel({ clock }), next, cancel.signal));
    await clock.sleeping();
    cancel.abort();
    expect(await rejection(reading)).toBeInstanceOf(Cancelled);
    expect(seen.calls).toBe(1);
  });
});

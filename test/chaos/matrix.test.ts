import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeChat } from '../session/support.ts';
import { expectSameEnd, play } from './play.ts';
import { lifeHook, Reaper } from './reaper.ts';
import { scenarios } from './scenarios.ts';

const chat = fakeChat();

beforeEach(() => {
  // What a session logs of its own death.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

afterEach(() => {
  Reflect.deleteProperty(env, lifeHook);
});

describe.each(Object.entries(scenarios))('%s', (_name, scenario) => {
  it('RUN-15 RUN-04 C-8 comes to the same end, at whichever point its object dies', async () => {
    const whole = new Reaper();
    const undisturbed = await play(chat, whole, scenario());
    let [deaths, unknown] = [0, 0];
    for (const [point, name] of whole.passed.entries()) {
      try {
        const reaper = new Reaper((index) => index === point);
        const outcome = await play(chat, reaper, scenario());
        expectSameEnd(outcome, undisturbed);
        deaths += reaper.deaths;
        unknown += outcome.unknown;
      } catch (error) {
        throw new Error(`After a death at point ${point} of ${whole.passed.length}, ${name}`, { cause: error });
      }
    }
    // A machine that is slow may store what is said in more pieces or in fewer, which moves the last points.
    expect(deaths).toBeGreaterThan(whole.passed.length - 3);
    // Where a call has an effect, some deaths fall between its beginning and its result.
    expect(unknown > 0).toBe(undisturbed.notes.length > 0);
  }, 300_000);
});

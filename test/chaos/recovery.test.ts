import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gate } from '../../src/testing/index.ts';
import { call, fakeChat, text, type TestSession } from '../session/support.ts';
import { endOf, expectSameEnd, play, script, watched } from './play.ts';
import { lifeHook, Reaper } from './reaper.ts';
import { idle, type Scenario, scenarios, speaks } from './scenarios.ts';
import { Survivor } from './survivor.ts';

const chat = fakeChat();

beforeEach(() => {
  // What a session logs of its own death.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});

afterEach(() => {
  Reflect.deleteProperty(env, lifeHook);
});

/** How many points of the life after a death are its recovery, its going on included. */
const recoveryPoints = 15;

/** Where a scenario dies first: within a reply, and, where a call has an effect, after it and before its result is stored. */
function firstDeaths(passed: readonly string[]): readonly number[] {
  const effect = passed.indexOf('INSERT INTO notes');
  const words = [...passed.entries()].filter(([, name]) => name === 'the model speaks').map(([index]) => index);
  return [words[Math.floor(words.length / 2)] ?? 0, ...(effect === -1 ? [] : [effect + 1])];
}

describe.each(Object.entries(scenarios))('%s', (_name, scenario) => {
  it('RUN-15 RUN-04 comes to the same end when its recovery dies, at whichever point', async () => {
    const whole = new Reaper();
    const undisturbed = await play(chat, whole, scenario());
    for (const first of firstDeaths(whole.passed)) {
      for (let point = first + 1; point <= first + recoveryPoints; point += 1) {
        const reaper = new Reaper((index) => index === first || index === point);
        try {
          const outcome = await play(chat, reaper, scenario());
          expect(reaper.deaths).toBe(2);
          expectSameEnd(outcome, undisturbed);
        } catch (error) {
          throw new Error(`After deaths at ${first}, and at ${point}, ${reaper.passed[point]}`, { cause: error });
        }
      }
    }
  }, 180_000);
});

describe('a turn on which one life after the other dies', () => {
  /** Four steps with a call each, then an answer. */
  const steps: Scenario = {
    used: true,
    reply: (assistants) => (assistants < 4 ? [call(`c${assistants}`, 'clock')] : [text('Done.')]),
    async play(person) {
      await person.accept('turn', { message: 'Hello' });
      await person.sees(idle);
    },
  };

  it('FAIL-15 without getting on ends as failed after the third, and can be tried again', async () => {
    const reaper = new Reaper((_, name) => name === 'the model speaks');
    script(chat, reaper, steps);
    const session = await watched(reaper, true);
    const person = new Survivor(session);
    await steps.play(person);
    expect(reaper.deaths).toBe(3);
    expect((await session.snapshot()).lastEnded).toMatchObject({
      turn: 1,
      reason: 'failed',
      error: { class: 'recovery_exhausted' },
      errorKind: 'transport_error',
    });
    script(chat, new Reaper(), steps);
    await person.accept('retry');
    await person.sees((shown) => idle(shown) && shown.turn === 2);
    const { said } = await endOf(session, person, reaper);
    expect(said.at(-1)).toBe('assistant: Done.');
  });

  it('RUN-15 gets on with each step, so that two deaths in each of five do not end it', async () => {
    const asked: number[] = [];
    const reaper = new Reaper((_, name) => {
      if (name !== 'the model speaks') return false;
      const step = stepAsked();
      return asked.push(step) > 0 && asked.filter((other) => other === step).length <= 2;
    });
    const outcome = await play(chat, reaper, steps);
    expect(reaper.deaths).toBe(10);
    expect(outcome.said.at(-1)).toBe('assistant: Done.');
  });

  /** The step that is asked for: how many replies the newest request holds. */
  function stepAsked(): number {
    return (chat.requests.at(-1)?.body.messages ?? []).filter(({ role }) => role === 'assistant').length;
  }
});

describe('the alarm', () => {
  /** Fires it as the platform does: at least once, until it has come to its end. */
  async function fire(session: TestSession): Promise<void> {
    for (;;) {
      const rang = await runInDurableObject(session.stub, async (object) => {
        await (object as unknown as { alarm(): void | Promise<void> }).alarm();
        return true;
      }).catch(() => false);
      if (rang) return;
    }
  }

  /** Takes the alarm away, as the platform does to fire it; gives when it was due. */
  function takeAlarm(session: TestSession): Promise<number> {
    return runInDurableObject(session.stub, async (_, { storage }) => {
      const due = await storage.getAlarm();
      await storage.deleteAlarm();
      return due ?? Infinity;
    });
  }

  /** A turn whose reply waits in the middle, until the gate opens. */
  function halfway(gate: Gate): Scenario {
    return {
      used: true,
      reply: () => [text('Half '), gate, text('a reply.')],
      async play(person) {
        await person.accept('turn', { message: 'Hello' });
        await person.sees(speaks('Half'));
      },
    };
  }

  it('RUN-15 finds a turn that died, though nobody comes, and though it dies itself at whichever point', async () => {
    for (let point = 0; point <= recoveryPoints; point += 1) {
      const gate = new Gate();
      const scenario = halfway(gate);
      const reaper = new Reaper((index) => index === point);
      script(chat, reaper, scenario);
      const session = await watched(new Reaper(), true);
      const person = new Survivor(session);
      await scenario.play(person);
      const asked = chat.requests.length;
      expect(await takeAlarm(session)).toBeLessThanOrEqual(Date.now() + 10_000);
      Reflect.set(env, lifeHook, reaper.watch);
      await session.kill();
      while (chat.requests.length === asked || reaper.deaths === 0) await fire(session);
      expect(await takeAlarm(session)).toBeLessThanOrEqual(Date.now() + 10_000);
      gate.open();
      await person.sees(idle);
      const { said } = await endOf(session, person, reaper);
      expect(said).toEqual(['user: Hello', 'assistant: Half a reply.']);
    }
  });

  it('RUN-15 may be what a turn that lives dies of', async () => {
    for (let point = 0; point < 5; point += 1) {
      const gate = new Gate();
      const scenario = halfway(gate);
      let rings = false;
      let passed = 0;
      const reaper = new Reaper(() => rings && passed++ === point);
      script(chat, reaper, scenario);
      const session = await watched(reaper, true);
      const person = new Survivor(session);
      await scenario.play(person);
      await session.rows('UPDATE alarms SET due = 0');
      rings = true;
      await fire(session);
      gate.open();
      await person.sees(idle);
      expect(reaper.deaths).toBe(1);
      const { said } = await endOf(session, person, reaper);
      expect(said).toEqual(['user: Hello', 'assistant: Half a reply.']);
    }
  });
});

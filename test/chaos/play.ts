import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { notRun } from '../../src/core/index.ts';
import { Gate } from '../../src/testing/index.ts';
import { type FakeChat, type Piece, saidIn, TestSession } from '../session/support.ts';
import { lifeHook, type Reaper } from './reaper.ts';
import type { Scenario } from './scenarios.ts';
import { Survivor } from './survivor.ts';
import { expectWhole } from '../session/whole.ts';

/** How a scenario went: what its conversation says in the end, the notes there are, and how many calls ended with an unknown outcome. */
export interface Outcome {
  readonly said: readonly string[];
  readonly notes: readonly string[];
  readonly unknown: number;
}

/** A point within the reply of the model. */
class Moment extends Gate {
  readonly #pass: () => void;

  constructor(pass: () => void) {
    super();
    this.#pass = pass;
  }

  override async wait(): Promise<void> {
    // A reply comes in ticks of its own: what was written before it is on disk.
    await scheduler.wait(0);
    this.#pass();
  }
}

/** Lets the fake model speak as the scenario says, with points before the reply, between its pieces, and before its end. */
export function script(chat: FakeChat, reaper: Reaper, scenario: Scenario): void {
  const moment = (name: string): Piece => new Moment(() => reaper.pass(name));
  chat.otherwise(({ messages }) => {
    reaper.pass('the model is asked');
    const pieces = scenario.reply(messages.filter(({ role }) => role === 'assistant').length);
    return [...pieces.flatMap((piece) => [moment('the model speaks'), piece]), moment('the model ends')];
  });
}

/** A session whose lives the reaper watches from now on. */
export async function watched(reaper: Reaper, used: boolean): Promise<TestSession> {
  const session = new TestSession();
  if (used) {
    await session.accept('patch', { title: 'Matrix' });
    await session.evict();
  }
  Reflect.set(env, lifeHook, reaper.watch);
  return session;
}

/** Plays a scenario in a new session under the reaper, and checks that what it leaves is whole. */
export async function play(chat: FakeChat, reaper: Reaper, scenario: Scenario): Promise<Outcome> {
  script(chat, reaper, scenario);
  const session = await watched(reaper, scenario.used);
  const person = new Survivor(session);
  await scenario.play(person);
  return endOf(session, person, reaper);
}

/** What a session at rest has come to, once it is found whole. */
export async function endOf(session: TestSession, person: Survivor, reaper: Reaper): Promise<Outcome> {
  Reflect.deleteProperty(env, lifeHook);
  await person.outlives();
  person.close();
  expect(person.wrong).toEqual([]);
  await disarmed(session, reaper);
  await expectWhole(session);
  const { messages } = await session.snapshot();
  const notes = await session.rows<{ text: string }>('SELECT text FROM notes ORDER BY id');
  const lines = saidIn(messages).map((line) => line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '(a time)'));
  const unknown = lines.join('\n').split(unknownText).length - 1;
  return { said: lines, notes: notes.map(({ text }) => text), unknown };
}

/**
 * Waits until the session has no alarm: it goes once the list has the session's line, and that way lie the last points. Where rows were cut off
 * from what was to follow in their tick, one may be left that finds nothing to do: it is let ring.
 */
async function disarmed(session: TestSession, reaper: Reaper): Promise<void> {
  const alarm = (): Promise<number | null | undefined> =>
    runInDurableObject(session.stub, (_, { storage }) => storage.getAlarm()).catch(() => undefined);
  await expect
    .poll(async () => {
      const due = await alarm();
      if (due !== null && reaper.deaths > 0) await runDurableObjectAlarm(session.stub).catch(() => false);
      return due;
    })
    .toBe(null);
}

const unknownText = saidIn([{ role: 'user', content: notRun.outcomeUnknown.content }])[0]?.slice('user: '.length) ?? '';

/**
 * Checks that a disturbed scenario came to the same end. The one difference is a call with an effect that had begun: its outcome may be unknown,
 * and then its effect is there once or not at all.
 */
export function expectSameEnd(outcome: Outcome, undisturbed: Outcome): void {
  expect(outcome.said.map((line) => line.replaceAll(unknownText, 'Saved.'))).toEqual(undisturbed.said);
  expect(undisturbed.notes).toEqual(expect.arrayContaining([...outcome.notes]));
  expect(new Set(outcome.notes)).toHaveLength(outcome.notes.length);
  expect(outcome.notes.length).toBeGreaterThanOrEqual(undisturbed.notes.length - outcome.unknown);
}

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allow,
  approval,
  type Delivery,
  deny,
  emptyView,
  type Event,
  fold,
  isTop,
  maxSteps,
  Resume,
  resumed,
  type Run,
  textOf,
  textResult,
  toolList,
  userText,
  type View,
} from '../../src/core/index.ts';
import { type Act, callDelta, Gate, textDelta } from '../../src/testing/index.ts';
import { brief, ofType, readOnly, start, toolOf, unpaired } from './support.ts';

/** What a person or a host does some microtasks after the nth event was handed to the consumer. */
interface Interference {
  readonly at: number;
  readonly ticks: number;
  readonly act: 'cancel' | 'interrupt' | Delivery;
}

const reply: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    fc.constantFrom('a', 'b').map(textDelta),
    fc.constantFrom('read', 'write', 'ask', 'throw', 'nobody').map((name) => callDelta(`p-${name}`, name, { n: 1 })),
    fc.constant(callDelta('p-cut', 'write', '{"n"')),
  ),
  { maxLength: 4 },
);

const interference: fc.Arbitrary<Interference> = fc.record({
  at: fc.nat({ max: 40 }),
  ticks: fc.nat({ max: 12 }),
  act: fc.constantFrom('cancel', 'interrupt', 'steer', 'queue', 'steer', 'queue'),
});

const tools = toolList(
  toolOf('read', async (_, call) => (await call.progress('r'), textResult('r')), readOnly),
  toolOf('write', async (_, call) => (await call.progress('w'), textResult('w'))),
  toolOf('ask', (_, call) => (call.answers() === null ? call.needsInput([approval('?')]) : textResult('asked'))),
  toolOf('throw', () => {
    throw new Error('x');
  }),
);

/** A conversation of a few turns that is interfered with, and the screen of somebody who watches it. */
class Scene {
  readonly run: Run;
  screen: View = emptyView;
  /** The events of the turn, whether the run said it was running as each was handled, and the messages it took in that turn. */
  events: Event[] = [];
  running: boolean[] = [];
  accepted: string[] = [];
  refusals: unknown[] = [];
  readonly #interferences: readonly Interference[];
  #handled = 0;
  #sent = 0;

  constructor(replies: readonly (readonly Act[])[], interferences: readonly Interference[]) {
    this.run = start((_, n) => replies[n] ?? 'end', { tools, stop: [maxSteps(4)] }).run;
    this.#interferences = interferences;
  }

  /** The next turn that makes sense; null when there is none. */
  next(): AsyncIterable<Event> | null {
    const { run } = this;
    if (run.ended() === null) {
      const first = userText('u1', 'Hello');
      this.screen = { ...emptyView, messages: [first] };
      return run.turn(first);
    }
    const partial = run.ended()?.partial;
    if (partial && textOf(partial) !== '' && run.messages().at(-1)?.role === 'user') {
      this.screen = resumed(this.screen, partial);
      return run.turn(new Resume(partial));
    }
    const answers = run
      .pending()
      .map(({ call }, n) => ({ callId: call.id, decisions: { approval: n === 0 ? allow : deny() }, values: {} }));
    return answers.length > 0 ? run.turn(answers) : null;
  }

  async play(turn: AsyncIterable<Event>): Promise<void> {
    this.events = [];
    this.running = [];
    this.accepted = [];
    const meant: Promise<void>[] = [];
    for await (const event of turn) {
      this.events.push(event);
      this.screen = fold(this.screen, event);
      this.running.push(this.run.isRunning());
      for (const one of this.#interferences) if (one.at === this.#handled) meant.push(this.#interfere(one));
      this.#handled += 1;
    }
    await Promise.all(meant);
  }

  async #interfere({ ticks, act }: Interference): Promise<void> {
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
    if (act === 'cancel' || act === 'interrupt') return this.run[act]();
    const id = `${act}-${(this.#sent += 1)}`;
    try {
      this.run.interject(userText(id, id), act);
      this.accepted.push(id);
    } catch (error) {
      this.refusals.push(error);
    }
  }
}

describe('any moment at which it may happen', () => {
  it(
    'STEER-06 STEER-10 LOOP-03 nothing is lost or doubled, and the screen shows what the run holds',
    { timeout: 60_000 },
    async () => {
      const property = async (replies: readonly (readonly Act[])[], interferences: readonly Interference[]): Promise<void> => {
        const scene = new Scene(replies, interferences);
        const { run } = scene;
        for (let turns = 0; turns < 4; turns += 1) {
          const turn = scene.next();
          if (turn === null) break;
          await scene.play(turn);
          expect(ofType(scene.events, 'turn_ended').filter(isTop)).toHaveLength(1);
          expect(scene.events.at(-1)?.type).toBe('turn_ended');
          expect(scene.running).toEqual(scene.events.map((event) => event.type !== 'turn_ended'));
          expect(scene.screen).toEqual({ messages: run.messages(), step: null, pending: run.pending() });
          expect(unpaired(run)).toEqual([]);
          const landed = ofType(scene.events, 'interjected').map((event) => event.message.id);
          const queued = run.ended()?.queued.map((message) => message.id) ?? [];
          expect([...landed, ...queued].toSorted()).toEqual(scene.accepted.toSorted());
          for (const delivery of ['steer', 'queue']) {
            const of = (ids: readonly string[]): string[] => ids.filter((id) => id.startsWith(delivery));
            expect(of([...landed, ...queued])).toEqual(of(scene.accepted));
          }
          expect({ reason: run.ended()?.reason, left: queued.length > 0 }).not.toEqual({ reason: 'done', left: true });
        }
        expect(
          scene.refusals.every((error) => error instanceof Error && 'code' in error && error.code === 'no_running_turn'),
        ).toBe(true);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 5 }), fc.array(interference, { maxLength: 6 }), property),
        { numRuns: 300 },
      );
    },
  );

  it.each(['cancel', 'interrupt', 'leave'] as const)(
    'FAIL-06 INTR-03 a step that is left by %s at any event leaves no trace',
    async (act) => {
      const step: readonly Act[] = [
        textDelta('a'),
        callDelta('p1', 'read', { n: 1 }),
        callDelta('p2', 'write', { n: 2 }),
        textDelta('b'),
      ];
      for (let at = 0; at < 24; at += 1) {
        const { run, model } = start([step, [textDelta('c'), new Gate()]], { tools });
        let handled = 0;
        for await (const event of run.turn(userText('u1', 'Hello'))) {
          const now = handled === at || (event.type === 'text_delta' && event.text === 'c');
          if (now && act === 'leave') break;
          if (now && act !== 'leave') run[act]();
          handled += 1;
        }
        const lines = brief(run.messages());
        expect([1, 3]).toContain(lines.length);
        expect(lines).toEqual(['user: Hello', 'assistant: ab [read] [write]', 'results: r | w'].slice(0, lines.length));
        expect(run.ended()?.reason).toBe(act === 'interrupt' ? 'interrupted' : 'cancelled');
        expect(model.playing).toBe(0);
      }
    },
  );
});

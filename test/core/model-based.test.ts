import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  allow,
  approval,
  type Delivery,
  type Delta,
  deny,
  emptyView,
  type Event,
  fold,
  maxSteps,
  type Message,
  ModelError,
  type Prompt,
  type Reason,
  Resume,
  resumed,
  Run,
  textResult,
  toolList,
  userText,
  type View,
} from '../../src/core/index.ts';
import { callDelta, textDelta } from '../../src/testing/index.ts';
import { type Ending, Oracle, type ToolName } from './oracle.ts';
import { brief, idle, ofType, readOnly, toolOf, unpaired } from './support.ts';

const stepLimit = 2;

/** A Run whose model and tools do nothing but what the test tells them, one thing at a time. */
class Rig {
  readonly run: Run;
  readonly running = new Map<number, (ending: Ending) => void>();
  view: View = emptyView;
  events: Event[] = [];
  /** True when `isRunning()` was false, and `ended()` set, as turn_ended was handled. */
  sawEnd = true;
  count = 0;
  onEnd: (reason: Reason) => void = () => {};
  #speak = Promise.withResolvers<Delta | Error | null>();

  constructor() {
    const tool = (name: ToolName) =>
      toolOf(
        name,
        async (input, call) => {
          const n = Number(input.n);
          const { promise, resolve } = Promise.withResolvers<Ending>();
          this.running.set(n, resolve);
          call.signal.addEventListener('abort', () => resolve('ok'));
          const ending = await promise;
          this.running.delete(n);
          if (ending === 'throw') throw new Error(`broken ${n}`);
          return ending === 'ask' ? call.needsInput([approval(`call ${n}`)]) : textResult(`ok ${n}`);
        },
        name === 'read' ? readOnly : {},
      );
    const model = { stream: (prompt: Prompt) => this.#listen(prompt) };
    this.run = new Run({ model, tools: toolList(tool('read'), tool('write')), stop: [maxSteps(stepLimit)] });
  }

  /** Lets the model give a delta, fail, or (null) end its reply. */
  speak(what: Delta | Error | null): void {
    this.#speak.resolve(what);
  }

  /** Reads a turn in the background; `view` is what its screen showed before it. */
  begin(turn: AsyncIterable<Event>, view: View): void {
    this.view = view;
    this.events = [];
    void this.#read(turn);
  }

  async #read(turn: AsyncIterable<Event>): Promise<void> {
    for await (const event of turn) {
      this.events.push(event);
      this.view = fold(this.view, event);
      if (event.type !== 'turn_ended') continue;
      this.sawEnd = !this.run.isRunning() && this.run.ended()?.reason === event.reason;
      this.onEnd(event.reason);
    }
  }

  async *#listen(prompt: Prompt): AsyncGenerator<Delta> {
    for (;;) {
      this.#speak = Promise.withResolvers();
      const aborted = new Promise<null>((resolve) => prompt.cancel.addEventListener('abort', () => resolve(null)));
      const said = await Promise.race([this.#speak.promise, aborted]);
      if (said === null) return;
      if (said instanceof Error) throw said;
      yield said;
    }
  }
}

function check(oracle: Oracle, rig: Rig): void {
  const { run } = rig;
  expect(brief(run.messages())).toEqual(oracle.lines);
  expect(run.isRunning()).toBe(oracle.phase !== 'idle');
  expect([...rig.running.keys()].toSorted((a, b) => a - b)).toEqual(oracle.running);
  expect(run.waiting().map((item) => item.message.id)).toEqual(
    oracle.waiting.toSorted((a, b) => Number(a.delivery === 'queue') - Number(b.delivery === 'queue')).map((item) => item.text),
  );
  expect(unpaired(run)).toEqual([]);
  expect(ofType(rig.events, 'turn_ended')).toHaveLength(oracle.ended === null || rig.events.length === 0 ? 0 : 1);
  if (oracle.ended === null) return;
  const ended = run.ended();
  expect({
    reason: ended?.reason,
    queued: ended?.queued.map((message) => message.id),
    partial: ended?.partial && brief([ended.partial])[0],
  }).toEqual(oracle.ended);
  expect(run.pending().map((pending) => pending.call.input.n)).toEqual(oracle.pending);
  expect(rig.view).toEqual({ messages: run.messages(), step: null, pending: run.pending() });
  expect(rig.sawEnd).toBe(true);
}

/** One thing that happens: when it can, what the oracle says of it, and how to make it happen. */
class Happening implements fc.AsyncCommand<Oracle, Rig> {
  readonly #name: string;
  readonly #when: (oracle: Readonly<Oracle>) => boolean;
  readonly #happen: (oracle: Oracle, rig: Rig) => void;

  constructor(name: string, when: (oracle: Readonly<Oracle>) => boolean, happen: (oracle: Oracle, rig: Rig) => void) {
    this.#name = name;
    this.#when = when;
    this.#happen = happen;
  }

  check(oracle: Readonly<Oracle>): boolean {
    return this.#when(oracle);
  }

  async run(oracle: Oracle, rig: Rig): Promise<void> {
    this.#happen(oracle, rig);
    await idle();
    check(oracle, rig);
  }

  toString(): string {
    return this.#name;
  }
}

const always = (): boolean => true;
const speaking = (oracle: Readonly<Oracle>): boolean => oracle.phase === 'reply';

const user = new Happening(
  'user',
  (oracle) => oracle.phase === 'idle' && oracle.pending.length === 0,
  (oracle, rig) => {
    const message = userText(`u${(rig.count += 1)}`, `u${rig.count}`);
    oracle.message(message.id);
    rig.begin(rig.run.turn(message), { ...rig.view, messages: [...rig.view.messages, message] });
  },
);
const resume = new Happening(
  'resume',
  (oracle) => oracle.resumable,
  (oracle, rig) => {
    const edit: Message = { id: `e${(rig.count += 1)}`, role: 'assistant', content: [{ type: 'text', text: `e${rig.count}` }] };
    oracle.resume(edit.id);
    rig.begin(rig.run.turn(new Resume(edit)), resumed(rig.view, edit));
  },
);
const text = new Happening('text', speaking, (oracle, rig) => {
  oracle.text('a');
  rig.speak(textDelta('a'));
});
const endOfReply = new Happening('end of reply', speaking, (oracle, rig) => {
  oracle.endReply();
  rig.speak(null);
});
const modelFails = new Happening('model fails', speaking, (oracle, rig) => {
  oracle.fail();
  rig.speak(new ModelError('model_error', 'no'));
});
const cancel = new Happening('cancel', always, (oracle, rig) => {
  oracle.cancel();
  rig.run.cancel();
});
const interrupt = new Happening('interrupt', always, (oracle, rig) => {
  oracle.interrupt();
  rig.run.interrupt();
});

function calls(tool: ToolName): Happening {
  return new Happening(`call ${tool}`, speaking, (oracle, rig) => {
    const n = (rig.count += 1);
    oracle.call(n, tool);
    rig.speak(callDelta(`p${n}`, tool, { n }));
  });
}

function callEnds(nth: number, ending: Ending): Happening {
  return new Happening(
    `call ends ${nth} ${ending}`,
    (oracle) => oracle.running.length > 0,
    (oracle, rig) => {
      const n = oracle.running[nth % oracle.running.length] ?? 0;
      rig.running.get(n)?.(ending);
      oracle.endCall(n, ending);
    },
  );
}

/** The nth pending call is allowed where the nth of `allowed`, taken in a circle, is true. */
function answers(allowed: readonly boolean[]): Happening {
  return new Happening(
    `answers ${allowed.map(Number).join('')}`,
    (oracle) => oracle.phase === 'idle' && oracle.pending.length > 0,
    (oracle, rig) => {
      const given = rig.run.pending().map(({ call }, n) => {
        const decision = allowed[n % allowed.length] === true ? allow : deny();
        return { callId: call.id, decisions: { approval: decision }, values: {} };
      });
      oracle.answer(given.map((answer) => answer.decisions.approval.allowed));
      rig.begin(rig.run.turn(given), rig.view);
    },
  );
}

function interject(delivery: Delivery): Happening {
  return new Happening(
    delivery,
    (oracle) => oracle.phase !== 'idle',
    (oracle, rig) => {
      const message = userText(`${delivery}${(rig.count += 1)}`, `${delivery}${rig.count}`);
      oracle.interject(message.id, delivery);
      rig.run.interject(message, delivery);
    },
  );
}

/** Weighted so that turns grow long: what ends one early is rare. */
const anything: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(user, user, resume, text) },
  { weight: 5, arbitrary: fc.constantFrom<ToolName>('read', 'write').map(calls) },
  { weight: 5, arbitrary: fc.constant(endOfReply) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat({ max: 3 }), fc.constantFrom<Ending>('ok', 'ok', 'throw', 'ask'))
      .map(([n, ending]) => callEnds(n, ending)),
  },
  { weight: 3, arbitrary: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }).map(answers) },
  { weight: 2, arbitrary: fc.constantFrom<Delivery>('steer', 'queue').map(interject) },
  { weight: 1, arbitrary: fc.constantFrom(modelFails, cancel, interrupt) },
);

it(
  'LOOP-03 STEER-10 FAIL-08 a run does what the oracle says, whatever happens in whatever order',
  { timeout: 60_000 },
  async () => {
    const reasons = new Set<Reason | undefined>();
    await fc.assert(
      fc.asyncProperty(fc.commands([anything], { maxCommands: 250, size: 'max' }), async (commands) => {
        const rig = new Rig();
        rig.onEnd = (reason) => reasons.add(reason);
        await fc.asyncModelRun(() => ({ model: new Oracle(stepLimit), real: rig }), commands);
      }),
      { numRuns: 60 },
    );
    expect(reasons).toEqual(new Set(['done', 'stopped', 'awaiting_input', 'cancelled', 'interrupted', 'failed']));
  },
);

import { describe, expect, it } from 'vitest';
import {
  approval,
  Cancelled,
  type Delta,
  type Event,
  type Logger,
  notRun,
  type Prompt,
  Run,
  textResult,
  toolList,
} from '../../src/core/index.ts';
import { callDelta, FakeClock, Gate, textDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, idle, ofType, Reader, readOnly, start, toolOf, types } from './support.ts';

describe('cancel() while the model speaks', () => {
  it('CANC-01 from another flow of control sets the signal of the turn', async () => {
    const gate = new Gate();
    const { run, model } = start([[gate]]);
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    expect(model.prompts[0]?.cancel.aborted).toBe(false);
    run.cancel();
    expect(model.prompts[0]?.cancel.aborted).toBe(true);
    await reader.done;
    expect(run.ended()?.reason).toBe('cancelled');
  });

  it('CANC-02 every prompt of a turn carries one signal; each turn has its own', async () => {
    const { run, model } = start([[callDelta('c1', 'ok')], 'done', 'again'], { tools: toolList(toolOf('ok')) });
    await drain(run.turn(hello));
    await drain(run.turn({ ...hello, id: 'u2' }));
    const [first, second, third] = model.prompts.map((prompt) => prompt.cancel);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('CANC-03 CANC-10 a stalled model is left without another event', async () => {
    const gate = new Gate();
    const { run } = start([[textDelta('x'), gate, textDelta('never')]]);
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    expect(types(await reader.done)).toEqual(['turn_started', 'step_started', 'message_started', 'text_delta', 'turn_ended']);
  });

  it('CANC-10 a model that never looks at the signal is left behind after 250 ms', async () => {
    const clock = new FakeClock();
    const deaf = { stream: () => stuck() };
    const reached = new Gate();
    async function* stuck(): AsyncGenerator<Delta> {
      yield textDelta('x');
      await reached.wait();
    }
    const run = new Run({ model: deaf, tools: toolList(), clock });
    const reader = new Reader(run.turn(hello));
    await reached.reached;
    run.cancel();
    await clock.sleeping();
    clock.advance(250);
    await reader.done;
    expect(run.ended()?.reason).toBe('cancelled');
    reached.open();
  });

  it('RUN-11 CANC-10 a model that answers the signal leaves no timer behind', async () => {
    const gate = new Gate();
    const clock = new FakeClock();
    const { run } = start([[gate]], { clock });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(clock.sleepers).toBe(0);
  });

  it('CANC-08 appended never holds the partial reply', async () => {
    const gate = new Gate();
    const { run } = start([[textDelta('half'), gate]]);
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(brief(run.ended()?.appended ?? [])).toEqual(['user: Hello']);
    expect(run.ended()?.partial).toBeNull();
    expect(run.messages()).toEqual([hello]);
  });

  it('CANC-01 a model that fails only because it was cancelled leaves the turn cancelled', async () => {
    const gate = new Gate();
    const model = {
      async *stream(prompt: Prompt): AsyncGenerator<Delta> {
        yield textDelta('x');
        try {
          await gate.wait(prompt.cancel);
        } catch {
          throw new TypeError('fetch failed');
        }
      },
    };
    const run = new Run({ model, tools: toolList() });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', error: null, errorKind: null });
  });
});

describe('cancel() while tools run', () => {
  it('CANC-04 CANC-12 running tools see isCancelled() and the signal; the turn ends when they return', async () => {
    const gate = new Gate();
    const seen: boolean[] = [];
    const watch = toolOf('watch', async (_, call) => {
      seen.push(call.isCancelled(), call.signal.aborted);
      await gate.wait(call.signal).catch(() => {});
      seen.push(call.isCancelled(), call.signal.aborted);
      return textResult('late');
    });
    const { run } = start([[callDelta('c1', 'watch')]], { tools: toolList(watch) });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(seen).toEqual([false, false, true, true]);
    expect(run.ended()?.reason).toBe('cancelled');
  });

  it('CANC-07 calls that have not started end with a cancelled result, and do not run', async () => {
    const gate = new Gate();
    let ran = 0;
    const tools = toolList(
      toolOf('slow', async (_, call) => (await gate.wait(call.signal).catch(() => {}), textResult('slow'))),
      toolOf('next', () => (ran++, textResult('next'))),
    );
    const { run } = start([[callDelta('c1', 'slow'), callDelta('c2', 'next'), callDelta('c3', 'next')]], { tools });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    const events = await reader.done;
    expect(ran).toBe(0);
    expect(ofType(events, 'tool_ended').map((event) => event.outcome)).toMatchObject([
      { content: [{ text: 'slow' }], error: false },
      { content: [{ text: 'Cancelled' }], error: true },
      { content: [{ text: 'Cancelled' }], error: true },
    ]);
  });

  it('CANC-03 a tool that throws Cancelled leaves the turn cancelled', async () => {
    const gate = new Gate();
    const { run } = start([[callDelta('c1', 'wait')]], {
      tools: toolList(toolOf('wait', async (_, call) => (await gate.wait(call.signal), textResult('')))),
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', errorKind: null });
  });

  it('CANC-03 a tool middleware that throws Cancelled leaves the turn cancelled', async () => {
    const gate = new Gate();
    const { run } = start([[callDelta('c1', 'ok')]], {
      tools: toolList(toolOf('ok')),
      middleware: [{ call: async (call, context, next) => (await gate.wait(context.signal), next(call, context)) }],
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', errorKind: null });
  });

  it('CANC-06 cancels the runs nested in it', async () => {
    const gate = new Gate();
    const child = start([[textDelta('inner'), gate]]);
    const delegate = toolOf('delegate', async (_, call) => {
      call.signal.addEventListener('abort', () => child.run.cancel());
      for await (const event of child.run.turn(hello)) await call.nest(event);
      return textResult(child.run.ended()?.reason ?? '');
    });
    const { run } = start([[callDelta('c1', 'delegate')]], { tools: toolList(delegate) });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    const events = await reader.done;
    expect(ofType(events, 'turn_ended').map((event) => [event.parent === null, event.reason])).toEqual([
      [false, 'cancelled'],
      [true, 'cancelled'],
    ]);
    expect(child.model.playing).toBe(0);
  });
});

describe('a tool that never looks', () => {
  const deafTool = (gate: Gate) =>
    toolOf('deaf', async (_, call) => {
      await gate.wait();
      await call.progress('late');
      return textResult('late');
    });

  it('CANC-12 is waited for without a limit when the host sets none', async () => {
    const gate = new Gate();
    const clock = new FakeClock();
    const { run } = start([[callDelta('c1', 'deaf')]], { tools: toolList(deafTool(gate)), clock });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    clock.advance(1_000_000);
    await idle();
    expect(run.isRunning()).toBe(true);
    gate.open();
    await reader.done;
    expect(run.ended()?.reason).toBe('cancelled');
  });

  it('CANC-12 RUN-11 is settled as outcome unknown after the grace; what it gives later is dropped and logged', async () => {
    const gate = new Gate();
    const clock = new FakeClock();
    const warnings: string[] = [];
    const logger: Logger = { warn: (message) => void warnings.push(message) };
    const { run } = start([[callDelta('c1', 'deaf')]], { tools: toolList(deafTool(gate)), clock, cancelGrace: 60_000, logger });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await clock.sleeping();
    clock.advance(59_999);
    await idle();
    expect(run.isRunning()).toBe(true);
    clock.advance(1);
    const events = await reader.done;
    expect(run.ended()?.reason).toBe('cancelled');
    expect(JSON.stringify(ofType(events, 'tool_ended')[0]?.outcome)).toContain('Outcome unknown');
    const before = { events: events.length, warnings: warnings.length };
    gate.open();
    await idle();
    expect(events).toHaveLength(before.events);
    expect(warnings.length).toBeGreaterThan(before.warnings);
  });

  it('CANC-12 a tool that returns within the grace is not forced', async () => {
    const gate = new Gate();
    const clock = new FakeClock();
    const { run } = start([[callDelta('c1', 'deaf')]], { tools: toolList(deafTool(gate)), clock, cancelGrace: 60_000 });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    gate.open();
    const events = await reader.done;
    expect(ofType(events, 'tool_ended')[0]?.outcome).toMatchObject({ content: [{ text: 'late' }] });
    expect(clock.sleepers).toBe(0);
  });

  it('CANC-12 RUN-18 nothing is logged about a call that ended in time, whatever its outcome', async () => {
    const warnings: string[] = [];
    const { run } = start([[callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok', () => notRun.outcomeUnknown)),
      cancelGrace: 60_000,
      logger: { warn: (message) => void warnings.push(message) },
    });
    await drain(run.turn(hello));
    expect(warnings).toEqual([]);
    expect(run.ended()?.reason).toBe('done');
  });
});

describe('cancel() at other times', () => {
  it('CANC-09 INTR-20 does nothing when no turn runs, and nothing to the next one', async () => {
    const { run } = start(['Hi']);
    run.cancel();
    run.interrupt();
    expect(run.ended()).toBeNull();
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
    run.cancel();
    run.interrupt();
    expect(run.ended()?.reason).toBe('done');
  });

  it('CANC-15 does nothing while calls await input', async () => {
    const { run } = start([[callDelta('c1', 'ask')]], {
      tools: toolList(toolOf('ask', (_, call) => call.needsInput([approval('may I?')]))),
    });
    await drain(run.turn(hello));
    run.cancel();
    expect(run.ended()?.reason).toBe('awaiting_input');
    expect(run.pending()).toHaveLength(1);
  });

  it('CANC-01 RUN-08 between turn() and the first pull ends the turn as cancelled, without asking the model', async () => {
    const { run, model } = start(['Hi']);
    const turn = run.turn(hello);
    run.cancel();
    const events = await drain(turn);
    expect(types(events)).toEqual(['turn_started', 'turn_ended']);
    expect(run.ended()?.reason).toBe('cancelled');
    expect(model.prompts).toEqual([]);
    expect(run.messages()).toEqual([hello]);
  });

  it('CANC-01 twice is once', async () => {
    const gate = new Gate();
    const { run } = start([[gate]]);
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    run.cancel();
    expect(ofType(await reader.done, 'turn_ended')).toHaveLength(1);
  });

  it.each<Event['type']>(['turn_started', 'step_started', 'message_started', 'text_delta', 'message_ended', 'tool_ended'])(
    'CANC-08 LOOP-08 in the handler of %s it discards the step and ends the turn',
    async (type) => {
      const { run } = start([[textDelta('x'), callDelta('c1', 'ok')], 'never'], {
        tools: toolList(toolOf('ok', undefined, readOnly)),
      });
      const { error } = await caught(async function* () {
        for await (const event of run.turn(hello)) {
          if (event.type === type) run.cancel();
          yield event;
        }
      });
      expect(error).toBeUndefined();
      expect(run.ended()).toMatchObject({ reason: 'cancelled', partial: null });
      expect(run.messages()).toEqual([hello]);
    },
  );

  it('CANC-01 a cancel outranks an interrupt', async () => {
    const gate = new Gate();
    const { run } = start([[textDelta('x'), gate]]);
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    run.interrupt();
    await reader.done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', partial: null });
  });

  it('CANC-03 Cancelled is an error with a name', () => {
    expect(new Cancelled()).toMatchObject({ name: 'Cancelled' });
  });
});

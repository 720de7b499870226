import { describe, expect, it } from 'vitest';
import {
  approval,
  type Delivery,
  type Event,
  maxSteps,
  type Message,
  ModelError,
  type Run,
  textResult,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { type Act, callDelta, Gate, textDelta } from '../../src/testing/index.ts';
import { brief, drain, hello, idle, ofType, Reader, readOnly, start, toolOf, types } from './support.ts';

const steer = (id: string): Message => userText(id, id);
const ok = toolOf('ok');

/** Interjects once the given event is handled. */
function on(run: Run, type: Event['type'], ...messages: readonly [string, Delivery][]): (event: Event) => void {
  let due = true;
  return (event) => {
    if (event.type !== type || !due) return;
    due = false;
    for (const [id, delivery] of messages) run.interject(steer(id), delivery);
  };
}

describe('a steer', () => {
  it('STEER-01 is the default delivery; STEER-02 it lands with an event', async () => {
    const { run } = start([[callDelta('c1', 'ok')], 'Yes'], { tools: toolList(ok) });
    const events = await new Reader(run.turn(hello), (event) => event.type === 'tool_ended' && run.interject(steer('s1'))).done;
    expect(ofType(events, 'interjected')).toEqual([
      { turn: 1, parent: null, type: 'interjected', message: steer('s1'), delivery: 'steer' },
    ]);
  });

  it('STEER-03 lands behind the results of the step and ahead of the next request', async () => {
    const { run, model } = start([[callDelta('c1', 'ok')], 'Yes'], { tools: toolList(ok) });
    const events = await new Reader(run.turn(hello), on(run, 'tool_ended', ['s1', 'steer'])).done;
    const after = types(events).slice(types(events).indexOf('step_ended'), types(events).indexOf('step_ended') + 4);
    expect(after.filter((type) => type !== 'message_started')).toEqual(['step_ended', 'interjected', 'step_started']);
    expect(brief(model.prompts[1]?.messages ?? [])).toEqual(['user: Hello', 'assistant: [ok]', 'results: ok', 'user: s1']);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ok]', 'results: ok', 'user: s1', 'assistant: Yes']);
  });

  it('STEER-04 STEER-16 skips the calls not yet begun, with the fixed text and a tool_ended each', async () => {
    let ran = 0;
    const count = toolOf('count', () => textResult(String(++ran)));
    const { run } = start([[callDelta('c1', 'count'), callDelta('c2', 'count'), callDelta('c3', 'count')], 'Yes'], {
      tools: toolList(count),
    });
    const events = await new Reader(run.turn(hello), on(run, 'tool_ended', ['s1', 'steer'])).done;
    expect(ran).toBe(1);
    const skipped = { content: [{ type: 'text', text: 'Skipped: the user sent a message' }], value: null, meta: [], error: true };
    expect(ofType(events, 'tool_ended').map((event) => event.outcome)).toEqual([textResult('1'), skipped, skipped]);
    expect(brief(run.messages())[2]).toBe('results: 1 | !Skipped: the user sent a message | !Skipped: the user sent a message');
  });

  it('STEER-05 lets running calls finish', async () => {
    const gate = new Gate();
    const slow = toolOf('slow', async (_, call) => (await gate.wait(call.signal), textResult('slow')), readOnly);
    const { run } = start([[callDelta('c1', 'slow'), callDelta('c2', 'slow'), callDelta('c3', 'ok')], 'Yes'], {
      tools: toolList(slow, ok),
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.interject(steer('s1'));
    gate.open();
    await reader.done;
    expect(brief(run.messages())[2]).toBe('results: slow | slow | !Skipped: the user sent a message');
  });

  it('STEER-06 makes a reply without calls not the end', async () => {
    const { run, model } = start([[textDelta('One'), textDelta(' two')], 'Answered']);
    await new Reader(run.turn(hello), on(run, 'text_delta', ['s1', 'steer'])).done;
    expect(run.ended()?.reason).toBe('done');
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: One two', 'user: s1', 'assistant: Answered']);
    expect(model.prompts).toHaveLength(2);
  });

  it('STEER-06 is taken until the very end: it lands, or the caller is told that no turn runs', async () => {
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const { run } = start(['One', 'Two']);
      let sent: Promise<boolean> | undefined;
      await new Reader(run.turn(hello), (event) => {
        if (event.type !== 'step_ended') return;
        sent ??= (async () => {
          for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
          try {
            run.interject(steer('s1'));
            return true;
          } catch {
            return false;
          }
        })();
      }).done;
      const landed = run.messages().some((message) => message.id === 's1');
      expect({ ticks, landed, queued: run.ended()?.queued }).toEqual({ ticks, landed: await sent, queued: [] });
    }
  });

  it('STEER-07 several land at one boundary in the order of arrival', async () => {
    const { run, model } = start(['One', 'Two']);
    await new Reader(run.turn(hello), on(run, 'text_delta', ['s1', 'steer'], ['s2', 'steer'], ['s3', 'steer'])).done;
    expect(brief(model.prompts[1]?.messages ?? []).slice(2)).toEqual(['user: s1', 'user: s2', 'user: s3']);
    expect(model.prompts).toHaveLength(2);
  });

  it('STEER-15 never interrupts the stream in progress', async () => {
    const gate = new Gate();
    const { run, model } = start([[textDelta('One'), gate, textDelta(' two'), callDelta('c1', 'ok')], 'Yes'], {
      tools: toolList(ok),
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.interject(steer('s1'));
    await idle();
    expect(model.playing).toBe(1);
    gate.open();
    const events = await reader.done;
    expect(ofType(events, 'text_delta').map((event) => event.text)).toEqual(['One', ' two', 'Yes']);
    expect(brief(run.messages())[1]).toBe('assistant: One two [ok]');
  });

  it('STEER-17 stays a message of its own behind a message of results', async () => {
    const { run } = start([[callDelta('c1', 'ok')], 'Yes'], { tools: toolList(ok) });
    await new Reader(run.turn(hello), on(run, 'tool_ended', ['s1', 'steer'])).done;
    expect(run.messages()[3]).toEqual(steer('s1'));
    expect(run.messages()[2]?.content.map((part) => part.type)).toEqual(['tool_result']);
  });
});

describe('a queued message', () => {
  it('STEER-08 is held back until the turn would be done', async () => {
    const { run, model } = start([[callDelta('c1', 'ok')], 'First', 'Second'], { tools: toolList(ok) });
    await new Reader(run.turn(hello), on(run, 'turn_started', ['q1', 'queue'])).done;
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: [ok]',
      'results: ok',
      'assistant: First',
      'user: q1',
      'assistant: Second',
    ]);
    expect(brief(model.prompts[1]?.messages ?? [])).not.toContain('user: q1');
    expect(run.ended()?.reason).toBe('done');
  });

  it('STEER-09 several go in order, one step each', async () => {
    const { run } = start(['One', 'Two', 'Three']);
    const events = await new Reader(run.turn(hello), on(run, 'text_delta', ['q1', 'queue'], ['q2', 'queue'])).done;
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: One',
      'user: q1',
      'assistant: Two',
      'user: q2',
      'assistant: Three',
    ]);
    expect(ofType(events, 'interjected').map((event) => event.delivery)).toEqual(['queue', 'queue']);
  });

  it('STEER-08 does not skip calls', async () => {
    const { run } = start([[callDelta('c1', 'ok'), callDelta('c2', 'ok')], 'First', 'Second'], { tools: toolList(ok) });
    await new Reader(run.turn(hello), on(run, 'tool_ended', ['q1', 'queue'])).done;
    expect(brief(run.messages())[2]).toBe('results: ok | ok');
  });

  it('STEER-06 STEER-08 a steer goes before it', async () => {
    const { run } = start(['One', 'Two', 'Three']);
    await new Reader(run.turn(hello), on(run, 'text_delta', ['q1', 'queue'], ['s1', 'steer'])).done;
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: One',
      'user: s1',
      'assistant: Two',
      'user: q1',
      'assistant: Three',
    ]);
  });
});

describe('what cannot land', () => {
  const all: [string, Delivery][] = [
    ['q1', 'queue'],
    ['s1', 'steer'],
    ['q2', 'queue'],
    ['s2', 'steer'],
  ];
  const ask = toolOf('ask', (_, call) => call.needsInput([approval('may I?')]));

  it.each<[string, readonly Act[], (run: Run) => void]>([
    ['stopped', [textDelta('x'), callDelta('c1', 'ok')], () => {}],
    ['awaiting_input', [textDelta('x'), callDelta('c1', 'ask')], () => {}],
    ['failed', [textDelta('x'), new ModelError('model_error', 'no')], () => {}],
    ['cancelled', [textDelta('x'), new Gate()], (run) => run.cancel()],
    ['interrupted', [textDelta('x'), new Gate()], (run) => run.interrupt()],
  ])('STEER-10 STEER-11 is in queued when the turn is %s, the steers first', async (reason, acts, act) => {
    const { run } = start([acts], { tools: toolList(ok, ask), stop: [maxSteps(1)] });
    // A steer would skip the call that is to ask.
    const sent = all.filter(([, delivery]) => reason !== 'awaiting_input' || delivery === 'queue');
    const interject = on(run, 'text_delta', ...sent);
    await new Reader(run.turn(hello), (event) => {
      interject(event);
      if (event.type === 'text_delta') act(run);
    }).done;
    const expected = ['s1', 's2', 'q1', 'q2'].filter((id) => sent.some(([sentId]) => sentId === id));
    expect(run.ended()).toMatchObject({ reason });
    expect(run.ended()?.queued.map((message) => message.id)).toEqual(expected);
    expect(run.messages().some((message) => expected.includes(message.id))).toBe(false);
    expect(run.waiting()).toEqual([]);
  });

  it('STEER-10 a steer that comes while a call asks waits in queued, and the call stays pending', async () => {
    const gate = new Gate();
    const slow = toolOf('slow', async (_, call) => (await gate.wait(call.signal), textResult('slow')), readOnly);
    const { run } = start([[callDelta('c1', 'asking'), callDelta('c2', 'slow')]], {
      tools: toolList(toolOf('asking', ask.call, readOnly), slow),
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.interject(steer('s1'));
    gate.open();
    await reader.done;
    expect(run.ended()).toMatchObject({ reason: 'awaiting_input', queued: [steer('s1')] });
    expect(run.pending()).toHaveLength(1);
  });
});

describe('interject() itself', () => {
  it('STEER-12 throws when no turn runs, and points to turn()', async () => {
    const { run } = start(['Hi']);
    const refused = expect.objectContaining({ code: 'no_running_turn', message: expect.stringContaining('turn()') });
    expect(() => run.interject(steer('s1'))).toThrow(refused);
    await drain(run.turn(hello));
    expect(() => run.interject(steer('s1'))).toThrow(refused);
    expect(run.messages()).toHaveLength(2);
  });

  it('STEER-12 RUN-08 throws already in the handler of turn_ended', async () => {
    const { run } = start(['Hi']);
    const refused: unknown[] = [];
    await new Reader(run.turn(hello), (event) => {
      if (event.type !== 'turn_ended') return;
      try {
        run.interject(steer('s1'));
      } catch (error) {
        refused.push(error);
      }
    }).done;
    expect(refused).toMatchObject([{ code: 'no_running_turn' }]);
  });

  it('STEER-13 a turn begins with its first pull: before it nothing runs, on the first event it does', async () => {
    const { run } = start(['One', 'Two']);
    const turn = run.turn(hello);
    expect(() => run.interject(steer('s1'))).toThrow(expect.objectContaining({ code: 'no_running_turn' }));
    await new Reader(turn, on(run, 'turn_started', ['s2', 'steer'])).done;
    expect(brief(run.messages())).toEqual(['user: Hello', 'user: s2', 'assistant: One']);
  });

  it('STEER-14 what was scheduled before the loop gets its chance at the first wait of the turn', async () => {
    const gate = new Gate();
    const { run } = start([[gate, textDelta('One')], 'Two']);
    const turn = run.turn(hello);
    const scheduled = gate.reached.then(() => run.interject(steer('s1')));
    const reader = new Reader(turn);
    await scheduled;
    gate.open();
    await reader.done;
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: One', 'user: s1', 'assistant: Two']);
  });

  it('STEER-01 takes user messages only', async () => {
    const { run } = start([[new Gate()]]);
    const reader = new Reader(run.turn(hello));
    await reader.until('message_started');
    const assistant: Message = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'x' }] };
    expect(() => run.interject(assistant)).toThrow(expect.objectContaining({ code: 'bad_input' }));
    run.cancel();
    await reader.done;
  });

  it('STEER-10 what waits can be seen, changed in its place, and taken back', async () => {
    const gate = new Gate();
    const { run } = start([[gate, textDelta('One')], 'Two', 'Three']);
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    for (const id of ['s1', 's2', 's3']) run.interject(steer(id));
    expect(run.waiting().map((item) => item.message.id)).toEqual(['s1', 's2', 's3']);
    expect(run.withdraw('s2')).toBe(true);
    expect(run.withdraw('s2')).toBe(false);
    expect(run.amend('s1', userText('s1', 'edited'), 'queue')).toBe(true);
    expect(run.amend('none', steer('x'), 'steer')).toBe(false);
    gate.open();
    await reader.done;
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: One',
      'user: s3',
      'assistant: Two',
      'user: edited',
      'assistant: Three',
    ]);
    expect(run.withdraw('s3')).toBe(false);
  });
});

describe('STEER-18 stop predicates', () => {
  it('STEER-18 are not asked when a reply ends the turn: it is done, never stopped', async () => {
    const asked: number[] = [];
    const { run } = start(['Hi'], { stop: [({ steps }) => asked.push(steps) > 0] });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
    expect(asked).toEqual([]);
  });

  it.each<Delivery>(['steer', 'queue'])(
    'STEER-18 stop the turn ahead of a waiting %s, which goes to queued',
    async (delivery) => {
      const { run } = start(['One', 'never'], { stop: [maxSteps(1)] });
      await new Reader(run.turn(hello), on(run, 'text_delta', ['w', delivery])).done;
      expect(run.ended()).toMatchObject({ reason: 'stopped', queued: [steer('w')] });
      expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: One']);
    },
  );

  it('STEER-18 LOOP-06 are asked once at each boundary', async () => {
    const asked: number[] = [];
    const { run } = start([[callDelta('c1', 'ok')], 'One', 'Two', 'Three'], {
      tools: toolList(ok),
      stop: [({ steps }) => asked.push(steps) < 0],
    });
    await new Reader(run.turn(hello), on(run, 'turn_started', ['q1', 'queue'], ['q2', 'queue'])).done;
    expect(run.ended()?.reason).toBe('done');
    expect(asked).toEqual([1, 2, 3]);
  });
});

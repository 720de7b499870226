import { describe, expect, it } from 'vitest';
import {
  allow,
  approval,
  type BegunStep,
  type Event,
  maxSteps,
  type Message,
  noUsage,
  notRun,
  type Outcome,
  type Part,
  Retry,
  type Run,
  textResult,
  toolList,
  type TurnPoint,
  userText,
} from '../../src/core/index.ts';
import { callDelta, Gate, textDelta, usageDelta } from '../../src/testing/index.ts';
import { brief, drain, hello, ofType, Reader, start, toolOf, types } from './support.ts';

const call = (id: string, name = 'count'): Part => ({ type: 'tool_call', id, name, input: {} });
const reply = (id: string, ...content: Part[]): Message => ({ id, role: 'assistant', content });
const point = (given: Partial<TurnPoint> = {}): TurnPoint => ({
  turn: 3,
  step: 1,
  usage: noUsage,
  retries: 0,
  finish: null,
  appended: [],
  ...given,
});
const begun = (told: Partial<BegunStep>): { begun: BegunStep } => ({
  begun: { settled: new Map(), asked: new Map(), decided: new Set(), ...told },
});

function counting() {
  const ran: string[] = [];
  return { ran, tools: toolList(toolOf('count', (_, made) => (ran.push(made.id), textResult(String(ran.length))))) };
}

/** A turn's events up to the one that its host stored last: what a crash leaves behind. */
async function crashAfter(run: Run, last: (event: Event) => boolean): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of run.turn(hello)) {
    events.push(event);
    if (last(event)) break;
  }
  return events;
}

describe('a Run that goes on in the middle of a turn', () => {
  it('RUN-04 emits no second turn_started, and takes the step that was due', async () => {
    const { tools } = counting();
    const results = {
      id: 'a1_results',
      role: 'user',
      content: [{ type: 'tool_result', callId: 'k1', content: [], error: false }],
    } as const;
    const { run, model } = start(['end'], { tools, messages: [hello, reply('a1', call('k1')), results] });
    const events = await drain(run.proceed(point({ step: 2 })));
    expect(types(events)).toEqual(['step_started', 'message_started', 'text_delta', 'message_ended', 'step_ended', 'turn_ended']);
    expect(ofType(events, 'step_started').map((event) => event.n)).toEqual([2]);
    expect(new Set(events.map((event) => event.turn))).toEqual(new Set([3]));
    expect(model.prompts).toHaveLength(1);
    expect(run.ended()?.reason).toBe('done');
  });

  it('RUN-04 a reply that was whole is not asked for again: its calls run', async () => {
    const { ran, tools } = counting();
    const { run, model } = start(['end'], { tools, messages: [hello] });
    const known = { message: reply('a1', call('k1'), call('k2')), usage: noUsage, finish: 'tool_calls' } as const;
    await drain(run.proceed(point(begun({ reply: known }))));
    expect(ran).toEqual(['k1', 'k2']);
    expect(model.prompts).toHaveLength(1);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [count] [count]', 'results: 1 | 2', 'assistant: end']);
  });

  it('RUN-04 INTR-19 a call that had settled is not run again; one of unknown outcome is told so', async () => {
    const { ran, tools } = counting();
    const settled = new Map<string, Outcome>([
      ['k1', textResult('before')],
      ['k2', notRun.outcomeUnknown],
    ]);
    const { run } = start(['end'], { tools, messages: [hello], settled });
    const known = { message: reply('a1', call('k1'), call('k2'), call('k3')), usage: noUsage, finish: 'tool_calls' } as const;
    await drain(run.proceed(point(begun({ reply: known }))));
    expect(ran).toEqual(['k3']);
    expect(brief(run.messages())[2]).toMatch(/^results: before \| !Outcome unknown.* \| 1$/);
  });

  it('RUN-04 a whole reply without calls ends the turn without another request', async () => {
    const { run, model } = start([], { messages: [hello] });
    await drain(
      run.proceed(
        point(begun({ reply: { message: reply('a1', { type: 'text', text: 'Hi' }), usage: noUsage, finish: 'length' } })),
      ),
    );
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'length' });
    expect(model.prompts).toEqual([]);
  });

  it('RUN-04 RUN-16 goes on counting usage, retries and turns', async () => {
    const again = toolOf('again', () => {
      throw new Retry('once more');
    });
    const { run } = start(
      [[callDelta('c', 'again'), usageDelta({ input: 5 })], [textDelta('x'), usageDelta({ input: 7 })], 'next'],
      {
        tools: toolList(again),
        messages: [hello],
        options: { toolRetries: 3 },
      },
    );
    await drain(run.proceed(point({ usage: { ...noUsage, input: 100 }, retries: 2 })));
    expect(run.ended()).toMatchObject({ reason: 'done', usage: { input: 112 } });
    const events = await drain(run.turn(userText('u2', 'More')));
    expect(new Set(events.map((event) => event.turn))).toEqual(new Set([4]));
    const spent = start([[callDelta('c', 'again')]], { tools: toolList(again), messages: [hello] });
    await drain(spent.run.proceed(point({ retries: 3 })));
    expect(spent.run.ended()?.errorKind).toBe('tool_retries_exceeded');
  });

  it('RUN-04 LOOP-05 keeps the limit of steps of the whole turn', async () => {
    const { tools } = counting();
    const scripts = () => [callDelta('c', 'count')];
    const going = start(scripts, { tools, messages: [hello], stop: [maxSteps(5)] });
    await drain(going.run.proceed(point({ step: 4 })));
    expect(going.run.ended()?.reason).toBe('stopped');
    expect(going.model.prompts).toHaveLength(2);
    const results = {
      id: 'a5_results',
      role: 'user',
      content: [{ type: 'tool_result', callId: 'k5', content: [], error: false }],
    } as const;
    const over = start(scripts, { tools, messages: [hello, reply('a5', call('k5')), results], stop: [maxSteps(5)] });
    await drain(over.run.proceed(point({ step: 6, after: 'called' })));
    expect(over.run.ended()?.reason).toBe('stopped');
    expect(over.model.prompts).toHaveLength(0);
  });

  it('RUN-04 EVT-01 what was told of a step is neither told nor done again', async () => {
    const { ran, tools } = counting();
    const { run } = start(['end'], { tools, messages: [hello] });
    const known = { message: reply('a1', call('k1'), call('k2')), usage: noUsage, finish: 'tool_calls' } as const;
    const settled = new Map([['k1', textResult('before')]]);
    const events = await drain(run.proceed(point(begun({ reply: known, settled }))));
    expect(ran).toEqual(['k2']);
    expect(types(events).slice(0, 3)).toEqual(['tool_ended', 'step_ended', 'step_started']);
    expect(ofType(events, 'tool_ended').map((event) => event.id)).toEqual(['k2']);
    expect(brief(run.messages())[2]).toBe('results: before | 1');
  });

  it('RUN-04 LOOP-12 a call that had asked waits for the host and does not run again', async () => {
    const { ran, tools } = counting();
    const { run } = start([], { tools, messages: [hello] });
    const known = { message: reply('a1', call('k1'), call('k2')), usage: noUsage, finish: 'tool_calls' } as const;
    const waits = {
      call: { type: 'tool_call', id: 'k1', name: 'count', input: {} },
      needs: [approval('may I?')],
      state: 7,
    } as const;
    await drain(run.proceed(point(begun({ reply: known, asked: new Map([['k1', waits]]) }))));
    expect(ran).toEqual(['k2']);
    expect(run.ended()).toMatchObject({ reason: 'awaiting_input', pending: [{ call: { id: 'k1' }, state: 7 }] });
  });

  it('RUN-04 a step that had begun and has no whole reply is asked again without a second step_started', async () => {
    const { run, model } = start(['again'], { messages: [hello] });
    const events = await drain(run.proceed(point(begun({}))));
    expect(types(events)).toEqual(['message_started', 'text_delta', 'message_ended', 'step_ended', 'turn_ended']);
    expect(model.prompts).toHaveLength(1);
  });

  it('RUN-04 LOOP-03 a turn whose last step had ended with a reply alone is over, unless something waits', async () => {
    const messages = [hello, reply('a1', { type: 'text', text: 'Hi' })];
    const over = start([], { messages });
    const told = point({ step: 2, after: 'answered', finish: 'length', appended: ['a1'] });
    expect(types(await drain(over.run.proceed(told)))).toEqual(['turn_ended']);
    expect(over.run.ended()).toMatchObject({ reason: 'done', finish: 'length', appended: [{ id: 'a1' }] });
    for (const delivery of ['steer', 'queue'] as const) {
      const waiting = [{ message: userText('w1', 'More'), delivery }];
      const more = start(['end'], { messages });
      const events = await drain(more.run.proceed({ ...told, waiting }));
      expect(types(events).slice(0, 2)).toEqual(['interjected', 'step_started']);
      expect(
        more.run
          .ended()
          ?.appended.map((message) => message.id)
          .slice(0, -1),
      ).toEqual(['a1', 'w1']);
    }
  });

  it('RUN-04 STEER-04 a steer that waits skips the calls that had not begun, and lands after their step', async () => {
    const { ran, tools } = counting();
    const { run } = start(['end'], { tools, messages: [hello] });
    const known = { message: reply('a1', call('k1'), call('k2')), usage: noUsage, finish: 'tool_calls' } as const;
    const waiting = [{ message: userText('s1', 'Stop that'), delivery: 'steer' }] as const;
    const settled = new Map([['k1', textResult('before')]]);
    const events = await drain(run.proceed(point({ ...begun({ reply: known, settled }), waiting })));
    expect(ran).toEqual([]);
    expect(types(events).slice(0, 3)).toEqual(['tool_ended', 'step_ended', 'interjected']);
  });

  it('RUN-04 EVT-26 decisions that were told are not told again', async () => {
    const ask = toolOf('ask', (_, made) => (made.answers() === null ? made.needsInput([approval('may I?')]) : textResult('ran')));
    const old = start([[callDelta('c1', 'ask'), callDelta('c2', 'ask')]], { tools: toolList(ask) });
    await drain(old.run.turn(hello));
    const { run } = start(['end'], { tools: toolList(ask), messages: old.run.messages(), pending: old.run.pending() });
    const answers = ['call_1', 'call_2'].map((callId) => ({ callId, decisions: { approval: allow }, values: {} }));
    const events = await drain(run.proceed(point({ step: 0, answers, ...begun({ decided: new Set(['call_1']) }) })));
    expect(ofType(events, 'tool_decided').map((event) => event.id)).toEqual(['call_2']);
    expect(ofType(events, 'step_started').map((event) => event.n)).toEqual([1]);
  });

  it('RUN-04 TOOL-18 says how many retries were used, for the host to keep', async () => {
    const again = toolOf('again', () => {
      throw new Retry('once more');
    });
    const { run } = start([[callDelta('c', 'again'), callDelta('d', 'again')], 'end'], { tools: toolList(again) });
    await drain(run.turn(hello));
    expect(run.retries()).toBe(2);
  });

  it('RUN-04 FAIL-11 takes the answers of step 0 again, without running what had settled', async () => {
    const ran: string[] = [];
    const ask = toolOf('ask', (_, made) => {
      if (made.answers() === null) return made.needsInput([approval('may I?')]);
      ran.push(made.id);
      return textResult('ran');
    });
    const old = start([[callDelta('c1', 'ask'), callDelta('c2', 'ask')]], { tools: toolList(ask) });
    await drain(old.run.turn(hello));
    const { run } = start(['end'], {
      tools: toolList(ask),
      messages: old.run.messages(),
      pending: old.run.pending(),
      settled: new Map([['call_1', textResult('before')]]),
    });
    const answers = ['call_1', 'call_2'].map((callId) => ({ callId, decisions: { approval: allow }, values: {} }));
    const events = await drain(run.proceed(point({ step: 0, answers })));
    expect(ran).toEqual(['call_2']);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask] [ask]', 'results: before | ran', 'assistant: end']);
    expect(ofType(events, 'step_started').map((event) => event.n)).toEqual([0, 1]);
    expect(run.pending()).toEqual([]);
  });

  it('RUN-04 INTR-05 continues the edit of a Resume again', async () => {
    const { run, model } = start([' two'], { messages: [hello] });
    await drain(run.proceed(point({ edit: reply('edit', { type: 'text', text: 'One' }) })));
    expect(model.prompts[0]?.continue).toBe(true);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: One two']);
  });

  it('RUN-04 RUN-08 is a turn like another: it can be cancelled, steered and refused a second one', async () => {
    const gate = new Gate();
    const { run } = start([[textDelta('One'), gate], 'never'], { messages: [hello] });
    const reader = new Reader(run.proceed(point()));
    await gate.reached;
    expect(() => run.turn(userText('u2', 'x'))).toThrow(expect.objectContaining({ code: 'turn_running' }));
    expect(() => run.proceed(point())).toThrow(expect.objectContaining({ code: 'turn_running' }));
    run.interject(userText('s1', 'steer'));
    run.cancel();
    await reader.done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', queued: [{ id: 's1' }] });
    expect(run.messages()).toEqual([hello]);
  });

  it('RUN-15 after a crash at any event of a turn the messages come out the same, and no call runs twice', async () => {
    const scripts = [[callDelta('c1', 'count'), callDelta('c2', 'count')], [callDelta('c3', 'count')], 'end'];
    const whole = start(scripts, { tools: counting().tools });
    const expected = brief((await drain(whole.run.turn(hello)), whole.run.messages()));
    const boundaries = ofType(await drain(start(scripts, { tools: counting().tools }).run.turn(hello)), 'step_ended').length;
    for (let steps = 0; steps < boundaries; steps += 1) {
      const before = counting();
      const old = start(scripts, { tools: before.tools });
      let ended = 0;
      await crashAfter(old.run, (event) =>
        steps === 0 ? event.type === 'turn_started' : event.type === 'step_ended' && ++ended === steps,
      );
      const left = scripts.slice(steps);
      const fresh = start(left, { tools: before.tools, messages: old.run.messages() });
      await drain(fresh.run.proceed(point({ step: steps + 1 })));
      expect({ steps, messages: brief(fresh.run.messages()) }).toEqual({ steps, messages: expected });
      expect(before.ran).toHaveLength(3);
    }
  });
});

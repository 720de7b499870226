import { describe, expect, it } from 'vitest';
import {
  type Event,
  maxSteps,
  type Message,
  ModelError,
  question,
  resultsId,
  Retry,
  type Run,
  textResult,
  toolCalls,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { callDelta, finishDelta, Gate, textDelta, usageDelta } from '../../src/testing/index.ts';
import { brief, drain, hello, ofType, Reader, readOnly, start, toolOf, types } from './support.ts';

const clock = toolOf('clock', () => textResult('12:00'), readOnly);
const ask = toolOf('ask', (_, call) => {
  const answer = call.answers();
  return answer === null ? call.needsInput([question('q', 'Which?')]) : textResult(String(answer.values.q));
});
const callClock = [callDelta('c1', 'clock')];
const answerTo = (run: Run, value: string): Parameters<Run['turn']>[0] =>
  run.pending().map((pending) => ({ callId: pending.call.id, decisions: {}, values: { q: value } }));

describe('steps', () => {
  it('LOOP-01 makes each prompt anew from system text, conversation and the tools as they are then', async () => {
    const offered = [[clock], [clock, ask]];
    let reads = 0;
    const { run, model } = start([callClock, 'noon'], { system: 'S', tools: { tools: () => offered[reads++] ?? [] } });
    await drain(run.turn(hello));
    expect(model.prompts.map((prompt) => prompt.tools.map((spec) => spec.name))).toEqual([['clock'], ['clock', 'ask']]);
    expect(model.prompts.map((prompt) => brief(prompt.messages))).toEqual([
      ['user: Hello'],
      ['user: Hello', 'assistant: [clock]', 'results: 12:00'],
    ]);
    expect(model.prompts.map((prompt) => prompt.system)).toEqual(['S', 'S']);
  });

  it('LOOP-02 streams, appends the reply, runs its calls, appends all results as one user message', async () => {
    const { run } = start([[textDelta('See:'), callDelta('c1', 'clock'), callDelta('c2', 'clock')], 'ok'], {
      tools: toolList(clock),
    });
    const events = await drain(run.turn(hello));
    const step = types(events).slice(1, types(events).indexOf('step_ended') + 1);
    expect(step.filter((type) => !/delta|tool_call/.test(type))).toEqual([
      'step_started',
      'message_started',
      'message_ended',
      'tool_ended',
      'tool_ended',
      'step_ended',
    ]);
    const [, reply, results] = run.messages();
    expect(reply?.role).toBe('assistant');
    expect(results).toMatchObject({ id: resultsId(reply?.id ?? ''), role: 'user' });
    expect(results?.content.map((part) => part.type === 'tool_result' && part.callId)).toEqual(
      toolCalls(reply as Message).map((call) => call.id),
    );
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: See: [clock] [clock]',
      'results: 12:00 | 12:00',
      'assistant: ok',
    ]);
  });

  it('LOOP-11 numbers model steps from 1 and the step of answered calls 0', async () => {
    const { run } = start([callClock, [callDelta('c2', 'ask')], 'fine'], { tools: toolList(clock, ask) });
    const first = await drain(run.turn(hello));
    expect(ofType(first, 'step_started').map((event) => event.n)).toEqual([1, 2]);
    expect(ofType(first, 'step_ended').map((event) => event.n)).toEqual([1, 2]);
    const second = await drain(run.turn(answerTo(run, 'left')));
    expect(ofType(second, 'step_started').map((event) => event.n)).toEqual([0, 1]);
    expect(ofType(second, 'step_ended').map((event) => event.n)).toEqual([0, 1]);
  });

  it('LOOP-12 a resume runs the answered calls, appends their results, then asks the model', async () => {
    const { run, model } = start([[callDelta('c1', 'ask')], 'Left it is'], { tools: toolList(ask) });
    await drain(run.turn(hello));
    const events = await drain(run.turn(answerTo(run, 'left')));
    expect(types(events)).toEqual([
      'turn_started',
      'step_started',
      'tool_ended',
      'step_ended',
      'step_started',
      'message_started',
      'text_delta',
      'message_ended',
      'step_ended',
      'turn_ended',
    ]);
    expect(brief(model.prompts[1]?.messages ?? [])).toEqual(['user: Hello', 'assistant: [ask]', 'results: left']);
    expect(run.pending()).toEqual([]);
  });

  it('LOOP-16 an empty reply is done and kept, and the next turn goes on', async () => {
    const { run, model } = start([[], 'Hi again']);
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
    expect(run.messages().at(-1)).toMatchObject({ role: 'assistant', content: [] });
    await drain(run.turn(userText('u2', 'And?')));
    expect(run.ended()?.reason).toBe('done');
    expect(model.prompts[1]?.messages).toHaveLength(3);
  });
});

describe('the end of a turn', () => {
  const gate = new Gate();
  const endings: [string, () => Run, (run: Run, event: Event) => void][] = [
    ['done', () => start(['Hi']).run, () => {}],
    ['stopped', () => start([callClock, callClock], { tools: toolList(clock), stop: [maxSteps(1)] }).run, () => {}],
    ['awaiting_input', () => start([[callDelta('c1', 'ask')]], { tools: toolList(ask) }).run, () => {}],
    ['cancelled', () => start([[textDelta('x'), gate]]).run, (run, event) => event.type === 'text_delta' && run.cancel()],
    ['interrupted', () => start([[textDelta('x'), gate]]).run, (run, event) => event.type === 'text_delta' && run.interrupt()],
    ['failed', () => start([[textDelta('x'), new ModelError('model_error', 'bad')]]).run, () => {}],
  ];

  it.each(endings)('LOOP-03 a turn that is %s emits exactly one turn_ended, the last event', async (reason, make, handle) => {
    const run = make();
    const events = await new Reader(run.turn(hello), (event) => handle(run, event)).done;
    expect(ofType(events, 'turn_ended').map((event) => event.reason)).toEqual([reason]);
    expect(events.at(-1)?.type).toBe('turn_ended');
    expect(run.ended()?.reason).toBe(reason);
  });

  it('LOOP-04 a reply without calls ends the turn as done', async () => {
    const { run, model } = start(['Hi', 'never']);
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
    expect(model.prompts).toHaveLength(1);
  });

  it('LOOP-05 a turn stops after 20 steps unless told otherwise', async () => {
    const { run, model } = start(() => callClock, { tools: toolList(clock) });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('stopped');
    expect(model.prompts).toHaveLength(20);
    const shorter = start(() => callClock, { tools: toolList(clock), stop: [maxSteps(3)] });
    await drain(shorter.run.turn(hello));
    expect(shorter.model.prompts).toHaveLength(3);
  });

  it('LOOP-06 any true predicate stops, at a boundary, with every call answered', async () => {
    const { run, model } = start(() => callClock, { tools: toolList(clock), stop: [() => false, maxSteps(2), () => false] });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('stopped');
    expect(model.prompts).toHaveLength(2);
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: [clock]',
      'results: 12:00',
      'assistant: [clock]',
      'results: 12:00',
    ]);
  });

  it('LOOP-06 an empty list of predicates never stops', async () => {
    const { run } = start((_, n) => (n < 25 ? callClock : 'enough'), { tools: toolList(clock), stop: [] });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
  });

  it('LOOP-15 predicates see the steps, messages and usage of the turn', async () => {
    const seen: { steps: number; messages: number; output: number }[] = [];
    const { run } = start((_, n) => [callDelta(`c${n}`, 'clock'), usageDelta({ output: 10 })], {
      tools: toolList(clock),
      stop: [
        ({ steps, messages, usage }) => {
          seen.push({ steps, messages: messages.length, output: usage.output });
          return usage.output >= 20;
        },
      ],
    });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('stopped');
    expect(seen.map(({ steps, output }) => ({ steps, output }))).toEqual([
      { steps: 1, output: 10 },
      { steps: 2, output: 20 },
    ]);
    expect(seen[1]?.messages).toBe((seen[0]?.messages ?? 0) + 2);
  });

  it('LOOP-07 a turn that awaits input lists the calls that asked', async () => {
    const { run } = start([[callDelta('c1', 'ask'), callDelta('c2', 'clock'), callDelta('c3', 'ask')]], {
      tools: toolList(ask, clock),
    });
    const events = await drain(run.turn(hello));
    const calls = toolCalls(run.messages()[1] as Message);
    const expected = [calls[0]?.id, calls[2]?.id];
    expect(run.ended()?.reason).toBe('awaiting_input');
    expect(run.ended()?.pending.map((pending) => pending.call.id)).toEqual(expected);
    expect(run.pending().map((pending) => pending.call.id)).toEqual(expected);
    expect(ofType(events, 'input_requested').map((event) => event.pending.map((pending) => pending.call.id))).toEqual([expected]);
  });

  it('LOOP-08 cancel() ends the turn as cancelled', async () => {
    const { run } = start([[textDelta('x'), new Gate()]]);
    await new Reader(run.turn(hello), (event) => event.type === 'text_delta' && run.cancel()).done;
    expect(run.ended()?.reason).toBe('cancelled');
  });

  it('LOOP-09 interrupt() ends the turn as interrupted with the reply so far', async () => {
    const { run } = start([[textDelta('One. '), textDelta('Two.'), new Gate()]]);
    await new Reader(run.turn(hello), (event) => event.type === 'text_delta' && event.text === 'Two.' && run.interrupt()).done;
    expect(run.ended()).toMatchObject({ reason: 'interrupted', partial: { content: [{ type: 'text', text: 'One. Two.' }] } });
  });

  const failing = (error: Error): Run => start([[error]]).run;
  it.each<[string, () => Run]>([
    ['model_error', () => failing(new ModelError('model_error', 'x'))],
    ['rate_limited', () => failing(new ModelError('rate_limited', 'x'))],
    ['context_too_long', () => failing(new ModelError('context_too_long', 'x'))],
    ['transport_error', () => failing(new ModelError('transport_error', 'x'))],
    [
      'middleware_error',
      () =>
        start(['Hi'], {
          middleware: [
            {
              stream() {
                throw new Error('x');
              },
            },
          ],
        }).run,
    ],
    [
      'tool_retries_exceeded',
      () =>
        start(() => [callDelta('c', 'again')], {
          tools: toolList(
            toolOf('again', () => {
              throw new Retry('once more');
            }),
          ),
        }).run,
    ],
  ])('LOOP-10 a failed turn carries its kind: %s', async (kind, make) => {
    const run = make();
    const events = await drain(run.turn(hello));
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: kind });
    expect(run.ended()?.error).toBeInstanceOf(Error);
    expect(ofType(events, 'turn_ended')[0]?.error?.class).toBe(kind);
  });
});

describe('a step of which calls pause', () => {
  it('LOOP-13 its other calls run to their end first', async () => {
    const gate = new Gate();
    const slow = toolOf('slow', async () => (await gate.wait(), textResult('slow')), readOnly);
    const asking = toolOf('asking', (_, call) => call.needsInput([question('q', 'Which?')]), readOnly);
    const write = toolOf('write', () => textResult('written'));
    const { run } = start([[callDelta('c1', 'asking'), callDelta('c2', 'slow'), callDelta('c3', 'write')]], {
      tools: toolList(slow, asking, write),
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    expect(ofType(reader.events, 'input_requested')).toEqual([]);
    gate.open();
    const events = await reader.done;
    expect(types(events).slice(-5)).toEqual(['tool_ended', 'tool_ended', 'input_requested', 'step_ended', 'turn_ended']);
  });

  it('LOOP-14 keeps the reply and the results so far; the rest joins the same message on resume', async () => {
    const { run } = start([[callDelta('c1', 'ask'), callDelta('c2', 'clock'), callDelta('c3', 'ask')], 'ok'], {
      tools: toolList(ask, clock),
    });
    await drain(run.turn(hello));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask] [clock] [ask]', 'results: 12:00']);
    const paused = run.messages()[2]?.id;
    await drain(run.turn(answerTo(run, 'left')));
    expect(brief(run.messages())).toEqual([
      'user: Hello',
      'assistant: [ask] [clock] [ask]',
      'results: left | 12:00 | left',
      'assistant: ok',
    ]);
    expect(run.messages()[2]?.id).toBe(paused);
  });

  it('LOOP-14 without other results the message of results comes with the resume', async () => {
    const { run } = start([[callDelta('c1', 'ask')], 'ok'], { tools: toolList(ask) });
    await drain(run.turn(hello));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask]']);
    await drain(run.turn(answerTo(run, 'right')));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask]', 'results: right', 'assistant: ok']);
  });
});

it('LOOP-03 a finish that the model gives before its last delta does not end the step early', async () => {
  const { run } = start([[finishDelta('stop'), textDelta('late')]]);
  await drain(run.turn(hello));
  expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: late']);
});

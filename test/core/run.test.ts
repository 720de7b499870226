import { describe, expect, it } from 'vitest';
import {
  allow,
  approval,
  type Event,
  type Message,
  messageFromJSON,
  MisuseError,
  type Prompt,
  Run,
  textResult,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { callDelta, FakeModel, Gate, textDelta, usageDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, idle, ofType, plain, Reader, readOnly, start, toolOf, types } from './support.ts';

const assistant: Message = { id: 'a1', role: 'assistant', content: [{ type: 'text', text: 'Hi' }] };

describe('what a Run is made of', () => {
  it('RUN-03 hands system text, options, earlier messages and tools to the model', async () => {
    const { run, model } = start(['Yes'], {
      tools: toolList(toolOf('clock')),
      system: 'Be brief.',
      options: { maxOutputTokens: 7 },
      messages: [hello, assistant],
    });
    await drain(run.turn(userText('u2', 'Still there?')));
    const prompt = model.prompts[0];
    expect(prompt?.system).toBe('Be brief.');
    expect(prompt?.options).toEqual({ maxOutputTokens: 7, toolRetries: 3, provider: {} });
    expect(prompt?.tools.map((spec) => spec.name)).toEqual(['clock']);
    expect(brief(prompt?.messages ?? [])).toEqual(['user: Hello', 'assistant: Hi', 'user: Still there?']);
    expect(prompt?.continue).toBe(false);
  });

  it('RUN-03 works from a model and tools alone', async () => {
    const run = new Run({ model: new FakeModel(['Hi']), tools: toolList() });
    await drain(run.turn(hello));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: Hi']);
  });

  it.each([
    ['an assistant message', assistant],
    ['a text', 'Hello'],
    ['nothing', undefined],
    ['an object', {}],
  ])('RUN-04 refuses %s as input at once', (_, input) => {
    const { run, model } = start(['Hi']);
    expect(() => run.turn(input as unknown as Message)).toThrow(MisuseError);
    expect(run.isRunning()).toBe(false);
    expect(model.prompts).toEqual([]);
  });

  it('RUN-05 does nothing until it is iterated, and then only as far as it is', async () => {
    const { run, model } = start([[callDelta('c1', 'clock')], 'Hi'], { tools: toolList(toolOf('clock')) });
    const turn = run.turn(hello);
    await idle();
    expect(model.prompts.length).toBe(0);
    for (let event = await turn.next(); !event.done && event.value.type !== 'step_ended';) event = await turn.next();
    await idle();
    expect(model.prompts.length).toBe(1);
    await turn.return();
  });

  it('RUN-17 gives the context to tools and middleware as it is and never serialises it', async () => {
    const context = {
      toJSON() {
        throw new Error('serialised');
      },
    };
    const seen: unknown[] = [];
    const { run } = start([[callDelta('c1', 'look')], 'ok'], {
      context,
      tools: toolList(toolOf('look', (_, call) => (seen.push(call.context), textResult('')))),
      middleware: [{ call: (call, given, next) => (seen.push(given.context), next(call, given)) }],
    });
    plain(await drain(run.turn(hello)));
    expect(seen).toHaveLength(2);
    expect(seen.every((value) => value === context)).toBe(true);
  });

  it('RUN-18 reports a throwing tool to the logger, and works without one', async () => {
    const warnings: string[] = [];
    const scripts = [[callDelta('c1', 'bad')], 'ok'];
    const tools = toolList(
      toolOf('bad', () => {
        throw new Error('disk full');
      }),
    );
    const logged = start(scripts, {
      tools,
      logger: { warn: (message, fields) => void warnings.push(message + JSON.stringify(fields)) },
    });
    await drain(logged.run.turn(hello));
    expect(warnings).toHaveLength(1);
    const silent = start(scripts, { tools });
    await drain(silent.run.turn(hello));
    expect(silent.run.ended()?.reason).toBe('done');
  });
});

describe('what a Run tells', () => {
  it('RUN-06 says how the turn ended, and nothing before', async () => {
    const { run } = start([['Hi'].map(textDelta).concat(usageDelta({ input: 3, output: 1 }))]);
    expect(run.ended()).toBeNull();
    await drain(run.turn(hello));
    expect(run.ended()).toEqual({
      reason: 'done',
      appended: [hello, { id: 'msg_1', role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }],
      pending: [],
      usage: { input: 3, output: 1, cacheRead: 0, cacheWrite: 0 },
      error: null,
      errorKind: null,
      finish: 'stop',
      partial: null,
      queued: [],
    });
  });

  it('RUN-07 messages are the earlier ones and what was added; appended is what the last turn added', async () => {
    const earlier = [hello, assistant];
    const { run } = start([[callDelta('c1', 'clock')], 'It is noon', 'Bye'], {
      messages: earlier,
      tools: toolList(toolOf('clock')),
    });
    await drain(run.turn(userText('u2', 'Time?')));
    const first = run.ended()?.appended ?? [];
    expect(brief(first)).toEqual(['user: Time?', 'assistant: [clock]', 'results: clock', 'assistant: It is noon']);
    expect(run.messages()).toEqual([...earlier, ...first]);
    await drain(run.turn(userText('u3', 'Thanks')));
    expect(brief(run.ended()?.appended ?? [])).toEqual(['user: Thanks', 'assistant: Bye']);
    expect(run.messages()).toEqual([...earlier, ...first, ...(run.ended()?.appended ?? [])]);
  });

  it('RUN-08 runs from the call of turn() until turn_ended, whose handler sees ended()', async () => {
    const { run } = start(['Hi']);
    expect(run.isRunning()).toBe(false);
    const turn = run.turn(hello);
    expect(run.isRunning()).toBe(true);
    const seen: [boolean, string | undefined][] = [];
    for await (const _ of turn) seen.push([run.isRunning(), run.ended()?.reason]);
    expect(seen.pop()).toEqual([false, 'done']);
    expect(seen.every(([running, reason]) => running && reason === undefined)).toBe(true);
    expect(run.isRunning()).toBe(false);
  });

  it('RUN-16 sums the usage of all steps and takes the last figure of each', async () => {
    const { run } = start(
      [
        [usageDelta({ input: 5 }), callDelta('c1', 'clock'), usageDelta({ input: 10, output: 4, cacheRead: 2, cacheWrite: 1 })],
        [textDelta('noon'), usageDelta({ input: 20, output: 6, cacheRead: 8 })],
      ],
      { tools: toolList(toolOf('clock')) },
    );
    const events = await drain(run.turn(hello));
    const total = { input: 30, output: 10, cacheRead: 10, cacheWrite: 1 };
    expect(run.ended()?.usage).toEqual(total);
    expect(ofType(events, 'turn_ended')[0]?.usage).toEqual(total);
    expect(ofType(events, 'message_ended').map((event) => event.usage.input)).toEqual([10, 20]);
  });
});

it('RUN-16 counts what a discarded step has used, too: it was paid for', async () => {
  const gate = new Gate();
  const { run } = start([[usageDelta({ input: 9 }), textDelta('x'), gate]]);
  const reader = new Reader(run.turn(hello));
  await gate.reached;
  run.cancel();
  await reader.done;
  expect(run.ended()?.usage).toMatchObject({ input: 9, output: 0 });
});

describe('what a Run refuses', () => {
  const asking = toolOf('ask', (_, call) =>
    call.answers() === null ? call.needsInput([approval('may I?')]) : textResult('done'),
  );

  it('RUN-09 a second turn while one runs, which goes on unharmed', async () => {
    const gate = new Gate();
    const { run } = start([[gate, textDelta('Hi')]]);
    const reader = new Reader(run.turn(hello));
    expect(() => run.turn(userText('u2', 'Again'))).toThrow(expect.objectContaining({ code: 'turn_running' }));
    await gate.reached;
    expect(() => run.turn(userText('u2', 'Again'))).toThrow(expect.objectContaining({ code: 'turn_running' }));
    gate.open();
    await reader.done;
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: Hi']);
  });

  it('RUN-10 a user message while calls await input', async () => {
    const { run } = start([[callDelta('c1', 'ask')]], { tools: toolList(asking) });
    await drain(run.turn(hello));
    expect(() => run.turn(userText('u2', 'Hm?'))).toThrow(expect.objectContaining({ code: 'awaiting_input' }));
    expect(run.pending()).toHaveLength(1);
  });

  it('RUN-10 answers while nothing awaits', () => {
    const { run } = start([]);
    expect(() => run.turn([{ callId: 'c1', decisions: { approval: allow }, values: {} }])).toThrow(
      expect.objectContaining({ code: 'nothing_pending' }),
    );
    expect(run.isRunning()).toBe(false);
  });
});

describe('where a turn runs', () => {
  it('RUN-02 concurrent tools give one fixed sequence of events, in every runtime', async () => {
    const gate = new Gate();
    const slow = toolOf('slow', async (_, call) => (await call.progress('s'), await gate.wait(), textResult('slow')), readOnly);
    const quick = toolOf('quick', async (_, call) => (await call.progress('q'), gate.open(), textResult('quick')), readOnly);
    const { run } = start([[callDelta('c1', 'slow', { n: 1 }), callDelta('c2', 'quick', { n: 2 })], 'done'], {
      tools: toolList(slow, quick),
    });
    const events = await drain(run.turn(hello));
    expect(events.map((event) => ('id' in event ? `${event.type} ${event.id}` : event.type))).toEqual([
      'turn_started',
      'step_started',
      'message_started msg_1',
      'tool_call_started call_1',
      'tool_input_delta call_1',
      'tool_call_ready call_1',
      'tool_call_started call_2',
      'tool_input_delta call_2',
      'tool_call_ready call_2',
      'message_ended msg_1',
      'tool_progress call_1',
      'tool_progress call_2',
      'tool_ended call_2',
      'tool_ended call_1',
      'step_ended',
      'step_started',
      'message_started msg_2',
      'text_delta msg_2',
      'message_ended msg_2',
      'step_ended',
      'turn_ended',
    ]);
  });

  it('RUN-11 the end of the iteration is the end of everything the turn started', async () => {
    const gate = new Gate();
    let finished = false;
    const tools = toolList(
      toolOf('slow', async () => {
        await gate.wait();
        finished = true;
        return textResult('');
      }),
    );
    const { run, model } = start([[callDelta('c1', 'slow')]], { tools });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    let over = false;
    void reader.done.then(() => (over = true));
    await idle();
    expect(over).toBe(false);
    gate.open();
    await reader.done;
    expect(finished).toBe(true);
    expect(model.playing).toBe(0);
  });

  it('RUN-13 a turn runs inside a tool of another turn', async () => {
    const child = start(['inner']);
    const tools = toolList(
      toolOf('delegate', async () => {
        await drain(child.run.turn(hello));
        return textResult(brief(child.run.messages()).join());
      }),
    );
    const { run } = start([[callDelta('c1', 'delegate')], 'outer'], { tools });
    await drain(run.turn(hello));
    expect(brief(run.messages())).toContain('results: user: Hello,assistant: inner');
  });

  it('RUN-14 EVT-31 CANC-14 a consumer that stops iterating cancels the turn', async () => {
    const { run, model } = start([[textDelta('One'), new Gate()]]);
    for await (const event of run.turn(hello)) if (event.type === 'text_delta') break;
    expect(run.isRunning()).toBe(false);
    expect(run.ended()?.reason).toBe('cancelled');
    expect(brief(run.messages())).toEqual(['user: Hello']);
    expect(model.playing).toBe(0);
    expect(model.prompts[0]?.cancel.aborted).toBe(true);
  });

  it('RUN-14 leaving while the next event is awaited ends both', async () => {
    const gate = new Gate();
    const { run } = start([[gate]]);
    const turn = run.turn(hello);
    for (let next = await turn.next(); next.value?.type !== 'message_started';) next = await turn.next();
    const awaited = turn.next();
    await gate.reached;
    expect(await turn.return()).toMatchObject({ done: true });
    expect((await awaited).value?.type ?? 'turn_ended').toBe('turn_ended');
    expect(await turn.next()).toMatchObject({ done: true });
    expect(run.ended()?.reason).toBe('cancelled');
  });

  it('RUN-14 leaving before the first pull leaves a cancelled turn, and the model unasked', async () => {
    const { run, model } = start(['Hi', 'Hi']);
    await run.turn(hello).return();
    expect([run.isRunning(), run.ended()?.reason]).toEqual([false, 'cancelled']);
    expect(model.prompts).toEqual([]);
  });

  it('RUN-08 the next turn may be taken in the handler of turn_ended', async () => {
    const { run } = start(['One', 'Two']);
    const inner: Event[] = [];
    for await (const event of run.turn(hello)) {
      if (event.type === 'turn_ended') inner.push(...(await drain(run.turn(userText('u2', 'More')))));
    }
    expect(inner.at(-1)).toMatchObject({ type: 'turn_ended', turn: 2, reason: 'done' });
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: One', 'user: More', 'assistant: Two']);
    expect(run.isRunning()).toBe(false);
  });

  it('RUN-14 a consumer that stops inside a tool call waits for the tool and leaves it cancelled', async () => {
    let seen: boolean | undefined;
    const tools = toolList(
      toolOf('watch', async (_, call) => {
        await call.progress('started');
        seen = call.isCancelled();
        return textResult('');
      }),
    );
    const { run } = start([[callDelta('c1', 'watch')]], { tools });
    for await (const event of run.turn(hello)) if (event.type === 'tool_progress') break;
    expect(seen).toBe(true);
    expect(run.ended()?.reason).toBe('cancelled');
  });
});

describe('a Run that is built again', () => {
  const tools = toolList(toolOf('clock'));
  const scripts = [[callDelta('c1', 'clock')], 'noon', 'bye'];

  it('RUN-15 saved messages make a Run that asks the model as the old one would have', async () => {
    const old = start(scripts, { tools, system: 'S' });
    await drain(old.run.turn(hello));
    const saved = JSON.parse(JSON.stringify(old.run.messages())) as Parameters<typeof messageFromJSON>[0][];
    const fresh = start(['bye'], { tools, system: 'S', messages: saved.map(messageFromJSON) });
    const next = userText('u2', 'Thanks');
    await drain(old.run.turn(next));
    await drain(fresh.run.turn(next));
    const asked = (prompt: Prompt | undefined): unknown => plain({ ...prompt, cancel: null });
    expect(asked(fresh.model.prompts[0])).toEqual(asked(old.model.prompts[2]));
    expect(brief(fresh.run.messages())).toEqual(brief(old.run.messages()));
  });

  it('RUN-19 may have another model and other tools than the messages came from', async () => {
    const old = start(scripts, { tools });
    await drain(old.run.turn(hello));
    const fresh = start(['new model'], { tools: toolList(toolOf('other')), messages: old.run.messages() });
    await drain(fresh.run.turn(userText('u2', 'And now?')));
    expect(fresh.model.prompts[0]?.tools.map((spec) => spec.name)).toEqual(['other']);
    expect(fresh.run.ended()?.reason).toBe('done');
  });

  it('RUN-15 EVT-03 counts its turns from 1, or from where the host says', async () => {
    const turnsOf = (events: readonly Event[]): number[] => [...new Set(events.map((event) => event.turn))];
    const { run } = start(['a', 'b']);
    expect(turnsOf(await drain(run.turn(hello)))).toEqual([1]);
    expect(turnsOf(await drain(run.turn(userText('u2', 'x'))))).toEqual([2]);
    const fresh = start(['c'], { messages: run.messages() });
    expect(turnsOf(await drain(fresh.run.turn(userText('u3', 'y'))))).toEqual([1]);
    const counted = start(['c'], { messages: run.messages(), turn: 2 });
    expect(turnsOf(await drain(counted.run.turn(userText('u3', 'y'))))).toEqual([3]);
  });

  it('RUN-04 a turn refused leaves the Run fit for the next', async () => {
    const { run } = start(['Hi']);
    const { error } = await caught(() => run.turn(assistant));
    expect(error).toMatchObject({ code: 'bad_input' });
    expect(types(await drain(run.turn(hello))).at(-1)).toBe('turn_ended');
  });
});

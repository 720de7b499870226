import { describe, expect, it } from 'vitest';
import {
  appendAndAsk,
  approval,
  type Event,
  fold,
  type Message,
  ModelError,
  notRun,
  type Part,
  Resume,
  resumed,
  Run,
  type RunInit,
  textResult,
  toolCalls,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../src/core/index.ts';
import { type Act, callDelta, FakeModel, Gate, reasoningDelta, type Script, textDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, ofType, Reader, start, toolOf, types } from './support.ts';

/** A run that was interrupted once the model had played `acts`; `later` are the scripts of the next calls. */
async function interrupted(acts: readonly Act[], later: readonly Script[] = [], init: Partial<RunInit> = {}) {
  const gate = new Gate();
  const { run, model } = start([[...acts, gate], ...later], init);
  const reader = new Reader(run.turn(hello));
  await gate.reached;
  run.interrupt();
  const events = await reader.done;
  return { run, model, events, partial: run.ended()?.partial ?? null };
}

function reply(content: readonly Part[], id = 'edit'): Message {
  return { id, role: 'assistant', content };
}
const text = (value: string): Part => ({ type: 'text', text: value });

describe('interrupt()', () => {
  it('INTR-01 INTR-04 stops the reply as a cancel does, with the reason interrupted and no finish', async () => {
    const { run, model, events } = await interrupted([textDelta('One. '), textDelta('Two.')]);
    expect(run.ended()).toMatchObject({ reason: 'interrupted', finish: null, error: null });
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', reason: 'interrupted', finish: null });
    expect(types(events)).not.toContain('message_ended');
    expect(model.playing).toBe(0);
    expect(model.prompts[0]?.cancel.aborted).toBe(true);
  });

  it('INTR-02 the partial holds the text as streamed, the reasoning, and the complete calls', async () => {
    const { partial, events } = await interrupted([
      reasoningDelta('Hm', { signature: 's' }),
      textDelta('One. '),
      textDelta('Two.'),
      callDelta('c1', 'clock', { zone: 'UTC' }),
      textDelta(' Three'),
    ]);
    const id = ofType(events, 'tool_call_started')[0]?.id;
    expect(partial).toEqual({
      id: ofType(events, 'message_started')[0]?.id,
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm', provider: { signature: 's' } },
        text('One. Two.'),
        { type: 'tool_call', id, name: 'clock', input: { zone: 'UTC' }, providerId: 'c1' },
        text(' Three'),
      ],
    });
  });

  it('INTR-02 what the partial holds was told, also when the stop comes between two events of one delta', async () => {
    const { run } = start([[callDelta('c1', 'clock', { zone: 'UTC' }), new Gate()]]);
    const events: Event[] = [];
    for await (const event of run.turn(hello)) {
      events.push(event);
      if (event.type !== 'tool_call_started') continue;
      run.interrupt();
      // A slow reader: whatever the stop sets off without waiting for it is done before it asks for more.
      for (let tick = 0; tick < 200; tick += 1) await Promise.resolve();
    }
    const told = ['message_started', 'tool_call_started', 'tool_input_delta', 'tool_call_ready', 'turn_ended'];
    expect(types(events).slice(2)).toEqual(told);
    expect(toolCalls(run.ended()?.partial as Message)).toMatchObject([{ name: 'clock', input: { zone: 'UTC' } }]);
  });

  it('INTR-03 the partial is nowhere else', async () => {
    const { run } = await interrupted([textDelta('One.')]);
    expect(run.messages()).toEqual([hello]);
    expect(run.ended()?.appended).toEqual([hello]);
  });

  it('INTR-18 a call in the making is not in the partial', async () => {
    const { partial } = await interrupted([
      textDelta('See'),
      callDelta('c1', 'done', { a: 1 }),
      { type: 'tool_call', id: 'c2', name: 'half', args: '{"path":"x","conte' },
    ]);
    expect(partial?.content.map((part) => part.type)).toEqual(['text', 'tool_call']);
    expect(toolCalls(partial as Message).map((call) => call.name)).toEqual(['done']);
  });

  it('INTR-02 INTR-01 while tools run, the partial is the whole reply and the step is discarded', async () => {
    const gate = new Gate();
    const slow = toolOf('slow', async (_, call) => (await gate.wait(call.signal).catch(() => {}), textResult('')));
    const { run } = start([[textDelta('See'), callDelta('c1', 'slow'), callDelta('c2', 'slow')]], { tools: toolList(slow) });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.interrupt();
    const events = await reader.done;
    expect(ofType(events, 'tool_ended')).toHaveLength(2);
    expect(run.ended()?.partial).toEqual(ofType(events, 'message_ended')[0]?.message);
    expect(run.messages()).toEqual([hello]);
  });

  it('INTR-20 in a later step it keeps the complete steps', async () => {
    const gate = new Gate();
    const { run } = start([[callDelta('c1', 'ok')], [textDelta('half'), gate]], { tools: toolList(toolOf('ok')) });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.interrupt();
    await reader.done;
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ok]', 'results: ok']);
    expect(run.ended()?.partial?.content).toEqual([text('half')]);
  });
});

describe('a Resume', () => {
  it('INTR-05 puts the edit last and asks the model to continue it', async () => {
    const { run, model, partial } = await interrupted([textDelta('One. Two.')], [[textDelta(' Five.')]]);
    expect(partial?.content).toEqual([text('One. Two.')]);
    await drain(run.turn(new Resume(reply([text('One. Four.')]))));
    const prompt = model.prompts[1];
    expect(prompt?.continue).toBe(true);
    expect(prompt?.messages).toEqual([hello, reply([text('One. Four.')])]);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'stop' });
  });

  it('INTR-06 INTR-07 the deltas extend the edit; message_resumed stands for message_started, message_ended has the whole', async () => {
    const { run } = await interrupted([textDelta('One. Two.')], [[textDelta(' Fi'), textDelta('ve.')]]);
    const events = await drain(run.turn(new Resume(reply([text('One. Four.')]))));
    expect(types(events)).toEqual([
      'turn_started',
      'step_started',
      'message_resumed',
      'text_delta',
      'text_delta',
      'message_ended',
      'step_ended',
      'turn_ended',
    ]);
    const whole = reply([text('One. Four. Five.')]);
    expect(ofType(events, 'message_resumed')[0]?.id).toBe('edit');
    expect(ofType(events, 'text_delta').map((event) => [event.id, event.text])).toEqual([
      ['edit', ' Fi'],
      ['edit', 've.'],
    ]);
    expect(ofType(events, 'message_ended')[0]?.message).toEqual(whole);
    expect(run.messages()).toEqual([hello, whole]);
    expect(run.ended()?.appended).toEqual([whole]);
  });

  it('INTR-06 only its first step continues', async () => {
    const { run, model } = await interrupted([textDelta('x')], [[callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok')),
    });
    await drain(run.turn(new Resume(reply([text('I look: ')]))));
    expect(model.prompts.map((prompt) => prompt.continue)).toEqual([false, true, false]);
  });

  it('INTR-08 calls of the continuation run by the usual rules', async () => {
    const { run } = await interrupted([textDelta('x')], [[textDelta('look'), callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok')),
    });
    await drain(run.turn(new Resume(reply([text('I ')]))));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: I look [ok]', 'results: ok', 'assistant: end']);
  });

  it('INTR-19 complete calls that the edit holds run at the end of the step, before those of the continuation', async () => {
    const ran: string[] = [];
    const tools = toolList(
      toolOf('a', (_, call) => (ran.push(call.id), textResult('A'))),
      toolOf('b', (_, call) => (ran.push(call.id), textResult('B'))),
    );
    const { run, partial } = await interrupted(
      [textDelta('See '), callDelta('c1', 'a', { n: 1 })],
      [[callDelta('c2', 'b')], 'end'],
      {
        tools,
      },
    );
    expect(ran).toEqual([]);
    await drain(run.turn(new Resume(partial as Message)));
    expect(ran).toHaveLength(2);
    expect(ran[0]).toBe(toolCalls(partial as Message)[0]?.id);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: See [a] [b]', 'results: A | B', 'assistant: end']);
  });

  it('INTR-19 a call that had settled keeps its outcome; one whose outcome is unknown is told so', async () => {
    let ran = 0;
    const tools = toolList(toolOf('a', () => textResult(String(++ran))));
    const edit = reply([
      text('See'),
      { type: 'tool_call', id: 'k1', name: 'a', input: {} },
      { type: 'tool_call', id: 'k2', name: 'a', input: {} },
      { type: 'tool_call', id: 'k3', name: 'a', input: {} },
    ]);
    const settled = new Map([
      ['k1', textResult('before')],
      ['k2', notRun.outcomeUnknown],
    ]);
    const { run } = start([[], 'end'], { tools, messages: [hello], settled });
    const events = await drain(run.turn(new Resume(edit)));
    expect(ran).toBe(1);
    expect(brief(run.messages())[2]).toMatch(/^results: before \| !Outcome unknown.* \| 1$/);
    expect(ofType(events, 'tool_ended').map((event) => event.id)).toEqual(['k1', 'k2', 'k3']);
  });

  it('INTR-05 a second interrupt gives the edit and its continuation', async () => {
    const gate = new Gate();
    const { run } = await interrupted([textDelta('x')], [[textDelta(' Five.'), gate]]);
    const reader = new Reader(run.turn(new Resume(reply([text('One. Four.')]))));
    await gate.reached;
    run.interrupt();
    await reader.done;
    expect(run.ended()?.partial).toEqual(reply([text('One. Four. Five.')]));
    expect(run.messages()).toEqual([hello]);
  });

  it.each<Event['type']>(['turn_started', 'step_started', 'message_resumed'])(
    'INTR-05 an interrupt in the handler of %s gives the edit back whole',
    async (type) => {
      const { run } = await interrupted([textDelta('x')], ['never']);
      const edit = reply([text('One. Four.')]);
      await new Reader(run.turn(new Resume(edit)), (event) => event.type === type && run.interrupt()).done;
      expect(run.ended()).toMatchObject({ reason: 'interrupted', partial: edit });
    },
  );

  it.each<[string, Act]>([
    ['failed', new ModelError('model_error', 'no')],
    ['cancelled', new Gate()],
  ])('INTR-05 a %s Resume drops the edit from messages() again', async (reason, act) => {
    const { run } = await interrupted([textDelta('x')], [[textDelta(' more'), act], 'fresh']);
    const turn = run.turn(new Resume(reply([text('Edit')])));
    await new Reader(turn, (event) => reason === 'cancelled' && event.type === 'text_delta' && run.cancel()).done;
    expect(run.ended()).toMatchObject({ reason, appended: [], partial: null });
    expect(run.messages()).toEqual([hello]);
    await drain(run.turn(new Resume(reply([text('Edit ')]))));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: Edit fresh']);
  });

  it('INTR-09 is refused unless the conversation ends with a user message', async () => {
    const empty = start([]);
    const refused = expect.objectContaining({ code: 'resume_not_valid' });
    expect(() => empty.run.turn(new Resume(reply([text('x')])))).toThrow(refused);
    const { run } = start(['Hi']);
    await drain(run.turn(hello));
    expect(() => run.turn(new Resume(reply([text('x')])))).toThrow(refused);
    expect(run.isRunning()).toBe(false);
  });

  it('INTR-09 is refused while a call awaits input, also when results end the conversation', async () => {
    const tools = toolList(
      toolOf('ok'),
      toolOf('ask', (_, call) => call.needsInput([approval('may I?')])),
    );
    const { run } = start([[callDelta('c1', 'ok'), callDelta('c2', 'ask')]], { tools });
    await drain(run.turn(hello));
    expect(run.messages().at(-1)?.role).toBe('user');
    expect(() => run.turn(new Resume(reply([text('x')])))).toThrow(expect.objectContaining({ code: 'resume_not_valid' }));
  });

  it('INTR-09 is valid after the results of a complete step', async () => {
    const { run } = start([[callDelta('c1', 'ok')], [new ModelError('model_error', 'x')], ' it is'], {
      tools: toolList(toolOf('ok')),
    });
    await drain(run.turn(hello));
    await drain(run.turn(new Resume(reply([text('So')]))));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ok]', 'results: ok', 'assistant: So it is']);
  });

  it('INTR-15 INTR-13 a model that cannot continue fails the turn with the error that names the fallback', async () => {
    const refusal = new UnsupportedOptionError('Cannot continue.', appendAndAsk);
    const { run } = await interrupted([textDelta('x')], [[refusal]]);
    const { events, error } = await caught(() => run.turn(new Resume(reply([text('Edit')]))));
    expect(error).toBe(refusal);
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', reason: 'failed', error: { class: 'unsupported_option' } });
    expect(run.messages()).toEqual([hello]);
  });

  it('INTR-21 a model known not to continue is not asked at all', async () => {
    const model = new FakeModel(['never'], { continues: false });
    const run = new Run({ model, tools: toolList(), messages: [hello] });
    const { error } = await caught(() => run.turn(new Resume(reply([text('Edit')]))));
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({ fallback: appendAndAsk });
    expect(model.prompts).toEqual([]);
    expect(run.messages()).toEqual([hello]);
  });

  it('INTR-16 nothing is put into the conversation to emulate a continuation', async () => {
    const { run, model } = await interrupted([textDelta('x')], ['y']);
    await drain(run.turn(new Resume(reply([text('Edit ')]))));
    expect(brief(model.prompts[1]?.messages ?? [])).toEqual(['user: Hello', 'assistant: Edit']);
    expect(run.messages()).toHaveLength(2);
  });

  it.each<[string, readonly Part[]]>([
    ['only reasoning', [{ type: 'reasoning', text: 'Hm' }]],
    ['nothing', []],
    ['an empty text', [text('')]],
  ])('INTR-17 an edit with %s is refused', (_, content) => {
    const { run } = start([], { messages: [hello] });
    expect(() => run.turn(new Resume(reply(content)))).toThrow(expect.objectContaining({ code: 'resume_needs_text' }));
  });

  it('INTR-17 reasoning of the edit is kept as it is, opaque data too', async () => {
    const thought: Part = { type: 'reasoning', text: 'Hm', provider: { signature: 's' } };
    const { run } = start([' two'], { messages: [hello] });
    await drain(run.turn(new Resume(reply([thought, text('One')]))));
    expect(run.messages().at(-1)?.content).toEqual([thought, text('One two')]);
  });

  it('INTR-05 FAIL-08 an edit under an id that the conversation holds already is refused: its reply would be lost', async () => {
    const { run } = start([' one', [new ModelError('model_error', 'x')], ' two'], { messages: [hello] });
    await drain(run.turn(new Resume(reply([text('Edit')], 'same'))));
    await drain(run.turn(userText('u2', 'More')));
    expect(() => run.turn(new Resume(reply([text('Edit')], 'same')))).toThrow(expect.objectContaining({ code: 'bad_input' }));
    await drain(run.turn(new Resume(reply([text('Edit')], 'other'))));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: Edit one', 'user: More', 'assistant: Edit two']);
  });

  it('INTR-05 a Resume takes an assistant message only', () => {
    expect(() => new Resume(userText('u', 'x'))).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });

  it('INTR-07 the screen goes on from the edit', async () => {
    const { run } = await interrupted([textDelta('x')], [[textDelta(' two'), callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok')),
    });
    const edit = reply([text('One')]);
    const events = await drain(run.turn(new Resume(edit)));
    const view = events.reduce(fold, resumed({ messages: [hello], step: null, pending: [] }, edit));
    expect(view).toEqual({ messages: run.messages(), step: null, pending: [] });
  });
});

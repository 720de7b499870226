import { describe, expect, it } from 'vitest';
import {
  type Delta,
  errorResult,
  type Middleware,
  ModelError,
  type ModelMiddleware,
  MisuseError,
  noUsage,
  type Prompt,
  textResult,
  toolList,
  type ToolMiddleware,
  userText,
} from '../../src/core/index.ts';
import { callDelta, Gate, textDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, lastResults, ofType, Reader, readOnly, start, toolOf } from './support.ts';

/** Passes everything on, once the prompt was changed. */
function onPrompt(change: (prompt: Prompt) => Prompt): ModelMiddleware {
  return {
    async *stream(prompt, next) {
      yield* next(change(prompt));
    },
  };
}

function onCall(call: ToolMiddleware['call']): ToolMiddleware {
  return { call };
}

describe('the two seams', () => {
  it('MW-02 MW-03 a list of middleware is outermost first, for both seams', async () => {
    const log: string[] = [];
    const trace = (name: string): Middleware => ({
      async *stream(prompt, next) {
        log.push(`${name} asks`);
        yield* next(prompt);
        log.push(`${name} heard`);
      },
      async call(call, context, next) {
        log.push(`${name} calls`);
        const result = await next(call, context);
        log.push(`${name} got`);
        return result;
      },
    });
    const { run } = start([[callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok')),
      middleware: [trace('outer'), trace('inner')],
    });
    await new Reader(run.turn(hello), (event) => event.type === 'step_ended' && log.push('|')).done;
    const model = ['outer asks', 'inner asks', 'inner heard', 'outer heard'];
    expect(log).toEqual([...model, 'outer calls', 'inner calls', 'inner got', 'outer got', '|', ...model, '|']);
  });

  it('MW-02 a middleware may serve one seam only', async () => {
    const { run } = start([[callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok')),
      middleware: [onPrompt((prompt) => prompt), onCall((call, context, next) => next(call, context))],
    });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
  });

  it('MW-01 MW-07 observing takes no middleware: the events tell of every delta and every call', async () => {
    const { run } = start([[textDelta('Hi'), callDelta('c1', 'ok')], 'end'], { tools: toolList(toolOf('ok')) });
    const events = await drain(run.turn(hello));
    expect(ofType(events, 'text_delta')).toHaveLength(2);
    expect(ofType(events, 'tool_ended')).toHaveLength(1);
  });
});

describe('the tool seam', () => {
  it('MW-04 denies with an error result, without calling next', async () => {
    let ran = false;
    const { run } = start([[callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok', () => ((ran = true), textResult('')))),
      middleware: [onCall(async () => errorResult('Not today'))],
    });
    const events = await drain(run.turn(hello));
    expect(ran).toBe(false);
    expect(brief(run.messages())[2]).toBe('results: !Not today');
    expect(ofType(events, 'tool_ended')[0]?.outcome).toEqual(errorResult('Not today'));
  });

  it('MW-05 changes the result it got', async () => {
    const { run } = start([[callDelta('c1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok', () => textResult('a long text', { value: 7 }))),
      middleware: [
        onCall(async (call, context, next) => ({ ...(await next(call, context)), content: [{ type: 'text', text: 'a lo…' }] })),
      ],
    });
    const events = await drain(run.turn(hello));
    expect(brief(run.messages())[2]).toBe('results: a lo…');
    expect(ofType(events, 'tool_ended')[0]?.outcome).toMatchObject({ value: 7 });
  });

  it('MW-05 changes the input on the way in', async () => {
    const inputs: unknown[] = [];
    const { run } = start([[callDelta('c1', 'ok', { a: 1 })], 'end'], {
      tools: toolList(toolOf('ok', (input) => (inputs.push(input), textResult('')))),
      middleware: [onCall((call, context, next) => next({ ...call, input: { a: 2 } }, context))],
    });
    await drain(run.turn(hello));
    expect(inputs).toEqual([{ a: 2 }]);
  });

  it('MW-17 denies by hints in one line', async () => {
    const guard = onCall((call, context, next) =>
      context.spec?.hints.destructive ? errorResult('Too dangerous') : next(call, context),
    );
    const { run } = start([[callDelta('c1', 'safe'), callDelta('c2', 'shell')], 'end'], {
      tools: toolList(toolOf('safe'), toolOf('shell', undefined, { destructive: true })),
      middleware: [guard],
    });
    await drain(run.turn(hello));
    expect(brief(run.messages())[2]).toBe('results: safe | !Too dangerous');
  });

  it('MW-19 sees the spec of the called tool, null for a name that nobody offers', async () => {
    const specs: unknown[] = [];
    const known = toolOf('known');
    const { run } = start([[callDelta('c1', 'known'), callDelta('c2', 'unknown')], 'end'], {
      tools: toolList(known),
      middleware: [onCall((call, context, next) => (specs.push(context.spec), next(call, context)))],
    });
    await drain(run.turn(hello));
    expect(specs).toEqual([known.spec, null]);
  });

  it('MW-18 misuse of a middleware is rethrown, another error is not', async () => {
    const misuse = new MisuseError('wrong', 'Wrong');
    for (const [error, expected] of [
      [misuse, misuse],
      [new Error('x'), undefined],
    ] as const) {
      const { run } = start([[callDelta('c1', 'ok')]], {
        tools: toolList(toolOf('ok')),
        middleware: [
          onCall(() => {
            throw error;
          }),
        ],
      });
      const thrown = await caught(() => run.turn(hello));
      expect(thrown.error).toBe(expected);
      expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'middleware_error', error });
    }
  });

  it('PAUSE-29 one middleware may ask on the spot and go on or not, without any pause', async () => {
    const asked: string[] = [];
    const terminal = onCall(async (call, context, next) => {
      asked.push(call.name);
      return call.name === 'yes' ? next(call, context) : errorResult('The user said no');
    });
    const { run } = start([[callDelta('c1', 'yes'), callDelta('c2', 'no')], 'end'], {
      tools: toolList(toolOf('yes'), toolOf('no')),
      middleware: [terminal],
    });
    const events = await drain(run.turn(hello));
    expect(asked).toEqual(['yes', 'no']);
    expect(brief(run.messages())[2]).toBe('results: yes | !The user said no');
    expect(ofType(events, 'input_requested')).toEqual([]);
  });
});

describe('the model seam', () => {
  it('MW-06 compacts by handing on another prompt; the cancel signal and the continue flag go with it', async () => {
    const { run, model } = start(['Hi'], {
      messages: [userText('old', 'Old'), { id: 'a', role: 'assistant', content: [] }],
      middleware: [onPrompt((prompt) => prompt.with({ messages: prompt.messages.slice(-1), system: 'Short.' }))],
    });
    await drain(run.turn(hello));
    expect(model.prompts[0]).toMatchObject({ system: 'Short.', messages: [hello], continue: false });
    expect(model.prompts[0]?.cancel).toBeInstanceOf(AbortSignal);
    expect(run.messages()).toHaveLength(4);
  });

  it('MW-06 a cancel reaches the model through a changed prompt', async () => {
    const gate = new Gate();
    const { run, model } = start([[gate]], { middleware: [onPrompt((prompt) => prompt.with({ system: 'x' }))] });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(model.prompts[0]?.cancel.aborted).toBe(true);
    expect(model.playing).toBe(0);
  });

  it('MW-08 a reminder goes last in the prompt and never into messages()', async () => {
    const reminder = onPrompt((prompt) => prompt.with({ messages: [...prompt.messages, userText('r', 'Mind the plan')] }));
    const { run, model } = start([[callDelta('c1', 'ok')], 'end'], { tools: toolList(toolOf('ok')), middleware: [reminder] });
    await drain(run.turn(hello));
    expect(model.prompts.map((prompt) => brief(prompt.messages).filter((line) => line === 'user: Mind the plan'))).toEqual([
      ['user: Mind the plan'],
      ['user: Mind the plan'],
    ]);
    expect(brief(run.messages())).not.toContain('user: Mind the plan');
  });

  it('MW-09 MW-12 a phase hides the writing tools until something was read', async () => {
    const readFirst = onPrompt((prompt) =>
      prompt.with({ tools: prompt.messages.length > 1 ? prompt.tools : prompt.tools.filter((spec) => spec.hints.readOnly) }),
    );
    const { run, model } = start([[callDelta('c1', 'read')], [callDelta('c2', 'write')], 'end'], {
      tools: toolList(toolOf('read', undefined, readOnly), toolOf('write')),
      middleware: [readFirst],
    });
    await drain(run.turn(hello));
    expect(model.prompts.map((prompt) => prompt.tools.map((spec) => spec.name))).toEqual([
      ['read'],
      ['read', 'write'],
      ['read', 'write'],
    ]);
    expect(brief(run.messages())).toContain('results: write');
  });

  it('MW-10 TOOL-32 a call of a tool that the model was not shown in that step is the unknown-tool result', async () => {
    let ran = false;
    const { run, model } = start([[callDelta('c1', 'hidden')], 'end'], {
      tools: toolList(
        toolOf('shown'),
        toolOf('hidden', () => ((ran = true), textResult(''))),
      ),
      middleware: [onPrompt((prompt) => prompt.with({ tools: prompt.tools.filter((spec) => spec.name !== 'hidden') }))],
    });
    await drain(run.turn(hello));
    expect(ran).toBe(false);
    const [seen] = lastResults(model.prompts[1]?.messages ?? []);
    expect(seen?.error).toBe(true);
    expect(seen?.text).toContain('shown');
    expect(seen?.text.replace('named hidden', '')).not.toContain('hidden');
  });

  it('MW-10 what counts is the innermost prompt', async () => {
    const only = (name: string) =>
      onPrompt((prompt) => prompt.with({ tools: prompt.tools.filter((spec) => spec.name === name) }));
    const all = [toolOf('a').spec, toolOf('b').spec];
    const { run } = start([[callDelta('c1', 'a'), callDelta('c2', 'b')], 'end'], {
      tools: toolList(toolOf('a'), toolOf('b')),
      middleware: [only('a'), onPrompt((prompt) => prompt.with({ tools: all.filter((spec) => spec.name === 'b') }))],
    });
    await drain(run.turn(hello));
    expect(brief(run.messages())[2]).toMatch(/^results: !.* \| b$/);
  });

  it('MW-11 a tool renamed in the prompt runs only if the source has one of the new name', async () => {
    const rename = (name: string) =>
      onPrompt((prompt) => prompt.with({ tools: prompt.tools.map((spec) => ({ ...spec, name })) }));
    const lost = start([[callDelta('c1', 'new')], 'end'], { tools: toolList(toolOf('old')), middleware: [rename('new')] });
    await drain(lost.run.turn(hello));
    expect(brief(lost.run.messages())[2]).toMatch(/^results: !/);
    const held = toolList(toolOf('old'), toolOf('new'));
    const found = start([[callDelta('c1', 'new')], 'end'], {
      tools: held,
      middleware: [
        onPrompt((prompt) => prompt.with({ tools: prompt.tools.slice(0, 1).map((spec) => ({ ...spec, name: 'new' })) })),
      ],
    });
    await drain(found.run.turn(hello));
    expect(brief(found.run.messages())[2]).toBe('results: new');
  });

  /** Calls next once more when it fails, careless of what was passed on. */
  const restart: ModelMiddleware = {
    async *stream(prompt, next) {
      try {
        yield* next(prompt);
      } catch {
        yield* next(prompt);
      }
    },
  };

  it('MW-13 may ask again as long as no delta went on', async () => {
    const { run, model } = start([[new ModelError('rate_limited', 'x')], 'Second'], { middleware: [restart] });
    await drain(run.turn(hello));
    expect(model.prompts).toHaveLength(2);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: Second']);
  });

  it('MW-13 asking again after a delta went on is misuse, and adds no text twice', async () => {
    const { run, model } = start([[textDelta('One'), new ModelError('transport_error', 'cut')], 'One two'], {
      middleware: [restart],
    });
    const { events, error } = await caught(() => run.turn(hello));
    expect(error).toMatchObject({ code: 'model_called_twice' });
    expect(ofType(events, 'text_delta').map((event) => event.text)).toEqual(['One']);
    expect(model.prompts).toHaveLength(1);
    expect(run.messages()).toEqual([hello]);
  });

  it('MW-13 an inner middleware may ask again although an outer one passed deltas of its own', async () => {
    const banner: ModelMiddleware = {
      async *stream(prompt, next) {
        yield textDelta('> ');
        yield* next(prompt);
      },
    };
    const { run } = start([[new ModelError('rate_limited', 'x')], 'Second'], { middleware: [banner, restart] });
    await drain(run.turn(hello));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: > Second']);
  });

  it('MW-02 may answer in place of the model', async () => {
    const canned: ModelMiddleware = {
      async *stream(): AsyncGenerator<Delta> {
        yield textDelta('From the cache');
        yield { type: 'usage', usage: noUsage };
        yield { type: 'finish', finish: 'stop' };
      },
    };
    const { run, model } = start([], { middleware: [canned] });
    await drain(run.turn(hello));
    expect(model.prompts).toEqual([]);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: From the cache']);
  });
});

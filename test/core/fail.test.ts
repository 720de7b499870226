import { describe, expect, it } from 'vitest';
import {
  allow,
  approval,
  appendAndAsk,
  Cancelled,
  type Event,
  type Middleware,
  MisuseError,
  ModelError,
  type ModelErrorKind,
  type Run,
  textResult,
  toolCalls,
  toolList,
  UnsupportedOptionError,
  userText,
} from '../../src/core/index.ts';
import { callDelta, Gate, textDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, ofType, Reader, readOnly, start, toolOf, types } from './support.ts';

const misuse = new UnsupportedOptionError('No such option.', appendAndAsk);
const throwing = (error: Error) =>
  toolOf('bad', () => {
    throw error;
  });

/** The places that misuse may come from, with the kind it must give (TOOL-22). */
const sources: [string, string, () => Run][] = [
  ['the model', 'model_error', () => start([[textDelta('x'), misuse]]).run],
  ['a tool', 'tool_error', () => start([[callDelta('c1', 'bad')]], { tools: toolList(throwing(misuse)) }).run],
  [
    'a model middleware',
    'middleware_error',
    () =>
      start(['x'], {
        middleware: [
          {
            stream() {
              throw misuse;
            },
          },
        ],
      }).run,
  ],
  [
    'a tool middleware',
    'middleware_error',
    () =>
      start([[callDelta('c1', 'ok')]], {
        tools: toolList(toolOf('ok')),
        middleware: [
          {
            call() {
              throw misuse;
            },
          },
        ],
      }).run,
  ],
];

describe('misuse', () => {
  it('FAIL-01 is a class of its own with a stable code', () => {
    expect(misuse).toBeInstanceOf(MisuseError);
    expect(misuse).toMatchObject({ code: 'unsupported_option', fallback: 'append_and_ask' });
    expect(new ModelError('model_error', 'x')).not.toBeInstanceOf(MisuseError);
  });

  it.each(sources)(
    'FAIL-02 FAIL-04 TOOL-22 from %s: turn_ended is delivered as %s, then the same error is thrown',
    async (_, kind, make) => {
      const run = make();
      const { events, error } = await caught(() => run.turn(hello));
      expect(ofType(events, 'turn_ended')).toMatchObject([{ reason: 'failed' }]);
      expect(events.at(-1)?.type).toBe('turn_ended');
      expect(error).toBe(misuse);
      expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: kind });
      expect(run.ended()?.error).toBe(misuse);
      expect(run.isRunning()).toBe(false);
    },
  );

  it.each(sources)('FAIL-03 from %s: a consumer that leaves at turn_ended gets it from the leaving', async (_, kind, make) => {
    const run = make();
    const leave = async (): Promise<void> => {
      for await (const event of run.turn(hello)) if (event.type === 'turn_ended') break;
    };
    await expect(leave()).rejects.toBe(misuse);
    expect(run.ended()?.errorKind).toBe(kind);
  });

  it('FAIL-03 the leaving rejects also by hand, with return()', async () => {
    const { run } = start([[misuse]]);
    const turn = run.turn(hello);
    for (let next = await turn.next(); next.value?.type !== 'turn_ended';) next = await turn.next();
    await expect(turn.return()).rejects.toBe(misuse);
    expect((await turn.next()).done).toBe(true);
  });
});

describe('failures at run time', () => {
  const fail = new ModelError('rate_limited', 'Slow down', 7000);

  it('FAIL-05 FAIL-13 never throw out of the iteration; kind and retryAfter are in ended()', async () => {
    const { run } = start([[textDelta('x'), fail]]);
    const { events, error } = await caught(() => run.turn(hello));
    expect(error).toBeUndefined();
    expect(ofType(events, 'turn_ended')[0]).toMatchObject({
      reason: 'failed',
      error: { class: 'rate_limited', message: 'Slow down' },
    });
    expect(run.ended()?.error).toBe(fail);
    expect(run.ended()?.error).toMatchObject({ kind: 'rate_limited', retryAfter: 7000 });
  });

  it.each<ModelErrorKind>(['context_too_long', 'rate_limited', 'transport_error', 'model_error'])(
    'FAIL-14 CTXW-03 a model error keeps its kind %s',
    async (kind) => {
      const { run } = start([[new ModelError(kind, 'x')]]);
      await drain(run.turn(hello));
      expect(run.ended()?.errorKind).toBe(kind);
    },
  );

  it('FAIL-05 an unknown error of the model is a model error', async () => {
    const { run } = start([[new TypeError('boom')]]);
    const { error } = await caught(() => run.turn(hello));
    expect(error).toBeUndefined();
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'model_error' });
  });

  it('FAIL-12 MW-18 any other failure of a middleware fails the turn as middleware_error', async () => {
    const bad: Middleware[] = [
      {
        async *stream(prompt, next) {
          yield* next(prompt);
          throw new Error('late');
        },
      },
      {
        call() {
          throw new Error('broken');
        },
      },
    ];
    for (const middleware of bad) {
      const { run } = start([[callDelta('c1', 'ok')], 'x'], { tools: toolList(toolOf('ok')), middleware: [middleware] });
      const { error } = await caught(() => run.turn(hello));
      expect(error).toBeUndefined();
      expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'middleware_error' });
    }
  });

  it('FAIL-12 a model error that passes through a middleware keeps its kind', async () => {
    const { run } = start([[fail]], {
      middleware: [
        {
          async *stream(prompt, next) {
            yield* next(prompt);
          },
        },
      ],
    });
    await drain(run.turn(hello));
    expect(run.ended()?.errorKind).toBe('rate_limited');
  });

  it("FAIL-12 a tool exception that passes through a middleware stays the tool's", async () => {
    const { run } = start([[callDelta('c1', 'bad')], 'ok'], {
      tools: toolList(throwing(new Error('disk full'))),
      middleware: [{ call: async (call, context, next) => next(call, context) }],
    });
    const events = await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
    expect(ofType(events, 'tool_ended')[0]?.outcome).toMatchObject({ class: 'Error', message: 'disk full' });
  });

  it('FAIL-05 a model that says Cancelled without a cancel is no cancelled turn', async () => {
    const { run } = start([[new Cancelled()]]);
    const { error } = await caught(() => run.turn(hello));
    expect(error).toBeUndefined();
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'model_error' });
  });

  it('FAIL-15 leaves the Run fit for another turn', async () => {
    const { run } = start([[fail], 'Hi']);
    await drain(run.turn(hello));
    expect(run.isRunning()).toBe(false);
    await drain(run.turn(userText('u2', 'Again')));
    expect(run.ended()?.reason).toBe('done');
  });
});

describe('the step in progress', () => {
  it('FAIL-06 FAIL-09 a failed step vanishes with its half reply; the message that opened it stays', async () => {
    const { run } = start([[textDelta('half'), callDelta('c1', 'ok'), new ModelError('transport_error', 'cut')]], {
      tools: toolList(toolOf('ok')),
    });
    await drain(run.turn(hello));
    expect(run.messages()).toEqual([hello]);
    expect(brief(run.ended()?.appended ?? [])).toEqual(['user: Hello']);
  });

  it('FAIL-06 finished results of the failed step vanish too, complete steps stay', async () => {
    const { run } = start([[callDelta('c1', 'ok')], [callDelta('c2', 'ok'), callDelta('c3', 'bad')]], {
      tools: toolList(toolOf('ok'), throwing(misuse)),
    });
    const { events } = await caught(() => run.turn(hello));
    expect(ofType(events, 'tool_ended').length).toBeGreaterThanOrEqual(2);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ok]', 'results: ok']);
  });

  it('FAIL-07 a cancelled step is discarded in the same way', async () => {
    const gate = new Gate();
    const slow = toolOf('slow', async (_, call) => (await gate.wait(call.signal), textResult('')));
    const { run } = start([[callDelta('c1', 'ok')], [textDelta('half'), callDelta('c2', 'ok'), callDelta('c3', 'slow')]], {
      tools: toolList(toolOf('ok'), slow),
    });
    const reader = new Reader(run.turn(hello));
    await gate.reached;
    run.cancel();
    await reader.done;
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ok]', 'results: ok']);
    expect(run.messages()).toEqual(run.ended()?.appended);
  });

  it('FAIL-06 the events of a discarded step tell no end of it', async () => {
    const { run } = start([[textDelta('half'), new ModelError('transport_error', 'cut')]]);
    const events = await drain(run.turn(hello));
    expect(types(events)).toEqual(['turn_started', 'step_started', 'message_started', 'text_delta', 'turn_ended']);
  });

  it('FAIL-08 after any end every call has its result', async () => {
    const tools = toolList(toolOf('ok', undefined, readOnly), throwing(misuse));
    const scripts = [[callDelta('c1', 'ok'), callDelta('c2', 'ok')], [callDelta('c3', 'bad')]];
    const { run } = start(scripts, { tools });
    await caught(() => run.turn(hello));
    const calls = run.messages().flatMap((message) => toolCalls(message).map((call) => call.id));
    const results = run
      .messages()
      .flatMap((message) => message.content.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : [])));
    expect(results).toEqual(calls);
    expect(calls).toHaveLength(2);
  });
});

describe('trying again', () => {
  it("FAIL-10 PAUSE-25 a fresh Run on the messages before the last one takes the person's message again", async () => {
    const failed = start([[new ModelError('rate_limited', 'x')]]);
    await drain(failed.run.turn(hello));
    const messages = failed.run.messages();
    const { run, model } = start(['Hi'], { messages: messages.slice(0, -1) });
    await drain(run.turn(messages.at(-1) ?? hello));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: Hi']);
    expect(brief(model.prompts[0]?.messages ?? [])).toEqual(['user: Hello']);
  });

  it('FAIL-10 after a complete step it takes the results, and their calls do not run again', async () => {
    let ran = 0;
    const tools = toolList(toolOf('count', () => textResult(String(++ran))));
    const failed = start([[callDelta('c1', 'count')], [new ModelError('transport_error', 'x')]], { tools });
    await drain(failed.run.turn(hello));
    const messages = failed.run.messages();
    const { run } = start(['once'], { tools, messages: messages.slice(0, -1) });
    await drain(run.turn(messages.at(-1) ?? hello));
    expect(ran).toBe(1);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [count]', 'results: 1', 'assistant: once']);
  });

  const gate = new Gate();
  const asking = toolOf('ask', (_, call) =>
    call.answers() === null ? call.needsInput([approval('may I?')]) : textResult('done'),
  );
  const answers = (run: Run) =>
    run.pending().map((pending) => ({ callId: pending.call.id, decisions: { approval: allow }, values: {} }));

  it.each<[string, (run: Run, event: Event) => void]>([
    ['cancelled', (run, event) => event.type === 'step_started' && run.cancel()],
    ['interrupted', (run, event) => event.type === 'step_started' && run.interrupt()],
  ])('FAIL-11 a resume that is %s in step 0 leaves its calls pending, to be answered again', async (reason, handle) => {
    const { run } = start([[callDelta('c1', 'ask')], 'thanks'], { tools: toolList(asking) });
    await drain(run.turn(hello));
    const before = { pending: run.pending(), messages: run.messages() };
    await new Reader(run.turn(answers(run)), (event) => handle(run, event)).done;
    expect(run.ended()).toMatchObject({ reason, pending: before.pending, appended: [], partial: null });
    expect({ pending: run.pending(), messages: run.messages() }).toEqual(before);
    await drain(run.turn(answers(run)));
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask]', 'results: done', 'assistant: thanks']);
  });

  it('FAIL-11 a resume that fails in step 0 leaves its calls pending', async () => {
    let broken = true;
    const fragile = toolOf('ask', (_, call) => {
      if (call.answers() === null) return call.needsInput([approval('may I?')]);
      if (broken) throw misuse;
      return textResult('done');
    });
    const { run } = start([[callDelta('c1', 'ask')], 'thanks'], { tools: toolList(fragile) });
    await drain(run.turn(hello));
    const { error } = await caught(() => run.turn(answers(run)));
    expect(error).toBe(misuse);
    expect(run.pending()).toHaveLength(1);
    expect(run.ended()?.pending).toHaveLength(1);
    broken = false;
    await drain(run.turn(answers(run)));
    expect(run.ended()?.reason).toBe('done');
  });

  it('FAIL-11 once step 0 is appended its calls have results and are not pending', async () => {
    const { run } = start([[callDelta('c1', 'ask')], [textDelta('x'), gate], [new ModelError('model_error', 'x')]], {
      tools: toolList(asking),
    });
    await drain(run.turn(hello));
    await new Reader(run.turn(answers(run)), (event) => event.type === 'text_delta' && run.cancel()).done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', pending: [] });
    expect(run.pending()).toEqual([]);
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask]', 'results: done']);
  });
});

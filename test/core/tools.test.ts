import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  exceptionTextLimit,
  type JsonObject,
  MisuseError,
  Retry,
  type Result,
  textResult,
  type Tool,
  tool,
  toolCalls,
  toolList,
} from '../../src/core/index.ts';
import { callDelta, Gate, textDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, idle, lastResults, ofType, Reader, readOnly, start, toolOf } from './support.ts';

/** Runs one call of one tool; gives what the model saw, how the call ended, and what the tool got. */
async function once(made: Tool, input: JsonObject | string = {}) {
  const { run, model } = start([[callDelta('c1', made.spec.name, input)], 'ok'], { tools: toolList(made) });
  const { events, error } = await caught(() => run.turn(hello));
  return {
    run,
    model,
    error,
    seen: lastResults(model.prompts[1]?.messages ?? [])[0],
    ended: ofType(events, 'tool_ended')[0]?.outcome,
  };
}

describe('a tool', () => {
  it('TOOL-01 is a spec and a function; the model is told the spec and gets the result', async () => {
    const add = tool({
      name: 'add',
      description: 'Adds',
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      hints: { readOnly: true },
      call: ({ a, b }) => textResult(String(a + b)),
    });
    const { model, seen } = await once(add, { a: 2 });
    expect(seen).toEqual({ text: '3', error: false });
    expect(model.prompts[0]?.tools).toEqual([add.spec]);
    expect(add.spec).toMatchObject({
      name: 'add',
      description: 'Adds',
      input: { type: 'object', required: ['a'] },
      hints: { readOnly: true },
    });
  });

  it('TOOL-01 may be described by raw JSON Schema, with a validator that the host hands in', async () => {
    const schema: JsonObject = { type: 'object', properties: { n: { type: 'number' } } };
    const raw = tool({
      name: 'raw',
      description: '',
      input: schema,
      validate: (given, value) =>
        given.type === 'object' && JSON.stringify(value).includes('bad') ? [{ path: 'n', message: 'is bad' }] : [],
      call: (input) => textResult(JSON.stringify(input)),
    });
    expect((await once(raw, { n: 1 })).seen).toEqual({ text: '{"n":1}', error: false });
    expect((await once(raw, { n: 'bad' })).seen).toMatchObject({ error: true, text: expect.stringContaining('n: is bad') });
  });

  it('TOOL-02 TOOL-03 comes from a source that is read at every step, so one call may unlock another tool', async () => {
    let open = false;
    const unlock = toolOf('unlock', () => ((open = true), textResult('Unlocked')));
    const vault = toolOf('vault', () => textResult('42'));
    const { run, model } = start([[callDelta('c1', 'unlock')], [callDelta('c2', 'vault')], 'ok'], {
      tools: {
        *tools() {
          yield unlock;
          if (open) yield vault;
        },
      },
    });
    await drain(run.turn(hello));
    expect(model.prompts.map((prompt) => prompt.tools.length)).toEqual([1, 2, 2]);
    expect(brief(run.messages())).toContain('results: 42');
  });

  it('TOOL-04 a source that reads its state where the host keeps it offers the same to a Run that is built again', async () => {
    const stored = new Set<string>();
    const source = () => {
      const unlock = toolOf('unlock', () => (stored.add('open'), textResult('Unlocked')));
      return { tools: () => (stored.has('open') ? [unlock, toolOf('vault')] : [unlock]) };
    };
    const old = start([[callDelta('c1', 'unlock')], 'ok'], { tools: source() });
    await drain(old.run.turn(hello));
    const fresh = start(['ok'], { tools: source(), messages: old.run.messages() });
    await drain(fresh.run.turn({ ...hello, id: 'u2' }));
    expect(fresh.model.prompts[0]?.tools.map((spec) => spec.name)).toEqual(['unlock', 'vault']);
  });

  it('TOOL-02 may come from a source that has to wait', async () => {
    const { run } = start([[callDelta('c1', 'late')], 'ok'], { tools: { tools: async () => [toolOf('late')] } });
    await drain(run.turn(hello));
    expect(brief(run.messages())).toContain('results: late');
  });

  it('TOOL-05 must have a schema of type object, or it is misuse', async () => {
    expect(() => tool({ name: 't', description: '', input: { type: 'string' }, call: () => textResult('') })).toThrow(
      expect.objectContaining({ code: 'tool_schema_not_object' }),
    );
    expect(() => tool({ name: 't', description: '', input: z.string(), call: () => textResult('') })).toThrow(MisuseError);
    const bad: Tool = { ...toolOf('bad'), spec: { name: 'bad', description: '', input: {}, hints: {} } };
    const { run, model } = start(['Hi'], { tools: toolList(bad) });
    const { error } = await caught(() => run.turn(hello));
    expect(error).toMatchObject({ code: 'tool_schema_not_object' });
    expect(run.ended()?.reason).toBe('failed');
    expect(model.prompts).toEqual([]);
  });

  it('TOOL-06 sends empty collections of schema nodes that must be maps as {}', () => {
    const made = toolOf('t');
    const mended = tool({
      name: 't',
      description: '',
      input: {
        type: 'object',
        properties: [],
        required: [],
        items: { type: 'object', properties: [] },
        anyOf: [{ type: 'object', $defs: [] }],
      },
      call: made.call,
    });
    expect(mended.spec.input).toEqual({
      type: 'object',
      properties: {},
      required: [],
      items: { type: 'object', properties: {} },
      anyOf: [{ type: 'object', $defs: {} }],
    });
  });

  it('TOOL-31 shares its name with no other tool offered', async () => {
    const { run, model } = start(['Hi'], { tools: toolList(toolOf('same'), toolOf('same')) });
    const { error } = await caught(() => run.turn(hello));
    expect(error).toMatchObject({ code: 'duplicate_tool' });
    expect(model.prompts).toEqual([]);
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'tool_error' });
  });

  it('TOOL-12 TOOL-14 learns its id, turn, context and spec from the call', async () => {
    const seen: unknown[] = [];
    const look = toolOf(
      'look',
      (_, call) => (seen.push(call.id, call.turn, call.context, call.spec, call.isCancelled()), textResult('')),
    );
    const { run } = start([[callDelta('c1', 'look')], 'ok'], { tools: toolList(look), context: 'host', turn: 4 });
    await drain(run.turn(hello));
    expect(seen).toEqual(['call_1', 5, 'host', look.spec, false]);
  });

  it('TOOL-13 reports progress as events', async () => {
    const work = toolOf('work', async (_, call) => {
      await call.progress({ percent: 50 });
      await call.progress('more');
      return textResult('');
    });
    const { run } = start([[callDelta('c1', 'work')], 'ok'], { tools: toolList(work) });
    const events = await drain(run.turn(hello));
    expect(ofType(events, 'tool_progress').map((event) => [event.id, event.value])).toEqual([
      ['call_1', { percent: 50 }],
      ['call_1', 'more'],
    ]);
  });
});

describe('a result', () => {
  const full: Result = { content: [{ type: 'text', text: 'seen' }], value: { rows: 3 }, meta: { ms: 5 }, error: false };

  it('TOOL-07 TOOL-08 TOOL-09 shows the model its content, the application its value, the logs its meta', async () => {
    const { run, ended, seen } = await once(toolOf('t', () => full));
    expect(ended).toEqual(full);
    expect(seen).toEqual({ text: 'seen', error: false });
    expect(JSON.stringify(run.messages())).not.toMatch(/rows|meta|value/);
  });

  it('TOOL-10 marks a failure for the model and for the renderer', async () => {
    const { ended, seen } = await once(toolOf('t', () => ({ ...full, error: true })));
    expect(seen?.error).toBe(true);
    expect(ended).toMatchObject({ error: true });
  });

  it('TOOL-11 has a shortcut for one text', () => {
    expect(textResult('x')).toEqual({ content: [{ type: 'text', text: 'x' }], value: null, meta: [], error: false });
  });
});

describe('a tool that fails', () => {
  const again = toolOf('again', () => {
    throw new Retry('give a date');
  });

  it('TOOL-17 a Retry is an error result with its text, in the event too', async () => {
    const { ended, seen } = await once(again);
    expect(seen).toEqual({ text: 'give a date', error: true });
    expect(ended).toMatchObject({ content: [{ text: 'give a date' }], error: true });
  });

  it('TOOL-18 TOOL-19 three are given back, the fourth fails the turn and discards its step', async () => {
    const { run, model } = start(() => [callDelta('c', 'again')], { tools: toolList(again) });
    await drain(run.turn(hello));
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'tool_retries_exceeded' });
    expect(model.prompts).toHaveLength(4);
    expect(run.messages()).toHaveLength(1 + 3 * 2);
  });

  it('TOOL-18 counts retries, unknown names and malformed input together', async () => {
    const calls = [
      callDelta('c1', 'again'),
      callDelta('c2', 'nobody'),
      callDelta('c3', 'again', '{"a"'),
      callDelta('c4', 'again'),
    ];
    const { run, model } = start((_, n) => [calls[n] ?? textDelta('enough')], { tools: toolList(again) });
    await drain(run.turn(hello));
    expect(run.ended()?.errorKind).toBe('tool_retries_exceeded');
    expect(model.prompts).toHaveLength(4);
  });

  it('TOOL-18 several in one step count each', async () => {
    const calls = ['c1', 'c2', 'c3', 'c4'].map((id) => callDelta(id, 'again'));
    const three = start([calls.slice(0, 3), 'ok'], { tools: toolList(again) });
    await drain(three.run.turn(hello));
    expect(three.run.ended()?.reason).toBe('done');
    const four = start([calls, 'ok'], { tools: toolList(again) });
    await drain(four.run.turn(hello));
    expect(four.run.ended()?.errorKind).toBe('tool_retries_exceeded');
    expect(four.run.messages()).toEqual([hello]);
  });

  it('TOOL-18 the count is of the turn, and the limit an option', async () => {
    const { run } = start((_, n) => (n % 2 === 0 ? [callDelta('c', 'again')] : 'ok'), {
      tools: toolList(again),
      options: { toolRetries: 1 },
    });
    for (const id of ['u1', 'u2', 'u3']) {
      await drain(run.turn({ ...hello, id }));
      expect(run.ended()?.reason).toBe('done');
    }
    const none = start([[callDelta('c', 'again')]], { tools: toolList(again), options: { toolRetries: 0 } });
    await drain(none.run.turn(hello));
    expect(none.run.ended()?.errorKind).toBe('tool_retries_exceeded');
  });

  it('TOOL-20 another exception is an error result with its message; the event carries the exception itself', async () => {
    const error = new RangeError('disk full');
    const { ended, seen, run } = await once(
      toolOf('t', () => {
        throw error;
      }),
    );
    expect(seen).toEqual({ text: 'disk full', error: true });
    expect(ended).toMatchObject({ class: 'RangeError', message: 'disk full', error });
    expect(JSON.parse(JSON.stringify(ended))).toEqual({ class: 'RangeError', message: 'disk full' });
    expect(run.ended()?.reason).toBe('done');
  });

  it('TOOL-20 its message reaches the model bounded, without half a character', async () => {
    const { seen } = await once(
      toolOf('t', () => {
        throw new Error('😀'.repeat(exceptionTextLimit + 10));
      }),
    );
    expect([...(seen?.text ?? '')].length).toBe(exceptionTextLimit + 1);
    expect(seen?.text.isWellFormed()).toBe(true);
  });

  it('TOOL-20 what is thrown without being an Error is told as well', async () => {
    const { seen } = await once(
      toolOf('t', () => {
        AbortSignal.abort('plain').throwIfAborted();
        return textResult('');
      }),
    );
    expect(seen).toEqual({ text: 'plain', error: true });
  });

  it('TOOL-20 its message is scrubbed by what the host hands in, for the model and in the event', async () => {
    const bad = toolOf('bad', () => {
      throw new Error('no access with sk-12345');
    });
    const { run } = start([[callDelta('c1', 'bad')], 'ok'], {
      tools: toolList(bad),
      redact: (text) => text.replace(/sk-\d+/, '[key]'),
    });
    const events = await drain(run.turn(hello));
    expect(lastResults(run.messages())).toEqual([{ text: 'no access with [key]', error: true }]);
    expect(ofType(events, 'tool_ended')[0]?.outcome).toMatchObject({ message: 'no access with [key]' });
  });

  it('TOOL-21 such an exception counts as no retry and does not end the turn', async () => {
    const bad = toolOf('bad', () => {
      throw new Error('x');
    });
    const { run } = start((_, n) => (n < 6 ? [callDelta('c', 'bad')] : 'ok'), { tools: toolList(bad) });
    await drain(run.turn(hello));
    expect(run.ended()?.reason).toBe('done');
  });

  it("TOOL-20 a check of the input that throws is the tool's exception too", async () => {
    const broken: Tool = {
      ...toolOf('t'),
      check: async () => {
        throw new Error('no validator');
      },
    };
    const { seen, run, error } = await once(broken);
    expect(error).toBeUndefined();
    expect(run.ended()?.reason).toBe('done');
    expect(seen).toEqual({ text: 'no validator', error: true });
  });

  it('TOOL-22 FAIL-02 misuse of one call ends the turn after the calls beside it have ended', async () => {
    const gate = new Gate();
    let ended = false;
    const slow = toolOf('slow', async () => (await gate.wait(), (ended = true), textResult('')), readOnly);
    const misuse = toolOf(
      'misuse',
      () => {
        gate.open();
        throw new MisuseError('wrong', 'Wrong');
      },
      readOnly,
    );
    const { run } = start([[callDelta('c1', 'slow'), callDelta('c2', 'misuse')]], { tools: toolList(slow, misuse) });
    const { error } = await caught(() => run.turn(hello));
    expect(error).toMatchObject({ code: 'wrong' });
    expect(ended).toBe(true);
    expect(run.ended()?.errorKind).toBe('tool_error');
  });
});

describe('the calls of a step', () => {
  it('TOOL-24 read-only calls run together', async () => {
    const first = new Gate();
    const second = new Gate();
    const tools = toolList(
      toolOf('a', async () => (second.open(), await first.wait(), textResult('A')), readOnly),
      toolOf('b', async () => (await second.wait(), first.open(), textResult('B')), readOnly),
    );
    const { run } = start([[callDelta('c1', 'a'), callDelta('c2', 'b')], 'ok'], { tools });
    await drain(run.turn(hello));
    expect(brief(run.messages())[2]).toBe('results: A | B');
  });

  it("TOOL-25 TOOL-29 TOOL-30 the others run after them, one at a time, in the model's order; no hint means it may write", async () => {
    const gate = new Gate();
    const log: string[] = [];
    const writer = (name: string) =>
      toolOf(name, async () => {
        log.push(`${name} begins`);
        await idle();
        log.push(`${name} ends`);
        return textResult(name);
      });
    const reader = toolOf(
      'r',
      async () => (log.push('r begins'), await gate.wait(), log.push('r ends'), textResult('r')),
      readOnly,
    );
    const { run } = start([[callDelta('c1', 'w1'), callDelta('c2', 'r'), callDelta('c3', 'w2')], 'ok'], {
      tools: toolList(writer('w1'), writer('w2'), reader),
    });
    const reading = new Reader(run.turn(hello));
    await gate.reached;
    await idle();
    expect(log).toEqual(['r begins']);
    gate.open();
    await reading.done;
    expect(log).toEqual(['r begins', 'r ends', 'w1 begins', 'w1 ends', 'w2 begins', 'w2 ends']);
  });

  it("TOOL-26 results keep the model's order, whatever order the calls end in", async () => {
    const gate = new Gate();
    const tools = toolList(
      toolOf('w', () => textResult('w')),
      toolOf('slow', async () => (await gate.wait(), textResult('slow')), readOnly),
      toolOf('quick', () => (gate.open(), textResult('quick')), readOnly),
    );
    const { run } = start([[callDelta('c1', 'w'), callDelta('c2', 'slow'), callDelta('c3', 'quick')], 'ok'], { tools });
    const events = await drain(run.turn(hello));
    expect(ofType(events, 'tool_ended').map((event) => event.id)).toEqual(['call_3', 'call_2', 'call_1']);
    expect(brief(run.messages())[2]).toBe('results: w | slow | quick');
  });

  it('TOOL-27 TOOL-32 an unknown name is an error result that lists the offered names, bounded', async () => {
    const many = Array.from({ length: 500 }, (_, n) => toolOf(`tool_number_${n}`));
    const { run, model } = start([[callDelta('c1', 'n'.repeat(10_000))], 'ok'], { tools: toolList(...many) });
    const events = await drain(run.turn(hello));
    const [seen] = lastResults(model.prompts[1]?.messages ?? []);
    expect(seen?.error).toBe(true);
    expect(seen?.text).toContain('tool_number_0');
    expect(seen?.text.length).toBeLessThan(5000);
    expect(ofType(events, 'tool_ended')[0]?.outcome).toMatchObject({ error: true, content: [{}] });
  });

  it.each(['not json', '[1]', '"text"', '12', 'null', '{"a":1} trailing', '{"a":1}{"b":2}', '{"a"', '{"a":1,}'])(
    'TOOL-28 malformed arguments %s are an error result; nothing runs',
    async (args) => {
      let ran = false;
      const { seen, ended, run } = await once(
        toolOf('t', () => ((ran = true), textResult(''))),
        args,
      );
      expect(ran).toBe(false);
      expect(seen?.error).toBe(true);
      expect(ended).toMatchObject({ error: true, content: [{}] });
      expect(toolCalls(run.messages()[1] ?? hello)[0]).toMatchObject({ input: {}, malformed: args });
    },
  );

  it('TOOL-28 input that does not fit the schema is an error result that says where', async () => {
    let ran = false;
    const typed = tool({
      name: 'typed',
      description: '',
      input: z.object({ place: z.object({ city: z.string() }) }),
      call: () => ((ran = true), textResult('')),
    });
    const { seen } = await once(typed, { place: { city: 7 } });
    expect(ran).toBe(false);
    expect(seen).toMatchObject({ error: true, text: expect.stringContaining('place.city') });
  });

  it.each(['', '   ', '{}'])('TOOL-33 the arguments %j of a tool without parameters are {}', async (args) => {
    const inputs: JsonObject[] = [];
    const { seen } = await once(
      toolOf('t', (input) => (inputs.push(input), textResult('fine'))),
      args,
    );
    expect(inputs).toEqual([{}]);
    expect(seen).toEqual({ text: 'fine', error: false });
  });

  it('TOOL-28 keys such as __proto__ are ordinary keys', async () => {
    const inputs: JsonObject[] = [];
    await once(
      toolOf('t', (input) => (inputs.push(input), textResult(''))),
      '{"__proto__":{"x":1},"constructor":2}',
    );
    expect(Object.keys(inputs[0] ?? {})).toEqual(['__proto__', 'constructor']);
  });
});

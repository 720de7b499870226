import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delta, type Finish, type JsonObject, textResult, toolCalls, toolList } from '../../src/core/index.ts';
import { finishDelta, textDelta } from '../../src/testing/index.ts';
import { drain, hello, lastResults, ofType, plain, start, toolOf } from './support.ts';

/** A fragment in short: index, id, name, argument text. */
function part(given: { i?: number; id?: string; n?: string; a?: string }): Delta {
  return {
    type: 'tool_call',
    ...(given.i === undefined ? {} : { index: given.i }),
    ...(given.id === undefined ? {} : { id: given.id }),
    ...(given.n === undefined ? {} : { name: given.n }),
    ...(given.a === undefined ? {} : { args: given.a }),
  };
}

/** Streams fragments through a run whose every tool answers; gives the calls as they ran, and what the events told. */
async function assemble(fragments: readonly Delta[], finish: Finish = 'tool_calls') {
  const ran: { name: string; input: JsonObject }[] = [];
  const tools = ['read', 'write', 'list'].map((name) => toolOf(name, (input) => (ran.push({ name, input }), textResult(''))));
  const { run, model } = start([[...fragments, finishDelta(finish)], 'end'], { tools: toolList(...tools) });
  const events = await drain(run.turn(hello));
  const message = ofType(events, 'message_ended')[0]?.message;
  const told = ofType(events, 'tool_call_ready').map((event) => ({ name: event.name, input: event.input }));
  const shown = ofType(events, 'tool_call_started').map((event) => ({
    name: event.name,
    json: ofType(events, 'tool_input_delta')
      .filter((delta) => delta.id === event.id)
      .map((delta) => delta.json)
      .join(''),
  }));
  return {
    ran,
    told,
    shown,
    calls: message === undefined ? [] : toolCalls(message),
    events,
    seen: lastResults(model.prompts[1]?.messages ?? []),
  };
}

describe('kind 1: index and id clash', () => {
  it('CC-05 two ids under one index are two calls, in order', async () => {
    const { ran, told } = await assemble([
      part({ i: 0, id: 'a', n: 'read', a: '{"path":"a"}' }),
      part({ i: 0, id: 'b', n: 'read', a: '{"path":"b"}' }),
    ]);
    expect(ran).toEqual([
      { name: 'read', input: { path: 'a' } },
      { name: 'read', input: { path: 'b' } },
    ]);
    expect(told).toEqual(ran);
  });

  it('CC-05 pieces that follow go to the later of the two', async () => {
    const { ran } = await assemble([
      part({ i: 0, id: 'a', n: 'read', a: '{"path":"a"}' }),
      part({ i: 0, id: 'b', n: 'read', a: '{"pa' }),
      part({ i: 0, a: 'th":"b"}' }),
    ]);
    expect(ran.map((call) => call.input)).toEqual([{ path: 'a' }, { path: 'b' }]);
  });

  it('CC-05 an index that repeats its id and name is one call', async () => {
    const { ran } = await assemble([
      part({ i: 0, id: 'a', n: 'read', a: '{"pa' }),
      part({ i: 0, id: 'a', n: 'read', a: 'th":' }),
      part({ i: 0, id: 'a', n: 'read', a: '"a"}' }),
    ]);
    expect(ran).toEqual([{ name: 'read', input: { path: 'a' } }]);
  });

  it('CC-05 calls that stream in turns are kept apart by index', async () => {
    const { ran } = await assemble([
      part({ i: 0, id: 'a', n: 'read' }),
      part({ i: 1, id: 'b', n: 'write' }),
      part({ i: 0, a: '{"x":' }),
      part({ i: 1, a: '{"y":' }),
      part({ i: 0, a: '1}' }),
      part({ i: 1, a: '2}' }),
    ]);
    expect(ran).toEqual([
      { name: 'read', input: { x: 1 } },
      { name: 'write', input: { y: 2 } },
    ]);
  });
});

describe('kind 2: missing keys', () => {
  it('CC-05 no index: a piece without an id belongs to the call before', async () => {
    const { ran } = await assemble([part({ id: 'x', n: 'read', a: '{"pa' }), part({ a: 'th":"a"}' })]);
    expect(ran).toEqual([{ name: 'read', input: { path: 'a' } }]);
  });

  it('CC-05 no index: pieces are told apart by id', async () => {
    const { ran } = await assemble([
      part({ id: 'x', n: 'read', a: '{"p":' }),
      part({ id: 'y', n: 'write', a: '{"q":' }),
      part({ id: 'x', a: '1}' }),
      part({ id: 'y', a: '2}' }),
    ]);
    expect(ran).toEqual([
      { name: 'read', input: { p: 1 } },
      { name: 'write', input: { q: 2 } },
    ]);
  });

  it('CC-05 empty ids count as none; two whole heads without keys are two calls', async () => {
    const { ran } = await assemble([part({ id: '', n: 'read', a: '{"p":1}' }), part({ id: '', n: 'write', a: '{"q":2}' })]);
    expect(ran).toEqual([
      { name: 'read', input: { p: 1 } },
      { name: 'write', input: { q: 2 } },
    ]);
  });

  it('CC-05 two whole heads without keys and without parameters are two calls', async () => {
    const { ran } = await assemble([part({ n: 'read', a: '{}' }), part({ n: 'list', a: '{}' })]);
    expect(ran.map((call) => call.name)).toEqual(['read', 'list']);
  });

  it('CC-05 a call without any id runs under an id of ours', async () => {
    const { calls } = await assemble([part({ i: 0, n: 'read', a: '{"p":1}' })]);
    expect(calls[0]?.id).toBe('call_1');
    expect(calls[0]).not.toHaveProperty('providerId');
  });

  it('CC-05 an id that comes after the first piece is taken up', async () => {
    const { calls } = await assemble([part({ i: 0, n: 'read' }), part({ i: 0, id: 'late', a: '{"p":1}' })]);
    expect(calls).toMatchObject([{ name: 'read', providerId: 'late', input: { p: 1 } }]);
  });

  it('CC-05 arguments that come before the name are told after it', async () => {
    const { ran, shown } = await assemble([part({ i: 0, id: 'x', a: '{"p":' }), part({ i: 0, n: 'read', a: '1}' })]);
    expect(ran).toEqual([{ name: 'read', input: { p: 1 } }]);
    expect(shown).toEqual([{ name: 'read', json: '{"p":1}' }]);
  });
});

describe('a call without a name', () => {
  it('TOOL-27 EVT-01 is told like another, and answered with an error', async () => {
    const { ran, events, seen } = await assemble([part({ i: 0, id: 'x', a: '{"p":1}' })]);
    expect(ran).toEqual([]);
    expect(seen).toMatchObject([{ error: true }]);
    const ids = [...ofType(events, 'tool_call_started'), ...ofType(events, 'tool_ended')].map((event) => event.id);
    expect(ids).toEqual(['call_1', 'call_1']);
  });
});

describe('kind 3: odd shapes of arguments', () => {
  it('TOOL-28 an empty object ahead of the true arguments is dropped', async () => {
    const { ran, shown } = await assemble([part({ i: 0, id: 'x', n: 'read', a: '{}' }), part({ i: 0, a: '{"a":1}' })]);
    expect(ran).toEqual([{ name: 'read', input: { a: 1 } }]);
    expect(shown).toEqual([{ name: 'read', json: '{"a":1}' }]);
  });

  it('TOOL-28 also when the true arguments come in pieces', async () => {
    const { ran, shown } = await assemble([
      part({ i: 0, id: 'x', n: 'read', a: '{}' }),
      part({ i: 0, a: '{' }),
      part({ i: 0, a: '"a":1}' }),
    ]);
    expect(ran).toEqual([{ name: 'read', input: { a: 1 } }]);
    expect(shown[0]?.json).toBe('{"a":1}');
  });

  it('TOOL-28 an empty object alone is the arguments', async () => {
    const { ran, shown } = await assemble([part({ i: 0, id: 'x', n: 'list', a: '{}' })]);
    expect(ran).toEqual([{ name: 'list', input: {} }]);
    expect(shown).toEqual([{ name: 'list', json: '{}' }]);
  });

  it('TOOL-33 an empty object cut in two is the arguments, too', async () => {
    const { ran } = await assemble([part({ i: 0, id: 'x', n: 'list', a: '{' }), part({ i: 0, a: '}' })]);
    expect(ran).toEqual([{ name: 'list', input: {} }]);
  });

  it('TOOL-28 blanks around the object do no harm', async () => {
    const { ran } = await assemble([part({ i: 0, id: 'x', n: 'read', a: ' {"a":1}' }), part({ i: 0, a: ' \n' })]);
    expect(ran).toEqual([{ name: 'read', input: { a: 1 } }]);
  });

  it('TOOL-27 a mark of the chat format behind a name is no part of it', async () => {
    const { ran } = await assemble([part({ i: 0, id: 'x', n: 'read<|channel|>commentary', a: '{"a":1}' })]);
    expect(ran).toEqual([{ name: 'read', input: { a: 1 } }]);
  });
});

describe('kind 4: a cut call', () => {
  it.each<Finish>(['tool_calls', 'stop', 'length'])(
    'FIN-09 CC-15 said finish %s, it does not run, the reply counts as length, the model is told',
    async (finish) => {
      const { ran, events, seen, told } = await assemble(
        [part({ i: 0, id: 'x', n: 'write', a: '{"path":"x","content":"hel' })],
        finish,
      );
      expect(ran).toEqual([]);
      expect(told).toEqual([]);
      expect(ofType(events, 'message_ended')[0]?.finish).toBe('length');
      expect(seen).toMatchObject([{ error: true, text: expect.stringContaining('shorter') }]);
    },
  );

  it('FIN-09 whole calls beside it run', async () => {
    const { ran, seen } = await assemble([
      part({ i: 0, id: 'x', n: 'read', a: '{"p":1}' }),
      part({ i: 1, id: 'y', n: 'write', a: '{"p":"' }),
    ]);
    expect(ran).toEqual([{ name: 'read', input: { p: 1 } }]);
    expect(seen.map((result) => result.error)).toEqual([false, true]);
  });

  it('FIN-09 a cut anywhere inside an object is a cut', async () => {
    const whole = '{"path":"a\\"}","list":[{"x":1}],"n":-1.5e3}';
    for (let end = 1; end < whole.length; end += 1) {
      const { ran, events } = await assemble([part({ i: 0, id: 'x', n: 'write', a: whole.slice(0, end) })]);
      expect({ end, ran, finish: ofType(events, 'message_ended')[0]?.finish }).toEqual({ end, ran: [], finish: 'length' });
    }
  });

  it('FIN-09 text that is no JSON but not cut either keeps its finish', async () => {
    const { ran, events, seen } = await assemble([part({ i: 0, id: 'x', n: 'write', a: 'path: x' })]);
    expect(ran).toEqual([]);
    expect(ofType(events, 'message_ended')[0]?.finish).toBe('tool_calls');
    expect(seen[0]?.error).toBe(true);
  });
});

it(
  'CC-05 EVT-15 any calls, cut into any pieces and dealt in any order of indices, come out whole',
  { timeout: 30_000 },
  async () => {
    const call = fc.record({
      name: fc.constantFrom('read', 'write', 'list'),
      input: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat({ max: 7 })),
        fc.boolean(),
        async (calls, cuts, text) => {
          const queues = calls.map(({ name, input }, i) => {
            const json = JSON.stringify(input);
            const pieces: Delta[] = [part({ i, id: `p${i}`, n: name })];
            for (let at = 0; at < json.length;) {
              const size = 1 + Number(cuts.next().value);
              pieces.push(part({ i, a: json.slice(at, at + size) }));
              at += size;
            }
            return pieces;
          });
          const heads = queues.map((queue) => queue.shift() as Delta);
          const dealt: Delta[] = text ? [textDelta('So: '), ...heads] : heads;
          while (queues.some((queue) => queue.length > 0)) {
            const filled = queues.filter((queue) => queue.length > 0);
            dealt.push(filled[Number(cuts.next().value) % filled.length]?.shift() as Delta);
          }
          const { ran, shown } = await assemble(dealt);
          expect(plain(ran)).toEqual(plain(calls));
          expect(shown.map(({ json }) => JSON.parse(json) as unknown)).toEqual(calls.map(({ input }) => plain(input)));
        },
      ),
      { numRuns: 60 },
    );
  },
);

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addUsage,
  allow,
  approval,
  deny,
  emptyView,
  type Event,
  eventFromJSON,
  eventToJSON,
  type EventType,
  fold,
  isTop,
  type Json,
  noUsage,
  question,
  Resume,
  Run,
  textResult,
  Thrown,
  toolList,
  UnmappableContent,
  userText,
} from '../../src/core/index.ts';
import { callDelta, countingIds, FakeModel, Gate, reasoningDelta, textDelta, usageDelta } from '../../src/testing/index.ts';
import { drain, hello, idle, ofType, plain, Reader, readOnly, start, toolOf, types } from './support.ts';

/** One event of each of the seventeen types, in the seeds' JSON, written by hand. */
const lines: { readonly [T in EventType]: string } = {
  turn_started: '{"type":"turn_started","turn":1,"parent":null}',
  turn_ended:
    '{"type":"turn_ended","turn":1,"parent":null,"reason":"awaiting_input","usage":{"input":396,"output":59,"cacheRead":0,"cacheWrite":0},"error":null,"finish":"tool_calls"}',
  step_started: '{"type":"step_started","turn":1,"parent":null,"n":0}',
  step_ended: '{"type":"step_ended","turn":1,"parent":null,"n":1}',
  message_started: '{"type":"message_started","turn":1,"parent":null,"id":"msg_1"}',
  message_resumed: '{"type":"message_resumed","turn":1,"parent":null,"id":"msg_1"}',
  text_delta: '{"type":"text_delta","turn":1,"parent":null,"id":"msg_1","text":" green"}',
  reasoning_delta: '{"type":"reasoning_delta","turn":1,"parent":"call_0","id":"msg_1","text":"Hm"}',
  tool_call_started: '{"type":"tool_call_started","turn":1,"parent":null,"id":"call_1","name":"remember"}',
  tool_input_delta: '{"type":"tool_input_delta","turn":1,"parent":null,"id":"call_1","json":"{\\"no"}',
  tool_call_ready: '{"type":"tool_call_ready","turn":1,"parent":null,"id":"call_1","name":"remember","input":{"note":"green"}}',
  message_ended:
    '{"type":"message_ended","turn":1,"parent":null,"id":"msg_1","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"Hi"}]},"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4},"finish":"stop"}',
  tool_decided:
    '{"type":"tool_decided","turn":2,"parent":null,"id":"call_1","needId":"approval","decision":{"allowed":true,"reason":null}}',
  tool_progress: '{"type":"tool_progress","turn":1,"parent":null,"id":"call_1","value":null}',
  tool_ended:
    '{"type":"tool_ended","turn":1,"parent":null,"id":"call_1","outcome":{"content":[{"type":"text","text":"Saved"}],"value":null,"meta":[],"error":false}}',
  input_requested:
    '{"type":"input_requested","turn":1,"parent":null,"pending":[{"call":{"type":"tool_call","id":"call_1","name":"remember","input":{}},"needs":[{"type":"approval","id":"approval","reason":"Save a note"}],"state":null}]}',
  interjected:
    '{"type":"interjected","turn":1,"parent":null,"message":{"id":"u1","role":"user","content":[]},"delivery":"steer"}',
};

/** Every type of event, as runs emit them: two turns with a nested run inside, and a resume. */
async function everything(): Promise<Event[]> {
  const child = start([[reasoningDelta('r'), textDelta('inner')]]);
  const tools = toolList(
    toolOf('nest', async (_, call) => {
      await call.progress('working');
      for await (const event of child.run.turn(hello)) await call.nest(event);
      return textResult('nested');
    }),
    toolOf('ask', (_, call) =>
      call.answers() === null ? call.needsInput([approval('may I?'), question('q', 'Which?')]) : textResult('asked'),
    ),
    toolOf('bad', () => {
      throw new TypeError('broken');
    }),
  );
  const calls = [callDelta('c1', 'nest', { a: 1 }), callDelta('c2', 'ask'), callDelta('c3', 'bad')];
  const { run } = start([[reasoningDelta('Hm'), textDelta('Hi'), ...calls, usageDelta({ input: 1 })], 'One', 'Two'], { tools });
  const events = await drain(run.turn(hello));
  const answers = run.pending().map(({ call }) => ({ callId: call.id, decisions: { approval: allow }, values: { q: 'x' } }));
  const steering = (event: Event): void => {
    if (event.type === 'text_delta' && event.text === 'One') run.interject(userText('s1', 'and?'));
  };
  const resuming = start([' more'], { messages: [hello] });
  const edit = new Resume({ id: 'edit', role: 'assistant', content: [{ type: 'text', text: 'One' }] });
  return [...events, ...(await new Reader(run.turn(answers), steering).done), ...(await drain(resuming.run.turn(edit)))];
}

/** The statement that names the fields of each type. */
const statements: { readonly [T in EventType]: string } = {
  turn_started: 'EVT-06',
  turn_ended: 'EVT-07',
  step_started: 'EVT-08',
  step_ended: 'EVT-08',
  message_started: 'EVT-09',
  message_resumed: 'EVT-10',
  interjected: 'EVT-11',
  text_delta: 'EVT-12',
  reasoning_delta: 'EVT-13',
  tool_call_started: 'EVT-14',
  tool_input_delta: 'EVT-15',
  tool_call_ready: 'EVT-16',
  tool_decided: 'EVT-17',
  tool_progress: 'EVT-18',
  tool_ended: 'EVT-19',
  message_ended: 'EVT-20',
  input_requested: 'EVT-21',
};

describe('an event as data', () => {
  it.each(Object.entries(statements))('EVT-22 %s has the fields that %s names, no more and no less', async (type) => {
    const emitted = (await everything()).filter((event) => event.type === type).map((event) => Object.keys(eventToJSON(event)));
    const named = Object.keys(JSON.parse(lines[type as EventType]) as object);
    expect(emitted.length).toBeGreaterThan(0);
    for (const keys of emitted) expect(keys).toEqual(named);
  });

  it.each(Object.entries(lines))('EVT-04 EVT-05 %s comes back from its line as it was', (type, line) => {
    const event = eventFromJSON(JSON.parse(line) as Json);
    expect(event?.type).toBe(type);
    expect(JSON.stringify(eventToJSON(event as Event))).toBe(line);
  });

  it('EVT-02 starts with its type, its turn and its parent, in this order', async () => {
    for (const event of await everything()) {
      const keys = Object.keys(eventToJSON(event));
      expect(keys.slice(0, 3)).toEqual(['type', 'turn', 'parent']);
      expect(typeof event.turn).toBe('number');
    }
  });

  it('EVT-04 EVT-05 every event that a run emits comes back from JSON as it was', async () => {
    const events = await everything();
    expect(new Set(types(events)).size).toBe(17);
    const thrown = (event: Event): boolean => event.type === 'tool_ended' && event.outcome instanceof Thrown;
    for (const event of events) expect(plain(eventFromJSON(eventToJSON(event)))).toEqual(plain(event));
    for (const event of events.filter((one) => !thrown(one))) expect(eventFromJSON(eventToJSON(event))).toEqual(event);
  });

  it('EVT-05 any progress value and any text survive the way through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.nat(), (value, text, turn) => {
        const head = { turn, parent: null };
        const sent: Event[] = [
          { type: 'tool_progress', ...head, id: 'c', value: plain(value) },
          { type: 'text_delta', ...head, id: 'm', text },
        ];
        for (const event of sent) expect(eventFromJSON(eventToJSON(event))).toEqual(plain(event));
      }),
      { numRuns: 200 },
    );
  });

  it('EVT-19 an exception has a class and a message, a result has neither', () => {
    const sent: Event = {
      type: 'tool_ended',
      turn: 1,
      parent: null,
      id: 'c',
      outcome: new Thrown('RangeError', 'disk full', new RangeError('disk full')),
    };
    expect(eventToJSON(sent)).toEqual({
      type: 'tool_ended',
      turn: 1,
      parent: null,
      id: 'c',
      outcome: { class: 'RangeError', message: 'disk full' },
    });
    expect((eventFromJSON(eventToJSON(sent)) as typeof sent).outcome).toBeInstanceOf(Thrown);
  });

  it('EVT-22 a reader ignores types that it does not know', () => {
    const unknown = { type: 'tool_started', turn: 1, parent: null, id: 'c' };
    expect(eventFromJSON(unknown)).toBeNull();
    expect(eventFromJSON({ ...unknown, type: 'toString' })).toBeNull();
    const view = { ...emptyView, messages: [hello] };
    expect(fold(view, unknown as unknown as Event)).toBe(view);
  });

  it.each<[string, Json]>([
    ['no object', 'turn_started'],
    ['no type', { turn: 1, parent: null }],
    ['no turn', { type: 'turn_started', parent: null }],
    ['no parent', { type: 'turn_started', turn: 1 }],
    ['a field that is missing', { type: 'text_delta', turn: 1, parent: null, id: 'm' }],
    ['a field of the wrong kind', { type: 'step_started', turn: 1, parent: null, n: 'one' }],
    [
      'a broken message',
      { type: 'interjected', turn: 1, parent: null, delivery: 'steer', message: { id: 'u', role: 'system', content: [] } },
    ],
  ])('EVT-05 refuses an event with %s', (_, json) => {
    expect(() => eventFromJSON(json)).toThrow(UnmappableContent);
  });

  it('EVT-23 EVT-24 EVT-25 enum values are in snake case; usage and results have all their fields', async () => {
    const events = await everything();
    const first = ofType(events, 'turn_ended').find(isTop);
    expect(first).toMatchObject({ reason: 'awaiting_input', finish: 'tool_calls' });
    expect(Object.keys(first?.usage ?? {})).toEqual(['input', 'output', 'cacheRead', 'cacheWrite']);
    const results = ofType(events, 'tool_ended').filter((event) => !(event.outcome instanceof Thrown));
    for (const { outcome } of results) expect(Object.keys(outcome)).toEqual(['content', 'value', 'meta', 'error']);
    expect(addUsage(noUsage, noUsage)).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  });
});

describe('the order of events', () => {
  it('EVT-01 every item goes started, deltas, ended', async () => {
    const kinds: { readonly [type: string]: string } = {
      message_started: 'started',
      message_resumed: 'started',
      tool_call_started: 'started',
      text_delta: 'delta',
      reasoning_delta: 'delta',
      tool_input_delta: 'delta',
      message_ended: 'ended',
      tool_call_ready: 'ended',
    };
    const told = new Map<string, string[]>();
    for (const event of (await everything()).filter(isTop)) {
      const kind = kinds[event.type];
      if ('id' in event && kind !== undefined) told.set(event.id, [...(told.get(event.id) ?? []), kind]);
    }
    expect(told.size).toBe(7);
    for (const [id, order] of told) expect(`${id}: ${order.join(' ')}`).toMatch(/: started( delta)*( ended)$/);
  });

  it('EVT-06 EVT-07 EVT-08 one turn of one text is told like this', async () => {
    const { run } = start([[reasoningDelta('Hm'), textDelta('Hi'), usageDelta({ input: 3 })]]);
    const head = { turn: 1, parent: null };
    const usage = { ...noUsage, input: 3 };
    const message = {
      id: 'msg_1',
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'text', text: 'Hi' },
      ],
    };
    expect(await drain(run.turn(hello))).toEqual([
      { ...head, type: 'turn_started' },
      { ...head, type: 'step_started', n: 1 },
      { ...head, type: 'message_started', id: 'msg_1' },
      { ...head, type: 'reasoning_delta', id: 'msg_1', text: 'Hm' },
      { ...head, type: 'text_delta', id: 'msg_1', text: 'Hi' },
      { ...head, type: 'message_ended', id: 'msg_1', message, usage, finish: 'stop' },
      { ...head, type: 'step_ended', n: 1 },
      { ...head, type: 'turn_ended', reason: 'done', usage, error: null, finish: 'stop' },
    ]);
  });

  it('EVT-14 EVT-15 EVT-16 a call is told as it streams: its name, the raw pieces, the parsed input', async () => {
    const pieces = ['{"pa', 'th":"é', '\\u0041"', '}'];
    const { run } = start(
      [
        [
          { type: 'tool_call', index: 0, id: 'c1', name: 'write' },
          ...pieces.map((args) => ({ type: 'tool_call', index: 0, args }) as const),
        ],
        'ok',
      ],
      { tools: toolList(toolOf('write')) },
    );
    const events = (await drain(run.turn(hello))).filter(
      (event) => event.type.startsWith('tool_') && event.type !== 'tool_ended',
    );
    const head = { turn: 1, parent: null, id: 'call_1' };
    expect(events).toEqual([
      { ...head, type: 'tool_call_started', name: 'write' },
      ...pieces.map((json) => ({ ...head, type: 'tool_input_delta', json })),
      { ...head, type: 'tool_call_ready', name: 'write', input: { path: 'éA' } },
    ]);
  });

  it('EVT-26 a resume tells each approval and each declined question before the call runs again', async () => {
    const needs = [approval('write?', 'w'), approval('send?', 'approval'), question('q1', 'Which?'), question('q2', 'Why?')];
    const log: string[] = [];
    const ask = toolOf('ask', (_, call) => {
      if (call.answers() === null) return call.needsInput(needs, { step: 1 });
      log.push('ran');
      return textResult('done');
    });
    const { run } = start([[callDelta('c1', 'ask')], 'ok'], { tools: toolList(ask) });
    await drain(run.turn(hello));
    const answer = { callId: 'call_1', decisions: { w: allow, approval: deny('no'), q2: deny() }, values: { q1: 'x' } };
    const events = await new Reader(run.turn([answer]), (event) => event.type === 'tool_decided' && log.push(event.needId)).done;
    expect(log).toEqual(['w', 'approval', 'q2', 'ran']);
    expect(ofType(events, 'tool_decided').map((event) => [event.id, event.decision])).toEqual([
      ['call_1', allow],
      ['call_1', { allowed: false, reason: 'no' }],
      ['call_1', { allowed: false, reason: null }],
    ]);
  });

  it('EVT-26 a denied call that does not run is told as decided, too', async () => {
    const { run } = start([[callDelta('c1', 'ask')], 'ok'], {
      tools: toolList(toolOf('ask', (_, call) => call.needsInput([approval('?')]))),
    });
    await drain(run.turn(hello));
    const events = await drain(run.turn([{ callId: 'call_1', decisions: { approval: deny() }, values: {} }]));
    expect(types(events).slice(0, 5)).toEqual(['turn_started', 'step_started', 'tool_decided', 'tool_ended', 'step_ended']);
  });
});

describe('delivery', () => {
  it('EVT-28 what happens after an event happens after the host handled it', async () => {
    const log: string[] = [];
    const write = toolOf('write', async (_, call) => {
      log.push('tool: begins');
      await call.progress('half');
      log.push('tool: goes on');
      return textResult('');
    });
    const { run } = start([[callDelta('c1', 'write')], 'ok'], { tools: toolList(write) });
    for await (const event of run.turn(hello)) {
      await idle();
      if (['message_ended', 'tool_progress'].includes(event.type)) log.push(`host: ${event.type}`);
    }
    expect(log).toEqual(['host: message_ended', 'tool: begins', 'host: tool_progress', 'tool: goes on', 'host: message_ended']);
  });

  it('EVT-29 a slow consumer slows the reading of the model', async () => {
    let given = 0;
    const model = {
      async *stream() {
        for (; given < 100; given += 1) yield textDelta('x');
      },
    };
    const run = new Run({ model, tools: toolList() });
    let handled = 0;
    for await (const event of run.turn(hello)) {
      if (event.type !== 'text_delta') continue;
      await idle();
      expect(given - handled).toBeLessThanOrEqual(1);
      handled += 1;
    }
    expect(handled).toBe(100);
  });

  it('EVT-30 calls that run together queue up to emit, none is lost or halved', async () => {
    const chatty = toolOf(
      'chatty',
      async (_, call) => {
        for (let n = 0; n < 20; n += 1) await call.progress(n);
        return textResult('');
      },
      readOnly,
    );
    const { run } = start([[callDelta('c1', 'chatty'), callDelta('c2', 'chatty'), callDelta('c3', 'chatty')], 'ok'], {
      tools: toolList(chatty),
    });
    let handling = 0;
    const values = new Map<string, Json[]>();
    for await (const event of run.turn(hello)) {
      expect((handling += 1)).toBe(1);
      await idle();
      if (event.type === 'tool_progress') values.set(event.id, [...(values.get(event.id) ?? []), event.value]);
      handling -= 1;
    }
    const all = Array.from({ length: 20 }, (_, n) => n);
    expect([...values.values()]).toEqual([all, all, all]);
  });

  it('EVT-28 progress that a tool does not wait for still comes before its end', async () => {
    const hasty = toolOf('hasty', (_, call) => {
      void call.progress(1);
      void call.progress(2);
      return textResult('');
    });
    const { run } = start([[callDelta('c1', 'hasty')], 'ok'], { tools: toolList(hasty) });
    const events = await drain(run.turn(hello));
    expect(types(events).filter((type) => type === 'tool_progress' || type === 'tool_ended')).toEqual([
      'tool_progress',
      'tool_progress',
      'tool_ended',
    ]);
  });

  it('EVT-28 progress of a call that has ended is dropped', async () => {
    const gate = new Gate();
    let late: Promise<void> | undefined;
    const leaky = toolOf('leaky', (_, call) => {
      late = gate.wait().then(() => call.progress('late'));
      return textResult('');
    });
    const { run } = start([[callDelta('c1', 'leaky')], 'ok'], { tools: toolList(leaky) });
    const events = await new Reader(run.turn(hello), (event) => event.type === 'step_ended' && gate.open()).done;
    await late;
    expect(ofType(events, 'tool_progress')).toEqual([]);
  });
});

describe('nested runs', () => {
  it('EVT-32 EVT-33 put the same events into the stream, with the hosting call as parent', async () => {
    const events = await everything();
    const host = ofType(events, 'tool_call_started').find((event) => isTop(event) && event.name === 'nest');
    const nested = events.filter((event) => !isTop(event));
    expect(types(nested)).toEqual([
      'turn_started',
      'step_started',
      'message_started',
      'reasoning_delta',
      'text_delta',
      'message_ended',
      'step_ended',
      'turn_ended',
    ]);
    expect(new Set(nested.map((event) => event.parent))).toEqual(new Set([host?.id]));
    expect(ofType(events, 'turn_ended').filter(isTop)).toHaveLength(3);
  });

  it('EVT-32 an event of a grandchild keeps the call that hosts it', async () => {
    const leaf = start(['leaf']);
    const nesting = (name: string, child: Run) =>
      toolOf(name, async (_, call) => {
        for await (const event of child.turn(hello)) await call.nest(event);
        return textResult('');
      });
    const ids = countingIds();
    const middle = new Run({
      model: new FakeModel([[callDelta('c1', 'inner')], 'middle']),
      tools: toolList(nesting('inner', leaf.run)),
      mintId: (prefix) => `child_${ids(prefix)}`,
    });
    const { run } = start([[callDelta('c1', 'outer')], 'top'], { tools: toolList(nesting('outer', middle)) });
    const events = await drain(run.turn(hello));
    const parentOf = (text: string): string | null | undefined =>
      ofType(events, 'text_delta').find((event) => event.text === text)?.parent;
    expect([parentOf('top'), parentOf('middle'), parentOf('leaf')]).toEqual([null, 'call_1', 'child_call_1']);
  });

  it('EVT-33 EVT-34 a screen shows the top run only; a pause inside shows once', async () => {
    const childAsk = toolOf('ask', (_, call) => call.needsInput([approval('inner?')]));
    const child = start([[callDelta('c1', 'ask')]], { tools: toolList(childAsk) });
    const delegate = toolOf('delegate', async (_, call) => {
      for await (const event of child.run.turn(hello)) await call.nest(event);
      const needs = child.run
        .pending()
        .flatMap((pending) => pending.needs.map((need) => ({ ...need, id: `${pending.call.id}/${need.id}` })));
      return call.needsInput(needs, plain(child.run.messages()));
    });
    const { run } = start([[callDelta('c9', 'delegate')]], { tools: toolList(delegate) });
    const events = await drain(run.turn(hello));
    expect(ofType(events, 'input_requested')).toHaveLength(2);
    const view = events.reduce(fold, { ...emptyView, messages: [hello] });
    expect(view.pending).toEqual(run.pending());
    expect(view.messages).toEqual(run.messages());
  });
});

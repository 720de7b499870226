import { describe, expect, it } from 'vitest';
import {
  allow,
  approval,
  type CallView,
  deny,
  emptyView,
  errorResult,
  type Event,
  eventFromJSON,
  eventToJSON,
  fold,
  type Message,
  ModelError,
  type Part,
  progressTextLimit,
  question,
  resultsId,
  resultsMessage,
  textResult,
  Thrown,
  toolList,
  userText,
  type View,
} from '../../src/core/index.ts';
import { callDelta, Gate, reasoningDelta, type Script, textDelta } from '../../src/testing/index.ts';
import { drain, hello, Reader, readOnly, start, toolOf } from './support.ts';

const head = { turn: 1, parent: null };
const ask = toolOf('ask', (_, call) => (call.answers() === null ? call.needsInput([approval('may I?')]) : textResult('asked')));
const ok = toolOf('ok', undefined, readOnly);

/** The views that a screen has had, the first one before any event. */
function views(events: readonly Event[], from: View = { ...emptyView, messages: [hello] }): View[] {
  const all = [from];
  for (const event of events) all.push(fold(all.at(-1) as View, event));
  return all;
}

function callIn(view: View | undefined, id: string): CallView | undefined {
  return view?.step?.calls.find((call) => call.id === id);
}

describe('the fold of a whole turn', () => {
  it.each<[string, readonly Script[]]>([
    ['a text', ['Hi']],
    ['nothing', [[]]],
    ['reasoning and text', [[reasoningDelta('Hm'), textDelta('Hi'), reasoningDelta('again')]]],
    ['calls', [[callDelta('c1', 'ok', { a: 1 }), textDelta('and'), callDelta('c2', 'ok')], 'end']],
    ['an unknown tool', [[callDelta('c1', 'nobody')], 'end']],
    ['broken arguments', [[callDelta('c1', 'ok', '{"a"')], 'end']],
    ['a pause', [[callDelta('c1', 'ok'), callDelta('c2', 'ask')]]],
    ['a failure', [[callDelta('c1', 'ok')], [textDelta('half'), new ModelError('model_error', 'x')]]],
    ['opaque data of a provider', [[reasoningDelta('r', { signature: 's' }), textDelta('Hi')]]],
    ['two thoughts in a row', [[reasoningDelta('r'), { type: 'border' }, reasoningDelta('s'), textDelta('Hi')]]],
    [
      'data of a call, and what only its provider understands',
      [
        [
          { type: 'opaque', provider: { p: 1 } },
          { type: 'tool_call', name: 'ok', args: '{}', provider: { p: 2 } },
        ],
        'end',
      ],
    ],
  ])('EVT-05 MODEL-09 of %s equals the messages, over JSON as well', async (_, scripts) => {
    const { run } = start(scripts, { tools: toolList(ok, ask) });
    const events = await drain(run.turn(hello));
    const expected: View = { messages: run.messages(), step: null, pending: run.pending() };
    expect(views(events).at(-1)).toEqual(expected);
    const sent = events.flatMap((event) => eventFromJSON(eventToJSON(event)) ?? []);
    expect(views(sent).at(-1)).toEqual(expected);
  });

  it('LOOP-14 PAUSE-16 goes through pause and resume, whatever the answers are', async () => {
    const { run } = start([[callDelta('c1', 'ok'), callDelta('c2', 'ask'), callDelta('c3', 'ask')], 'end'], {
      tools: toolList(ok, ask),
    });
    const before = views(await drain(run.turn(hello))).at(-1) as View;
    const answers = run
      .pending()
      .map(({ call }, n) => ({ callId: call.id, decisions: { approval: n === 0 ? allow : deny('no') }, values: {} }));
    const after = views(await drain(run.turn(answers)), before).at(-1);
    expect(after).toEqual({ messages: run.messages(), step: null, pending: [] });
  });

  it('PAUSE-35 keeps the pending calls of a second pause, and a cancelled resume changes nothing', async () => {
    const rounds = toolOf('ask', (_, call) => {
      const round = Number(call.state() ?? 0);
      return round < 2 ? call.needsInput([question(`q${round}`, 'And?')], round + 1) : textResult('enough');
    });
    const { run } = start([[callDelta('c1', 'ok'), callDelta('c2', 'ask')], 'end'], { tools: toolList(ok, rounds) });
    let view = views(await drain(run.turn(hello))).at(-1) as View;
    const answers = (id: string) => run.pending().map(({ call }) => ({ callId: call.id, decisions: {}, values: { [id]: 'x' } }));
    view = views(await drain(run.turn(answers('q0'))), view).at(-1) as View;
    expect(view).toEqual({ messages: run.messages(), step: null, pending: run.pending() });
    const cancelled = await new Reader(run.turn(answers('q1')), (event) => event.type === 'step_started' && run.cancel()).done;
    view = views(cancelled, view).at(-1) as View;
    expect(view).toEqual({ messages: run.messages(), step: null, pending: run.pending() });
    expect(view.pending).toHaveLength(1);
    view = views(await drain(run.turn(answers('q1'))), view).at(-1) as View;
    expect(view).toEqual({ messages: run.messages(), step: null, pending: [] });
  });

  it('STEER-02 puts in what was interjected where it landed', async () => {
    const { run } = start([[callDelta('c1', 'ok')], 'One', 'Two'], { tools: toolList(ok) });
    const events = await new Reader(run.turn(hello), (event) => {
      if (event.type === 'tool_ended') run.interject(userText('s1', 'steer'));
      if (event.type === 'text_delta' && event.text === 'One') run.interject(userText('q1', 'queue'), 'queue');
    }).done;
    expect(views(events).at(-1)).toEqual({ messages: run.messages(), step: null, pending: [] });
  });

  it('FAIL-06 a discarded step leaves the screen at turn_ended', async () => {
    const { run } = start([[textDelta('half'), new Gate()]]);
    const all = views(await new Reader(run.turn(hello), (event) => event.type === 'text_delta' && run.cancel()).done);
    expect(all.at(-2)?.step?.content).toEqual([{ type: 'text', text: 'half' }]);
    expect(all.at(-1)).toEqual({ ...emptyView, messages: [hello] });
  });
});

describe('the step in progress', () => {
  it('EVT-01 grows with its deltas, and its calls go from preparing to done', async () => {
    const slow = toolOf('slow', async (_, call) => (await call.progress('so '), await call.progress('far'), textResult('end')));
    const { run } = start([[reasoningDelta('R'), textDelta('A'), textDelta('B'), callDelta('c1', 'slow', { a: 1 })], 'end'], {
      tools: toolList(slow),
    });
    const events = await drain(run.turn(hello));
    const all = views(events);
    const after = (type: Event['type'], nth = 0): View | undefined => {
      const places = events.flatMap((event, n) => (event.type === type ? [n + 1] : []));
      return all[places[nth] ?? -1];
    };
    expect(after('message_started')?.step).toMatchObject({ id: 'msg_1', content: [], calls: [] });
    expect(after('text_delta', 1)?.step?.content).toEqual([
      { type: 'reasoning', text: 'R' },
      { type: 'text', text: 'AB' },
    ]);
    expect(callIn(after('tool_call_started'), 'call_1')).toMatchObject({ state: 'preparing', input: null, json: '' });
    expect(callIn(after('tool_input_delta'), 'call_1')).toMatchObject({ state: 'preparing', json: '{"a":1}' });
    expect(callIn(after('tool_call_ready'), 'call_1')).toMatchObject({ state: 'ready', input: { a: 1 } });
    expect(callIn(after('tool_progress', 1), 'call_1')).toMatchObject({ progress: 'so far' });
    expect(callIn(after('tool_ended'), 'call_1')).toMatchObject({ state: 'done', outcome: textResult('end') });
    expect(after('step_ended')?.step).toBeNull();
  });

  it('EVT-19 a call that failed, by result or by exception, is shown as failed', () => {
    const opened: Event[] = [
      { ...head, type: 'step_started', n: 1 },
      { ...head, type: 'message_started', id: 'm' },
      { ...head, type: 'tool_call_started', id: 'a', name: 't' },
      { ...head, type: 'tool_call_started', id: 'b', name: 't' },
      { ...head, type: 'tool_ended', id: 'a', outcome: errorResult('no') },
      { ...head, type: 'tool_ended', id: 'b', outcome: new Thrown('Error', 'x') },
    ];
    const view = views(opened).at(-1);
    expect(view?.step?.calls.map((call) => call.state)).toEqual(['failed', 'failed']);
  });

  it('TOOL-13 keeps the newest text of a long progress; another kind of value replaces it', () => {
    const progress = (value: string | number): Event => ({ ...head, type: 'tool_progress', id: 'a', value });
    const opened = views([
      { ...head, type: 'message_started', id: 'm' },
      { ...head, type: 'tool_call_started', id: 'a', name: 't' },
    ]).at(-1) as View;
    const long = views([progress('x'.repeat(progressTextLimit)), progress('end')], opened).at(-1);
    const text = String(callIn(long, 'a')?.progress);
    expect(text).toHaveLength(progressTextLimit);
    expect(text.endsWith('xend')).toBe(true);
    expect(callIn(views([progress('a'), progress(7)], opened).at(-1), 'a')?.progress).toBe(7);
    expect(callIn(views([progress(7), progress('a'), progress('b')], opened).at(-1), 'a')?.progress).toBe('ab');
  });

  it('EVT-22 deltas of another message and of no message change nothing', () => {
    const view: View = { ...emptyView, messages: [hello] };
    const strays: Event[] = [
      { ...head, type: 'text_delta', id: 'other', text: 'x' },
      { ...head, type: 'tool_progress', id: 'other', value: 1 },
      { ...head, type: 'tool_ended', id: 'other', outcome: textResult('x') },
      { ...head, type: 'tool_call_started', id: 'other', name: 'x' },
      { ...head, type: 'step_ended', n: 1 },
    ];
    expect(views(strays, view).at(-1)).toEqual(view);
  });

  it('EVT-33 events of nested runs change nothing', async () => {
    const { run } = start([[textDelta('a'), callDelta('c1', 'ok')], 'b'], { tools: toolList(ok) });
    const nested = (await drain(run.turn(hello))).map((event): Event => ({ ...event, parent: 'call_9' }));
    const view: View = { ...emptyView, messages: [hello] };
    expect(views(nested, view).at(-1)).toBe(view);
  });

  it('EVT-05 never changes a view that it was given', async () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
        for (const inner of Object.values(Object.freeze(value))) freeze(inner);
      return value;
    };
    const { run } = start([[textDelta('a'), callDelta('c1', 'ok'), callDelta('c2', 'ask')]], { tools: toolList(ok, ask) });
    let view: View = freeze({ ...emptyView, messages: [hello] });
    for (const event of await drain(run.turn(hello))) view = freeze(fold(view, event));
    expect(view.pending).toHaveLength(1);
  });
});

describe('the message of results', () => {
  const assistant: Message = {
    id: 'm',
    role: 'assistant',
    content: ['a', 'b', 'c'].map((id): Part => ({ type: 'tool_call', id, name: 't', input: {} })),
  };

  it('TOOL-26 LOOP-14 keeps the order of the calls and joins what was there', () => {
    const first = resultsMessage(assistant, undefined, new Map([['c', textResult('C')]]));
    const second = resultsMessage(assistant, first ?? undefined, new Map([['a', textResult('A')]]));
    expect(second?.id).toBe(resultsId('m'));
    expect(second?.content.map((part) => part.type === 'tool_result' && part.callId)).toEqual(['a', 'c']);
  });

  it('LOOP-14 is none without a result', () => {
    expect(resultsMessage(assistant, undefined, new Map())).toBeNull();
  });
});

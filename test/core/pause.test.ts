import { describe, expect, it } from 'vitest';
import {
  allow,
  type Answer,
  approval,
  type Call,
  deny,
  errorResult,
  type Json,
  messageFromJSON,
  type Need,
  type Pending,
  question,
  type Result,
  type Run,
  textResult,
  toolCalls,
  toolList,
} from '../../src/core/index.ts';
import { callDelta } from '../../src/testing/index.ts';
import { brief, caught, drain, hello, ofType, plain, readOnly, start, toolOf, types } from './support.ts';

/** A tool that asks for `needs` and, when called again, tells what it was given. */
function asking(needs: readonly Need[], state?: Json, log: Call[] = []) {
  return toolOf('ask', (_, call): Result => {
    if (call.answers() === null) return state === undefined ? call.needsInput(needs) : call.needsInput(needs, state);
    log.push(call);
    return textResult('ran');
  });
}

/** A turn that ended with one call of `ask` pending. */
async function paused(needs: readonly Need[], state?: Json) {
  const log: Call[] = [];
  const { run, model } = start([[callDelta('c1', 'ask', { n: 1 })], 'ok'], { tools: toolList(asking(needs, state, log)) });
  const events = await drain(run.turn(hello));
  return { run, model, log, events };
}

function answer(given: Partial<Answer>): Answer {
  return { callId: 'call_1', decisions: {}, values: {}, ...given };
}

const choice = question('env', 'Where to?', ['staging', 'prod']);
const note = question('note', 'Release note?');

describe('asking', () => {
  it('TOOL-15 PAUSE-01 PAUSE-05 a tool that returns needsInput() ends the turn with the call pending', async () => {
    const { run, events } = await paused([approval('Save a note')]);
    expect(run.ended()?.reason).toBe('awaiting_input');
    expect(types(events).slice(-3)).toEqual(['input_requested', 'step_ended', 'turn_ended']);
    expect(ofType(events, 'tool_ended')).toEqual([]);
  });

  it('PAUSE-01 a tool middleware may ask as well; the tool does not run until it is answered', async () => {
    let ran = 0;
    const { run } = start([[callDelta('c1', 'write')], 'ok'], {
      tools: toolList(toolOf('write', () => textResult(String(++ran)))),
      middleware: [
        {
          call: (call, context, next) =>
            context.answers() === null ? context.needsInput([approval(call.name)]) : next(call, context),
        },
      ],
    });
    await drain(run.turn(hello));
    expect(ran).toBe(0);
    await drain(run.turn([answer({ decisions: { approval: allow } })]));
    expect(ran).toBe(1);
  });

  it('PAUSE-02 PAUSE-20 needs are approvals, by default of the id approval, and questions with choices or null', () => {
    expect(approval('why')).toEqual({ type: 'approval', id: 'approval', reason: 'why' });
    expect(note).toEqual({ type: 'question', id: 'note', text: 'Release note?', choices: null });
    expect(choice.choices).toEqual(['staging', 'prod']);
  });

  it("PAUSE-19 PAUSE-21 EVT-21 a Pending is the seeds' JSON to the letter", async () => {
    const one = await paused([approval('Save a note')]);
    const call = { type: 'tool_call', id: 'call_1', name: 'ask', input: { n: 1 } };
    const expected = [{ call, needs: [{ type: 'approval', id: 'approval', reason: 'Save a note' }], state: null }];
    expect(plain(one.run.pending())).toEqual(expected);
    expect(plain(one.run.ended()?.pending)).toEqual(expected);
    expect(plain(ofType(one.events, 'input_requested')[0]?.pending)).toEqual(expected);
    const two = await paused([choice, note], { build: 42 });
    expect(plain(two.run.pending())).toEqual([
      {
        call,
        needs: [
          { type: 'question', id: 'env', text: 'Where to?', choices: ['staging', 'prod'] },
          { type: 'question', id: 'note', text: 'Release note?', choices: null },
        ],
        state: { build: 42 },
      },
    ]);
  });

  it('PAUSE-03 two needs of one id in a call are misuse', async () => {
    const { run } = start([[callDelta('c1', 'ask')]], { tools: toolList(asking([approval('a'), approval('b')])) });
    const { error } = await caught(() => run.turn(hello));
    expect(error).toMatchObject({ code: 'need_ids_not_unique' });
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'tool_error', pending: [] });
  });

  it('PAUSE-03 the same need id in two calls is fine', async () => {
    const { run } = start([[callDelta('c1', 'ask'), callDelta('c2', 'ask')]], { tools: toolList(asking([approval('a')])) });
    await drain(run.turn(hello));
    expect(run.pending().map((pending) => pending.needs[0]?.id)).toEqual(['approval', 'approval']);
  });

  it("PAUSE-05 of several calls that ask, all are listed in the model's order", async () => {
    const tools = toolList(
      toolOf('w', (_, call) => call.needsInput([approval('w')])),
      toolOf('r', (_, call) => call.needsInput([approval('r')]), readOnly),
    );
    const { run } = start([[callDelta('c1', 'w'), callDelta('c2', 'r'), callDelta('c3', 'w')]], { tools });
    await drain(run.turn(hello));
    expect(run.pending().map((pending) => pending.call.id)).toEqual(['call_1', 'call_2', 'call_3']);
  });
});

describe('answers', () => {
  const wrong: [string, string, readonly Answer[]][] = [
    ['no answer at all', 'answer_invalid', []],
    ['another call', 'answer_invalid', [answer({ callId: 'call_9', decisions: { approval: allow } })]],
    [
      'the right call and another',
      'answer_invalid',
      [answer({ decisions: { approval: allow }, values: { env: 'prod' } }), answer({ callId: 'call_9' })],
    ],
    ['a missing need', 'answer_invalid', [answer({ decisions: { approval: allow } })]],
    ['an unknown need', 'answer_invalid', [answer({ decisions: { approval: allow, other: allow }, values: { env: 'prod' } })]],
    ['a value for an approval', 'answer_invalid', [answer({ values: { approval: true, env: 'prod' } })]],
    ['an allow for a question', 'answer_invalid', [answer({ decisions: { approval: allow, env: allow } })]],
    [
      'both a decision and a value',
      'answer_invalid',
      [answer({ decisions: { approval: allow, env: deny() }, values: { env: 'prod' } })],
    ],
    ['a value that is no choice', 'answer_not_a_choice', [answer({ decisions: { approval: allow }, values: { env: 'moon' } })]],
    ['a choice of another type', 'answer_not_a_choice', [answer({ decisions: { approval: allow }, values: { env: ['prod'] } })]],
    [
      'two answers to a call',
      'answer_invalid',
      [1, 2].map(() => answer({ decisions: { approval: allow }, values: { env: 'prod' } })),
    ],
  ];
  it.each(wrong)('PAUSE-06 PAUSE-09 PAUSE-10 with %s are refused as %s, and nothing runs', async (_, code, answers) => {
    const { run, model, log } = await paused([approval('may I?'), choice]);
    expect(() => run.turn(answers)).toThrow(expect.objectContaining({ code }));
    expect(run.isRunning()).toBe(false);
    expect(run.pending()).toHaveLength(1);
    expect(log).toEqual([]);
    expect(model.prompts).toHaveLength(1);
    await drain(run.turn([answer({ decisions: { approval: allow }, values: { env: 'prod' } })]));
    expect(run.ended()?.reason).toBe('done');
  });

  it('PAUSE-07 PAUSE-08 PAUSE-11 reach the call, which is made again under its id with its state', async () => {
    const { run, log } = await paused([approval('may I?'), choice, note], { build: 42 });
    const given = answer({ decisions: { approval: allow, note: deny('none') }, values: { env: 'prod' } });
    await drain(run.turn([given]));
    expect(log).toHaveLength(1);
    const call = log[0];
    expect(call?.id).toBe('call_1');
    expect(call?.answers()).toEqual(given);
    expect(call?.decision()).toEqual(allow);
    expect(call?.state()).toEqual({ build: 42 });
    expect(call?.pending()).toBeNull();
    expect(brief(run.messages())).toEqual(['user: Hello', 'assistant: [ask]', 'results: ran', 'assistant: ok']);
  });

  it('TOOL-16 PAUSE-11 a call without an approval has no decision(), one without a state none', async () => {
    const { run, log } = await paused([note]);
    await drain(run.turn([answer({ values: { note: 'x' } })]));
    expect(log[0]?.decision()).toBeNull();
    expect(log[0]?.state()).toBeNull();
  });

  it('PAUSE-17 PAUSE-18 PAUSE-22 are plain data, with a declined question among the decisions', async () => {
    const { run, log } = await paused([choice], 1);
    const given = JSON.parse(
      '[{"callId":"call_1","decisions":{"env":{"allowed":false,"reason":"later"}},"values":{}}]',
    ) as Answer[];
    await drain(run.turn(given));
    expect(plain(log[0]?.answers())).toEqual(given[0]);
  });

  it.each<Json>([0, false, '', [], {}, { deep: [null, { __proto__: 1 }] }])(
    'PAUSE-04 the state %j, like any JSON that is not null, is one and comes back',
    async (state) => {
      const { run, log } = await paused([approval('may I?')], state);
      expect(run.pending()[0]?.state).toEqual(state);
      await drain(run.turn([answer({ decisions: { approval: deny() } })]));
      expect(log[0]?.state()).toEqual(state);
    },
  );

  it('PAUSE-16 several calls are answered in one resume, each by its own id', async () => {
    const seen: unknown[] = [];
    const ask = toolOf('ask', (_, call) => {
      if (call.answers() === null) return call.needsInput([note]);
      seen.push([call.id, call.answers()?.values.note]);
      return textResult(String(call.answers()?.values.note));
    });
    const { run } = start([[callDelta('c1', 'ask'), callDelta('c2', 'ask')], 'ok'], { tools: toolList(ask) });
    await drain(run.turn(hello));
    expect(() => run.turn([answer({ values: { note: 'one' } })])).toThrow(expect.objectContaining({ code: 'answer_invalid' }));
    await drain(run.turn([answer({ callId: 'call_2', values: { note: 'two' } }), answer({ values: { note: 'one' } })]));
    expect(seen).toEqual([
      ['call_1', 'one'],
      ['call_2', 'two'],
    ]);
    expect(brief(run.messages())[2]).toBe('results: one | two');
  });

  it('PAUSE-32 given twice are refused the second time, and the call runs once', async () => {
    const { run, log } = await paused([approval('may I?')]);
    const given = [answer({ decisions: { approval: allow } })];
    await drain(run.turn(given));
    expect(() => run.turn(given)).toThrow(expect.objectContaining({ code: 'nothing_pending' }));
    expect(log).toHaveLength(1);
  });
});

describe('denials', () => {
  it('PAUSE-12 with a state the call is made again and handles the denial itself', async () => {
    const { run, log } = await paused([approval('may I?')], { step: 1 });
    await drain(run.turn([answer({ decisions: { approval: deny('no') } })]));
    expect(log[0]?.decision()).toEqual({ allowed: false, reason: 'no' });
    expect(brief(run.messages())[2]).toBe('results: ran');
  });

  it.each<[string, readonly Need[], Answer['decisions'], string]>([
    ['a reason', [approval('a')], { approval: deny('not now') }, 'Denied: not now'],
    ['no reason', [approval('a')], { approval: deny() }, 'Denied'],
    ['several reasons', [approval('a', 'a'), approval('b', 'b')], { a: deny('one'), b: deny('two') }, 'Denied: one; two'],
    ['one of two denied', [approval('a', 'a'), approval('b', 'b')], { a: allow, b: deny('two') }, 'Denied: two'],
    ['one of two reasons', [approval('a', 'a'), approval('b', 'b')], { a: deny(), b: deny('two') }, 'Denied: two'],
  ])('PAUSE-13 without a state a denied approval, %s, settles the call', async (_, needs, decisions, text) => {
    const { run, log } = await paused(needs);
    const events = await drain(run.turn([answer({ decisions })]));
    expect(log).toEqual([]);
    expect(ofType(events, 'tool_ended')[0]?.outcome).toEqual(errorResult(text));
    expect(brief(run.messages())[2]).toBe(`results: !${text}`);
    expect(run.ended()?.reason).toBe('done');
  });

  it('PAUSE-14 a declined question reaches the tool', async () => {
    const { run, log } = await paused([approval('a'), note]);
    await drain(run.turn([answer({ decisions: { approval: allow, note: deny('none') } })]));
    expect(log[0]?.answers()?.decisions.note).toEqual({ allowed: false, reason: 'none' });
  });

  it('PAUSE-14 unless an approval of the same call was denied too', async () => {
    const { run, log } = await paused([approval('a'), note]);
    await drain(run.turn([answer({ decisions: { approval: deny('no'), note: deny() } })]));
    expect(log).toEqual([]);
    expect(brief(run.messages())[2]).toBe('results: !Denied: no');
  });

  it('PAUSE-21 a state of null is no state', async () => {
    const { run, log } = await paused([approval('a')], null);
    await drain(run.turn([answer({ decisions: { approval: deny() } })]));
    expect(log).toEqual([]);
  });

  it('PAUSE-13 denying one call leaves the other to run', async () => {
    const ran: string[] = [];
    const ask = toolOf('ask', (_, call) => {
      if (call.answers() === null) return call.needsInput([approval('a')]);
      ran.push(call.id);
      return textResult('ran');
    });
    const { run } = start([[callDelta('c1', 'ask'), callDelta('c2', 'ask')], 'ok'], { tools: toolList(ask) });
    await drain(run.turn(hello));
    await drain(
      run.turn([answer({ decisions: { approval: deny('no') } }), answer({ callId: 'call_2', decisions: { approval: allow } })]),
    );
    expect(ran).toEqual(['call_2']);
    expect(brief(run.messages())[2]).toBe('results: !Denied: no | ran');
  });
});

describe('resuming elsewhere and later', () => {
  it('PAUSE-22 PAUSE-23 messages and pending are all it takes', async () => {
    const old = await paused([approval('may I?'), choice], { build: 42 });
    const saved = JSON.parse(JSON.stringify({ messages: old.run.messages(), pending: old.run.pending() })) as {
      messages: Json[];
      pending: Pending[];
    };
    const log: Call[] = [];
    const fresh = start(['ok'], {
      tools: toolList(asking([approval('may I?'), choice], { build: 42 }, log)),
      messages: saved.messages.map(messageFromJSON),
      pending: saved.pending,
    });
    await drain(fresh.run.turn([answer({ decisions: { approval: allow }, values: { env: 'prod' } })]));
    expect(log[0]?.state()).toEqual({ build: 42 });
    expect(brief(fresh.run.messages())).toEqual(['user: Hello', 'assistant: [ask]', 'results: ran', 'assistant: ok']);
    expect(brief(fresh.model.prompts[0]?.messages ?? [])).toEqual(['user: Hello', 'assistant: [ask]', 'results: ran']);
  });

  it('PAUSE-23 results known before the pause come along, under the id of their message', async () => {
    const tools = toolList(asking([approval('may I?')]), toolOf('ok', undefined, readOnly));
    const old = start([[callDelta('c1', 'ok'), callDelta('c2', 'ask'), callDelta('c3', 'ok')]], { tools });
    await drain(old.run.turn(hello));
    const fresh = start(['end'], { tools, messages: old.run.messages(), pending: old.run.pending() });
    await drain(fresh.run.turn([answer({ callId: 'call_2', decisions: { approval: allow } })]));
    expect(brief(fresh.run.messages())).toEqual([
      'user: Hello',
      'assistant: [ok] [ask] [ok]',
      'results: ok | ran | ok',
      'assistant: end',
    ]);
    expect(fresh.run.messages()[2]?.id).toBe(old.run.messages()[2]?.id);
  });

  it('PAUSE-33 a tool that is no longer offered gives the unknown-tool result', async () => {
    const old = await paused([approval('may I?')]);
    const fresh = start(['ok'], { tools: toolList(toolOf('other')), messages: old.run.messages(), pending: old.run.pending() });
    await drain(fresh.run.turn([answer({ decisions: { approval: allow } })]));
    expect(brief(fresh.run.messages())[2]).toMatch(/^results: !.*other/);
    expect(fresh.run.ended()?.reason).toBe('done');
  });

  it('PAUSE-33 the input is checked again, against the schema of then', async () => {
    const old = await paused([approval('may I?')]);
    let ran = false;
    const stricter = {
      ...toolOf('ask', () => ((ran = true), textResult(''))),
      check: async () => [{ path: 'n', message: 'is gone' }],
    };
    const fresh = start(['ok'], { tools: toolList(stricter), messages: old.run.messages(), pending: old.run.pending() });
    await drain(fresh.run.turn([answer({ decisions: { approval: allow } })]));
    expect(ran).toBe(false);
    expect(brief(fresh.run.messages())[2]).toMatch(/^results: !.*n: is gone/);
  });

  it('PAUSE-33 the middleware of then is asked again', async () => {
    const old = await paused([approval('may I?')]);
    const fresh = start(['ok'], {
      tools: toolList(asking([approval('may I?')])),
      messages: old.run.messages(),
      pending: old.run.pending(),
      middleware: [{ call: () => errorResult('Forbidden by now') }],
    });
    await drain(fresh.run.turn([answer({ decisions: { approval: allow } })]));
    expect(brief(fresh.run.messages())[2]).toBe('results: !Forbidden by now');
  });

  it('PAUSE-34 answered calls run in step 0, read-only ones together, the others in order', async () => {
    const log: string[] = [];
    const phased = (name: string, hints = {}) =>
      toolOf(
        name,
        async (_, call) => {
          if (call.answers() === null) return call.needsInput([approval(name)]);
          log.push(`${name} begins`);
          await call.progress(name);
          log.push(`${name} ends`);
          return textResult(name);
        },
        hints,
      );
    const tools = toolList(phased('w1'), phased('r1', readOnly), phased('w2'), phased('r2', readOnly));
    const { run } = start([['w1', 'r1', 'w2', 'r2'].map((name) => callDelta(name, name)), 'ok'], { tools });
    await drain(run.turn(hello));
    const events = await drain(
      run.turn(run.pending().map(({ call }) => answer({ callId: call.id, decisions: { approval: allow } }))),
    );
    expect(log.slice(0, 2)).toEqual(['r1 begins', 'r2 begins']);
    expect(log.slice(4)).toEqual(['w1 begins', 'w1 ends', 'w2 begins', 'w2 ends']);
    expect(brief(run.messages())[2]).toBe('results: w1 | r1 | w2 | r2');
    expect(ofType(events, 'step_started')[0]?.n).toBe(0);
  });

  it('PAUSE-35 a call that asks again leaves the turn awaiting again, with its new needs', async () => {
    const rounds = toolOf('ask', (_, call) => {
      const round = Number(call.state() ?? 0);
      return round < 2 ? call.needsInput([question(`q${round}`, 'And?')], round + 1) : textResult('enough');
    });
    const { run, model } = start([[callDelta('c1', 'ask')], 'ok'], { tools: toolList(rounds) });
    await drain(run.turn(hello));
    for (const id of ['q0', 'q1']) {
      expect(run.pending().map((pending) => pending.needs[0]?.id)).toEqual([id]);
      expect(run.ended()).toMatchObject({ reason: 'awaiting_input', finish: 'tool_calls' });
      await drain(run.turn([answer({ values: { [id]: 'x' } })]));
    }
    expect(run.ended()?.reason).toBe('done');
    expect(model.prompts).toHaveLength(2);
    expect(brief(run.messages())[2]).toBe('results: enough');
  });

  it('PAUSE-35 when one of two answered calls asks again, the result of the other is kept', async () => {
    const counts = new Map<string, number>();
    const ask = toolOf('ask', (_, call) => {
      if (call.answers() === null) return call.needsInput([note]);
      const count = (counts.get(call.id) ?? 0) + 1;
      counts.set(call.id, count);
      return call.id === 'call_2' && count === 1 ? call.needsInput([note]) : textResult(call.id);
    });
    const { run } = start([[callDelta('c1', 'ask'), callDelta('c2', 'ask')], 'ok'], { tools: toolList(ask) });
    const all = (run: Run) => run.pending().map(({ call }) => answer({ callId: call.id, values: { note: 'x' } }));
    await drain(run.turn(hello));
    await drain(run.turn(all(run)));
    expect(run.pending().map((pending) => pending.call.id)).toEqual(['call_2']);
    expect(brief(run.messages())[2]).toBe('results: call_1');
    await drain(run.turn(all(run)));
    expect(brief(run.messages())[2]).toBe('results: call_1 | call_2');
    expect(counts).toEqual(
      new Map([
        ['call_1', 1],
        ['call_2', 2],
      ]),
    );
  });

  it('PAUSE-30 PAUSE-31 ids that a provider repeats over turns never meet: ours are unique and hold no slash', async () => {
    const { run } = start([[callDelta('c/1', 'ok'), callDelta('c/1', 'ok')], 'end', [callDelta('c/1', 'ok')], 'end'], {
      tools: toolList(toolOf('ok')),
    });
    await drain(run.turn(hello));
    await drain(run.turn({ ...hello, id: 'u2' }));
    const calls = run.messages().flatMap(toolCalls);
    expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length);
    expect(calls.every((call) => !call.id.includes('/') && call.providerId === 'c/1')).toBe(true);
  });
});

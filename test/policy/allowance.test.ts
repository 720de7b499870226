import { describe, expect, it } from 'vitest';
import {
  AllowanceError,
  Cancelled,
  type Event,
  type Message,
  type Middleware,
  ModelError,
  type Prompt,
  Run,
  textResult,
  tool,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { retryModel } from '../../src/models/index.ts';
import { type Ask, allowance } from '../../src/policy/index.ts';
import { callDelta, countingIds, FakeClock, FakeModel, Gate, TestPrompt } from '../../src/testing/index.ts';

const act = tool({
  name: 'act',
  description: '',
  input: { type: 'object' },
  hints: { readOnly: true },
  call: () => textResult('ran'),
});

/** Takes a turn that asks `ask`; gives its end, and what was asked about. */
async function turn(model: FakeModel, ask: Ask, outside: readonly Middleware[] = []) {
  const asked: Prompt[] = [];
  const asking: Ask = (prompt) => {
    asked.push(prompt);
    return ask(prompt);
  };
  const middleware = [...outside, allowance(asking)];
  const run = new Run({ model, tools: toolList(act), middleware, mintId: countingIds() });
  const events: Event[] = [];
  for await (const event of run.turn(userText('u1', 'Go'))) events.push(event);
  return { asked, ended: run.ended(), events, run };
}

const grants: Ask = async () => null;
const said = (messages: readonly Message[]): string[] => messages.map(({ role }) => role);

describe('the allowance', () => {
  it('MW-01 is asked before each call of the model, with the prompt, and a call that it grants is made as it is', async () => {
    const model = new FakeModel([[callDelta('c1', 'act')], 'end']);
    const { asked, ended } = await turn(model, grants);
    expect(ended).toMatchObject({ reason: 'done' });
    expect(asked).toEqual(model.prompts);
    expect(asked.map((prompt) => said(prompt.messages))).toEqual([['user'], ['user', 'assistant', 'user']]);
  });

  it('MW-14 is asked again before a call that is tried again', async () => {
    const model = new FakeModel([[new ModelError('rate_limited', 'slow down', 1)], 'end']);
    const clock = new FakeClock();
    const playing = turn(model, grants, [retryModel({ clock })]);
    await clock.sleeping();
    clock.advance(1);
    const { asked, ended } = await playing;
    expect([asked.length, model.prompts.length, ended?.reason]).toEqual([2, 2, 'done']);
  });

  it('FAIL-06 FAIL-09 a refusal fails the turn before the model is called; the message and the complete steps are kept', async () => {
    const model = new FakeModel([[callDelta('c1', 'act')], 'never']);
    let calls = 0;
    const ask: Ask = async () => ((calls += 1) === 1 ? null : { code: 'spent', detail: 'All is spent: raise the cap.' });
    const { ended, events, run } = await turn(model, ask, [retryModel({ clock: new FakeClock() })]);
    expect(model.prompts).toHaveLength(1);
    expect(ended).toMatchObject({ reason: 'failed', errorKind: 'rate_limited', error: { code: 'spent', retryAfter: null } });
    const error = { class: 'spent', message: 'All is spent: raise the cap.' };
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', error });
    expect(said(run.messages())).toEqual(['user', 'assistant', 'user']);
  });

  it('MW-14 a refusal that says when is tried again then, and the model is called once it is granted', async () => {
    const model = new FakeModel(['end']);
    const clock = new FakeClock();
    let calls = 0;
    const ask: Ask = async () => ((calls += 1) === 1 ? { code: 'busy', detail: 'Busy.', retryAfter: 700 } : null);
    const playing = turn(model, ask, [retryModel({ clock })]);
    await clock.sleeping();
    clock.advance(700);
    const { ended } = await playing;
    expect([ended?.reason, calls, model.prompts.length, clock.asked]).toEqual(['done', 2, 1, [700]]);
  });

  it.each<[string, number | undefined]>([
    ['names no time', undefined],
    ['names a time above the cap', 60_001],
  ])('MW-14 a refusal that %s is not tried again', async (_, retryAfter) => {
    const refusal = { code: 'spent', detail: 'Spent.', ...(retryAfter === undefined ? {} : { retryAfter }) };
    const { asked, ended } = await turn(new FakeModel([]), async () => refusal, [retryModel({ clock: new FakeClock() })]);
    expect([asked.length, ended?.errorKind]).toEqual([1, 'rate_limited']);
    expect(ended?.error).toBeInstanceOf(AllowanceError);
  });

  it('CANC-03 a turn that is stopped while it is asked about ends so, and the model is not called', async () => {
    const gate = new Gate();
    const cancel = new AbortController();
    const model = new FakeModel(['never']);
    const stream = allowance(async () => {
      await gate.wait();
      return null;
    }).stream(new TestPrompt({ cancel: cancel.signal }), (prompt) => model.stream(prompt));
    const first = Promise.resolve(stream[Symbol.asyncIterator]().next());
    await gate.reached;
    cancel.abort();
    gate.open();
    await expect(first).rejects.toThrow(Cancelled);
    expect(model.prompts).toEqual([]);
  });

  it('FAIL-12 an asker that breaks fails the turn as a middleware does', async () => {
    const { ended } = await turn(new FakeModel([]), () => Promise.reject(new Error('away')));
    expect(ended).toMatchObject({ reason: 'failed', errorKind: 'middleware_error' });
  });
});

import { describe, expect, it } from 'vitest';
import { allow, deny, type Hints, Run, textResult, tool, toolList, userText } from '../../src/core/index.ts';
import { type GuardInit, guard, policyOf, type Rule } from '../../src/policy/index.ts';
import { callDelta, FakeModel } from '../../src/testing/index.ts';

interface Init extends Partial<GuardInit> {
  readonly rules?: readonly Rule[];
  readonly hints?: Hints;
}

/** A turn that calls `act`, and after it whatever else the run is asked. */
async function acted({ rules = [], hints = {}, ...init }: Init) {
  let ran = 0;
  const given = { policy: policyOf(rules), mode: 'chat', ...init };
  const act = tool({
    name: 'act',
    description: '',
    input: { type: 'object' },
    hints,
    call: () => textResult(`ran ${(ran += 1)}`),
  });
  const model = new FakeModel([[callDelta('c1', 'act', '{"path":"a"}')], 'end']);
  // Read at each call, as a deploy between question and answer may change it.
  const run = new Run({
    model,
    tools: toolList(act),
    middleware: [{ call: (call, context, next) => guard(given).call(call, context, next) }],
  });
  let error: unknown;
  const turn = async (input: Parameters<Run['turn']>[0]): Promise<void> => {
    try {
      for await (const _ of run.turn(input));
    } catch (thrown) {
      error = thrown;
    }
  };
  await turn(userText('u1', 'Go'));
  const answer = (decision = allow) =>
    turn(run.pending().map(({ call }) => ({ callId: call.id, decisions: { approval: decision }, values: {} })));
  const result = () =>
    run.messages().flatMap((message) => message.content.flatMap((part) => (part.type === 'tool_result' ? [part] : [])))[0];
  return { run, given, answer, result, ran: () => ran, error: () => error };
}

const text = (value: string, error: boolean) => ({ content: [{ type: 'text', text: value }], error });

describe('the guard', () => {
  it('POL-01 POL-04 what is denied does not run, and the model is told why', async () => {
    const { run, result, ran } = await acted({
      rules: [{ name: 'never', effect: 'deny', reason: 'not in this house', tools: ['act'] }],
    });
    expect(ran()).toBe(0);
    expect(run.ended()?.reason).toBe('done');
    expect(result()).toMatchObject(text('Denied: act is denied by the rule never: not in this house', true));
  });

  it('MW-17 SHELL-21 a tool may be denied by what it says of itself', async () => {
    const rules: readonly Rule[] = [{ name: 'nothing-destructive', effect: 'deny', hints: { destructive: true } }];
    expect((await acted({ rules, hints: { destructive: true } })).ran()).toBe(0);
    expect((await acted({ rules, hints: { readOnly: true } })).ran()).toBe(1);
  });

  it('POL-01 what is allowed runs without a question', async () => {
    const { run, ran } = await acted({ rules: [{ name: 'yes', effect: 'allow', tools: ['act'] }] });
    expect([ran(), run.ended()?.reason]).toEqual([1, 'done']);
  });

  it('POL-03 what is asked about pauses with one approval that says which rule wants it', async () => {
    const { run, ran } = await acted({
      rules: [{ name: 'careful', effect: 'ask', reason: 'it is slow', tools: ['act'] }],
      hints: { readOnly: true },
    });
    expect(ran()).toBe(0);
    expect(run.pending()).toMatchObject([
      {
        call: { name: 'act' },
        needs: [{ type: 'approval', id: 'approval', reason: 'act needs leave by the rule careful: it is slow' }],
        state: null,
      },
    ]);
  });

  it('POL-07 an approved call runs without a second question', async () => {
    const { run, answer, ran } = await acted({});
    await answer();
    expect([ran(), run.ended()?.reason]).toEqual([1, 'done']);
  });

  it('POL-07 PAUSE-13 a denied one does not', async () => {
    const { answer, result, ran } = await acted({});
    await answer(deny('no'));
    expect(ran()).toBe(0);
    expect(result()).toMatchObject(text('Denied: no', true));
  });

  it('POL-07 G-1 a rule that came since the question denies an approved call', async () => {
    const { answer, given, result, ran } = await acted({});
    given.policy = policyOf([{ name: 'new', effect: 'deny' }]);
    await answer();
    expect(ran()).toBe(0);
    expect(result()).toMatchObject(text('Denied: act is denied by the rule new', true));
  });

  it('MW-19 PERM-10 asks nothing about a tool that nobody offers', async () => {
    const model = new FakeModel([[callDelta('c1', 'nobody')], 'end']);
    const asked = guard({ policy: policyOf([]), mode: 'chat', canCall: () => false });
    const run = new Run({ model, tools: toolList(), middleware: [asked] });
    for await (const _ of run.turn(userText('u1', 'Go')));
    expect(run.ended()?.reason).toBe('done');
    expect(JSON.stringify(model.prompts[1]?.messages.at(-1))).toContain('There is no tool named nobody');
  });
});

describe('permission for a call', () => {
  it('PERM-08 a refused call gives a decision of the host, and does not run', async () => {
    const { run, result, ran } = await acted({
      hints: { readOnly: true },
      canCall: () => ({ allowed: false, reason: 'only under b' }),
    });
    expect([ran(), run.ended()?.reason]).toEqual([0, 'done']);
    expect(result()).toMatchObject(text('{"allowed":false,"decidedBy":"host","tool":"act","reason":"only under b"}', true));
    expect((await acted({ hints: { readOnly: true }, canCall: async () => false })).result()).toMatchObject({ error: true });
  });

  it('PERM-02 PERM-03 it is given the tool and the arguments', async () => {
    const asked: unknown[] = [];
    await acted({ canCall: ({ input }, spec) => asked.push([input, spec.name]) > 0 });
    expect(asked).toEqual([[{ path: 'a' }, 'act']]);
  });

  it('PERM-08 C-14 a call that is refused is not asked about, and one that the policy denies is not put to it', async () => {
    const { run } = await acted({ canCall: () => false });
    expect(run.ended()?.reason).toBe('done');
    let put = 0;
    await acted({ rules: [{ name: 'never', effect: 'deny' }], canCall: () => (put += 1) > 0 });
    expect(put).toBe(0);
  });

  it('PERM-12 it is asked again when an approved call resumes', async () => {
    const { answer, given, result, ran } = await acted({ canCall: () => true });
    given.canCall = () => false;
    await answer();
    expect(ran()).toBe(0);
    expect(result()).toMatchObject({ error: true });
  });

  it('PERM-09 a call that may be made is as it was', async () => {
    const { result } = await acted({ hints: { readOnly: true }, canCall: () => true });
    expect(result()).toMatchObject(text('ran 1', false));
  });

  it('what it throws ends the turn, and the call does not run', async () => {
    const { run, ran } = await acted({
      hints: { readOnly: true },
      canCall: () => {
        throw new Error('no directory');
      },
    });
    expect([ran(), run.ended()?.reason]).toEqual([0, 'failed']);
  });
});

import { describe, expect, it } from 'vitest';
import { allow, deny, Run, textResult, tool, toolList, userText } from '../../src/core/index.ts';
import { approveWrites } from '../../src/policy/index.ts';
import { callDelta, FakeModel, TestCall } from '../../src/testing/index.ts';

/** A run of one turn that called `name`, and how often the tools ran. */
async function called(name: string) {
  let ran = 0;
  const counted = (name: string, hints = {}) =>
    tool({ name, description: '', input: { type: 'object' }, hints, call: () => textResult(`${name} ${(ran += 1)}`) });
  const model = new FakeModel([[callDelta('c1', name)], 'end']);
  const tools = toolList(counted('write'), counted('read', { readOnly: true }), counted('odd', { readOnly: false }));
  const run = new Run({ model, tools, middleware: [approveWrites()] });
  for await (const _ of run.turn(userText('u1', 'Go')));
  return { run, model, ran: () => ran };
}

async function answered(run: Run, decision: typeof allow): Promise<void> {
  const answers = run.pending().map(({ call }) => ({ callId: call.id, decisions: { approval: decision }, values: {} }));
  for await (const _ of run.turn(answers));
}

describe('approve-writes', () => {
  it.each(['write', 'odd'])('MW-15 TOOL-30 asks before a call of %s, which is not read-only', async (name) => {
    const { run, ran } = await called(name);
    expect(run.ended()?.reason).toBe('awaiting_input');
    expect(run.pending()).toMatchObject([
      { call: { name }, needs: [{ type: 'approval', id: 'approval', reason: `${name} changes files` }], state: null },
    ]);
    expect(ran()).toBe(0);
  });

  it('MW-15 lets a read-only call pass without asking', async () => {
    const { run, ran } = await called('read');
    expect(run.ended()?.reason).toBe('done');
    expect(ran()).toBe(1);
  });

  it('MW-15 MW-19 asks nothing about a tool that nobody offers: the model is told there is none', async () => {
    const { run, model, ran } = await called('nobody');
    expect(run.ended()?.reason).toBe('done');
    expect(ran()).toBe(0);
    expect(JSON.stringify(model.prompts[1]?.messages.at(-1))).toContain('"error":true');
  });

  it('MW-16 an approved call runs on resume, once', async () => {
    const { run, ran } = await called('write');
    await answered(run, allow);
    expect(ran()).toBe(1);
    expect(run.ended()?.reason).toBe('done');
  });

  it('MW-16 PAUSE-13 a denied one does not', async () => {
    const { run, model, ran } = await called('write');
    await answered(run, deny('not here'));
    expect(ran()).toBe(0);
    expect(JSON.stringify(model.prompts[1]?.messages.at(-1))).toContain('Denied: not here');
  });

  it('MW-16 a call with any answer passes, also when the tool asked for something else', async () => {
    const call = new TestCall({
      spec: { name: 'write', description: '', input: { type: 'object' }, hints: {} },
      answer: { values: { q: 1 } },
    });
    const part = { type: 'tool_call', id: call.id, name: 'write', input: {} } as const;
    const result = await approveWrites().call(part, call, async () => textResult('ran'));
    expect(result).toEqual(textResult('ran'));
    expect(call.pending()).toBeNull();
  });
});

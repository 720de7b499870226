import { describe, expect, it } from 'vitest';
import {
  allow,
  type Answer,
  approval,
  deny,
  type Event,
  type Need,
  type Pending,
  question,
  Run,
  type Result,
  textResult,
  type Tool,
  tool,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { answerInline, approveWrites } from '../../src/policy/index.ts';
import { callDelta, countingIds, FakeModel } from '../../src/testing/index.ts';

/** Takes one turn that calls `made`; a person who is there answers with `ask`. */
async function turn(made: Tool, ask: (pending: Pending) => Omit<Answer, 'callId'>) {
  const asked: Pending[] = [];
  const terminal = answerInline(async (pending) => {
    asked.push(pending);
    return ask(pending);
  });
  const model = new FakeModel([[callDelta('c1', made.spec.name)], 'end']);
  const run = new Run({ model, tools: toolList(made), middleware: [terminal, approveWrites()], mintId: countingIds() });
  const events: Event[] = [];
  let error: unknown;
  try {
    for await (const event of run.turn(userText('u1', 'Go'))) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  const results = run.messages().flatMap((message) => message.content.filter((part) => part.type === 'tool_result'));
  return { run, asked, events, error, result: results[0] };
}

function made(call: Tool['call'], readOnly = false): Tool {
  return tool({ name: 'act', description: '', input: { type: 'object' }, hints: { readOnly }, call });
}
const seen = (text: string, error = false) => ({ content: [{ type: 'text', text }], error });
const approved = { decisions: { approval: allow }, values: {} };

describe('answering inline', () => {
  it('PAUSE-26 EVT-27 asks, answers in place and calls again, in the same turn and without an event of the pause', async () => {
    const { run, asked, events, result } = await turn(
      made(() => textResult('ran')),
      () => approved,
    );
    expect(asked).toMatchObject([{ call: { id: 'call_1', name: 'act' }, needs: [{ reason: 'act changes files' }] }]);
    expect(result).toMatchObject(seen('ran'));
    expect(run.ended()).toMatchObject({ reason: 'done', pending: [] });
    expect(events.map((event) => event.type)).not.toContain('input_requested');
    expect(events.map((event) => event.type)).not.toContain('tool_decided');
  });

  it('PAUSE-26 a call that asks nothing is not asked about', async () => {
    const { asked, result } = await turn(
      made(() => textResult('ran'), true),
      () => approved,
    );
    expect(asked).toEqual([]);
    expect(result).toMatchObject(seen('ran'));
  });

  it.each<[string | null, string]>([
    ['the user said no', 'Denied: the user said no'],
    [null, 'Denied'],
  ])('PAUSE-27 without a state a denial for %s is the error result, and the call is not made again', async (reason, text) => {
    let ran = false;
    const { run, result } = await turn(
      made(() => ((ran = true), textResult(''))),
      () => ({ decisions: { approval: deny(reason) }, values: {} }),
    );
    expect(ran).toBe(false);
    expect(result).toMatchObject(seen(text, true));
    expect(run.ended()?.reason).toBe('done');
  });

  const asking = (needs: readonly Need[], state: number | null) =>
    made((_, call): Result => {
      if (call.answers() === null) return call.needsInput(needs, state);
      return textResult(JSON.stringify([call.decision()?.allowed, call.answers()?.values, call.state()]));
    }, true);

  it('PAUSE-27 PAUSE-12 with a state the call is made again and sees the denial', async () => {
    const { result } = await turn(asking([approval('may I?')], 7), () => ({ decisions: { approval: deny() }, values: {} }));
    expect(result).toMatchObject(seen('[false,{},7]'));
  });

  it('PAUSE-27 PAUSE-14 a declined question reaches the tool', async () => {
    const { result } = await turn(asking([question('q', 'Which?')], null), () => ({ decisions: { q: deny() }, values: {} }));
    expect(result).toMatchObject(seen('[null,{},null]'));
  });

  it('PAUSE-28 answers round after round, until the call asks no more', async () => {
    const rounds = made((_, call): Result => {
      const got = call.answers()?.values ?? {};
      if (call.answers() === null) return call.needsInput([question('first', 'One?')], []);
      if ('first' in got) return call.needsInput([question('second', 'Two?')], [got.first ?? null]);
      return textResult(JSON.stringify([call.state(), got.second]));
    }, true);
    const { asked, result } = await turn(rounds, (pending) => {
      const id = pending.needs[0]?.id ?? '';
      return { decisions: {}, values: { [id]: `answer to ${id}` } };
    });
    expect(asked.map((pending) => pending.needs[0]?.id)).toEqual(['first', 'second']);
    expect(result).toMatchObject(seen('[["answer to first"],"answer to second"]'));
  });

  it('PAUSE-28 serves a paused sub-agent: its needs go up under its call ids, the answers go down', async () => {
    const ran: string[] = [];
    const write = tool({
      name: 'write',
      description: '',
      input: { type: 'object' },
      call: (_, call) => (ran.push(call.id), textResult('')),
    });
    const model = new FakeModel([[callDelta('c1', 'write')], [callDelta('c2', 'write')], 'child done']);
    const child = new Run({ model, tools: toolList(write), middleware: [approveWrites()], mintId: countingIds() });
    const delegate = made(async (_, call): Promise<Result> => {
      const answers = child.pending().map((pending) => ({
        callId: pending.call.id,
        decisions: { approval: call.answers()?.decisions[`${pending.call.id}/approval`] ?? deny() },
        values: {},
      }));
      for await (const event of child.turn(call.answers() === null ? userText('u', 'Go') : answers)) await call.nest(event);
      const needs = child
        .pending()
        .flatMap(({ call: inner, needs }) => needs.map((need) => ({ ...need, id: `${inner.id}/${need.id}` })));
      return needs.length > 0 ? call.needsInput(needs, 'child') : textResult('child done');
    }, true);
    const { asked, result } = await turn(delegate, (pending) => ({
      decisions: Object.fromEntries(pending.needs.map((need) => [need.id, allow])),
      values: {},
    }));
    expect(asked.map((pending) => pending.needs[0]?.id)).toEqual(['call_1/approval', 'call_2/approval']);
    expect(ran).toEqual(['call_1', 'call_2']);
    expect(result).toMatchObject(seen('child done'));
  });

  it('PAUSE-26 PAUSE-10 an answer that does not fit is misuse', async () => {
    const { run, error } = await turn(
      made(() => textResult('')),
      () => ({ decisions: {}, values: {} }),
    );
    expect(error).toMatchObject({ code: 'answer_invalid' });
    expect(run.ended()).toMatchObject({ reason: 'failed', errorKind: 'middleware_error' });
  });
});

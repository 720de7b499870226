import { describe, expect, it } from 'vitest';
import { type Finish, ModelError, question, textResult, toolList, userText } from '../../src/core/index.ts';
import { callDelta, finishDelta, Gate, reasoningDelta, textDelta } from '../../src/testing/index.ts';
import { drain, hello, lastResults, ofType, Reader, start, toolOf, types } from './support.ts';

describe('finish', () => {
  it.each<Finish>(['stop', 'length', 'refusal', 'other'])(
    'FIN-01 FIN-02 FIN-03 a reply without calls is done, with finish %s',
    async (finish) => {
      const { run } = start([[textDelta('Some'), finishDelta(finish)]]);
      const events = await drain(run.turn(hello));
      expect(run.ended()).toMatchObject({ reason: 'done', finish });
      expect(ofType(events, 'turn_ended')[0]).toMatchObject({ reason: 'done', finish });
      expect(ofType(events, 'message_ended')[0]?.finish).toBe(finish);
    },
  );

  it('FIN-02 is that of the last assistant message of the turn', async () => {
    const { run } = start([[callDelta('c1', 'clock')], [textDelta('no'), finishDelta('refusal')]], {
      tools: toolList(toolOf('clock')),
    });
    const events = await drain(run.turn(hello));
    expect(ofType(events, 'message_ended').map((event) => event.finish)).toEqual(['tool_calls', 'refusal']);
    expect(run.ended()?.finish).toBe('refusal');
  });

  it('FIN-05 text that looks like a call stays text', async () => {
    const text = '<tool_call>{"name": "clock", "arguments": {}}</tool_call>';
    let called = false;
    const { run } = start([[textDelta(text), finishDelta('length')]], {
      tools: toolList(toolOf('clock', () => ((called = true), textResult('')))),
    });
    const events = await drain(run.turn(hello));
    expect(types(events)).not.toContain('tool_call_started');
    expect(called).toBe(false);
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'length' });
    expect(run.messages().at(-1)?.content).toEqual([{ type: 'text', text }]);
  });

  it('FIN-07 is null after an interrupt, even when an earlier step was complete', async () => {
    const { run } = start([[callDelta('c1', 'clock')], [textDelta('x'), new Gate()]], { tools: toolList(toolOf('clock')) });
    await new Reader(run.turn(hello), (event) => event.type === 'text_delta' && run.interrupt()).done;
    expect(run.ended()).toMatchObject({ reason: 'interrupted', finish: null });
  });

  it('FIN-07 is that of the last complete assistant message after a cancel or a failure', async () => {
    const tools = toolList(toolOf('clock'));
    const cancelled = start([[callDelta('c1', 'clock')], [textDelta('x'), new Gate()]], { tools });
    await new Reader(cancelled.run.turn(hello), (event) => event.type === 'text_delta' && cancelled.run.cancel()).done;
    expect(cancelled.run.ended()).toMatchObject({ reason: 'cancelled', finish: 'tool_calls' });
    const failed = start([[callDelta('c1', 'clock')], [new ModelError('model_error', 'x')]], { tools });
    await drain(failed.run.turn(hello));
    expect(failed.run.ended()).toMatchObject({ reason: 'failed', finish: 'tool_calls' });
  });

  it('FIN-07 is null when the turn completed no assistant message, whatever an earlier turn had', async () => {
    const { run } = start(['Hi', [new ModelError('model_error', 'x')], [textDelta('x'), new Gate()]]);
    await drain(run.turn(hello));
    await drain(run.turn(userText('u2', 'More')));
    expect(run.ended()).toMatchObject({ reason: 'failed', finish: null });
    await new Reader(run.turn(userText('u3', 'More')), (event) => event.type === 'text_delta' && run.cancel()).done;
    expect(run.ended()).toMatchObject({ reason: 'cancelled', finish: null });
  });

  it('FIN-08 is that of the asking message while input is awaited', async () => {
    const { run } = start([[callDelta('c1', 'ask'), finishDelta('tool_calls')]], {
      tools: toolList(toolOf('ask', (_, call) => call.needsInput([question('q', 'Which?')]))),
    });
    const events = await drain(run.turn(hello));
    expect(run.ended()).toMatchObject({ reason: 'awaiting_input', finish: 'tool_calls' });
    expect(ofType(events, 'turn_ended')[0]?.finish).toBe('tool_calls');
  });

  it.each<Finish>(['length', 'tool_calls'])(
    'FIN-09 a call cut at the token limit does not run, said finish %s',
    async (finish) => {
      let called = false;
      const { run, model } = start([[callDelta('c1', 'write', '{"path":"x","content":"hel'), finishDelta(finish)], 'ok'], {
        tools: toolList(toolOf('write', () => ((called = true), textResult('')))),
      });
      const events = await drain(run.turn(hello));
      expect(called).toBe(false);
      expect(ofType(events, 'message_ended')[0]?.finish).toBe('length');
      expect(lastResults(model.prompts[1]?.messages ?? [])).toMatchObject([{ error: true }]);
    },
  );

  it('CTXW-06 a thinking model with a tight limit is done with finish length and no text', async () => {
    const { run } = start([[reasoningDelta('Let me see'), finishDelta('length')]]);
    await drain(run.turn(hello));
    expect(run.ended()).toMatchObject({ reason: 'done', finish: 'length' });
    expect(run.messages().at(-1)?.content).toEqual([{ type: 'reasoning', text: 'Let me see' }]);
  });
});

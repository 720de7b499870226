import { describe, expect, it } from 'vitest';
import { allow, approval, deny, question } from '../../src/core/index.ts';
import { TestCall } from '../../src/testing/index.ts';
import { toolOf } from '../core/support.ts';

describe('TestCall', () => {
  it('TEST-03 stands in for the call of a run and keeps what the tool reports', async () => {
    const spec = toolOf('work').spec;
    const call = new TestCall({ id: 'k', turn: 3, context: 'host', spec });
    expect([call.id, call.turn, call.context, call.spec]).toEqual(['k', 3, 'host', spec]);
    await call.progress('half');
    await call.nest({ type: 'turn_started', turn: 1, parent: 'k' });
    expect(call.progressed).toEqual(['half']);
    expect(call.nested).toEqual([{ type: 'turn_started', turn: 1, parent: 'k' }]);
  });

  it('TEST-03 CANC-04 is cancelled by the test', () => {
    const call = new TestCall();
    expect(call.isCancelled()).toBe(false);
    call.cancel();
    expect([call.isCancelled(), call.signal.aborted]).toEqual([true, true]);
  });

  it('TEST-03 PAUSE-26 keeps what was asked, takes the answer, and hands it out', () => {
    const call = new TestCall({ input: { a: 1 }, spec: toolOf('work').spec });
    expect([call.pending(), call.answers(), call.decision(), call.state()]).toEqual([null, null, null, null]);
    call.needsInput([approval('may I?'), question('q', 'Which?', ['x'])], { step: 1 });
    expect(call.pending()).toEqual({
      call: { type: 'tool_call', id: 'call_1', name: 'work', input: { a: 1 } },
      needs: [approval('may I?'), question('q', 'Which?', ['x'])],
      state: { step: 1 },
    });
    expect(() => call.answer({ decisions: { approval: allow }, values: { q: 'y' } })).toThrow(
      expect.objectContaining({ code: 'answer_not_a_choice' }),
    );
    call.answer({ decisions: { approval: allow }, values: { q: 'x' } });
    expect([call.pending(), call.decision(), call.state()]).toEqual([null, allow, { step: 1 }]);
    expect(() => call.answer({ decisions: {}, values: {} })).toThrow(expect.objectContaining({ code: 'nothing_pending' }));
  });

  it('TEST-03 PAUSE-11 may be a call that is made again', () => {
    const call = new TestCall({ answer: { decisions: { approval: deny('no') } }, state: 7 });
    expect(call.answers()).toEqual({ callId: 'call_1', decisions: { approval: deny('no') }, values: {} });
    expect([call.decision(), call.state()]).toEqual([deny('no'), 7]);
  });

  it('TEST-03 PAUSE-03 refuses needs that a run would refuse', () => {
    const call = new TestCall();
    expect(() => call.needsInput([])).toThrow(expect.objectContaining({ code: 'needs_empty' }));
    expect(() => call.needsInput([approval('a'), approval('b')])).toThrow(
      expect.objectContaining({ code: 'need_ids_not_unique' }),
    );
  });
});

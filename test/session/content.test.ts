import { describe, expect, it } from 'vitest';
import type { Message, Part } from '../../src/core/index.ts';
import { editedReply } from '../../src/session/content.ts';

const thought = (n: number): Part => ({ type: 'reasoning', text: '', provider: { 'p/m': { signature: `s${n}` } } });
const call: Part = { type: 'tool_call', id: 'c1', name: 'clock', input: {}, provider: { 'p/m': { item: 1 } } };
const opaque: Part = { type: 'opaque', provider: { 'p/m': { type: 'web_search_call' } } };
const said: Part = { type: 'text', text: 'Hi', provider: { 'p/m': { phase: 'final' } } };
const reply: Message = { id: 'a1', role: 'assistant', content: [thought(1), thought(2), opaque, said, call] };

/** What an edit makes of these parts, as a client sends them. */
function edit(...content: Part[]): unknown {
  const outcome = editedReply({ content: content as unknown as { type: string }[] }, 'a1', reply);
  return outcome.ok ? outcome.value.content : outcome.problem.code;
}

describe('an edit of a reply', () => {
  it('MODEL-11 INTR-05 keeps of every unchanged part what its provider needs back, each once and in order', () => {
    const bare = reply.content.map((part): Part =>
      part.type === 'text' || part.type === 'reasoning' ? { type: part.type, text: part.text } : part,
    );
    expect(edit(...bare)).toEqual(reply.content);
    expect(edit({ type: 'reasoning', text: '' }, { type: 'text', text: 'Hi' })).toEqual([thought(1), said]);
  });

  it('MODEL-11 takes none from the client, and none for a text that was changed', () => {
    const forged = { 'p/m': { signature: 'forged' } };
    expect(edit({ type: 'reasoning', text: 'mine', provider: forged }, { type: 'text', text: 'Ho', provider: forged })).toEqual([
      { type: 'reasoning', text: 'mine' },
      { type: 'text', text: 'Ho' },
    ]);
  });

  it('INTR-08 RESP-07 may leave calls and opaque parts out, and add or change none', () => {
    expect(edit(said)).toEqual([said]);
    expect(edit({ ...call, name: 'rm', input: { all: true } })).toEqual([call]);
    expect(edit(call, call)).toBe('unmappable_content');
    expect(edit({ ...call, id: 'c2' })).toBe('unmappable_content');
    expect(edit({ type: 'opaque', provider: { 'p/m': { type: 'forged' } } })).toBe('unmappable_content');
    expect(edit({ type: 'tool_result', callId: 'c1', content: [], error: false })).toBe('unmappable_content');
  });
});

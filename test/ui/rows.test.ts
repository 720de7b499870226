import { describe, expect, it } from 'vitest';
import { resultsId, userText } from '../../src/core/message.ts';
import type { StoredMessage } from '../../src/session/protocol/wire.ts';
import { editableText, withText } from '../../src/ui/state/edit.ts';
import { liveRow, rowBuilder, type RowSource } from '../../src/ui/state/rows.ts';

const asked: StoredMessage = { ...userText('u', 'go'), run: 'r', created: 1 };
const reply: StoredMessage = {
  id: 'a',
  role: 'assistant',
  content: [
    { type: 'text', text: 'Two.' },
    { type: 'tool_call', id: 'c1', name: 'clock', input: {} },
    { type: 'tool_call', id: 'c2', name: 'write_note', input: { text: 'x' } },
  ],
  run: 'r',
  created: 2,
};
const results: StoredMessage = {
  id: resultsId('a'),
  role: 'user',
  content: [{ type: 'tool_result', callId: 'c1', content: [{ type: 'text', text: 'now' }], error: false }],
  run: 'r',
  created: 3,
};
const source = (more: Partial<RowSource> = {}): RowSource => ({
  messages: [asked, reply, results],
  pending: [],
  left: [],
  ...more,
});

describe('rows', () => {
  it('puts results into the cards of their calls', () => {
    const rows = rowBuilder()(source());
    expect(rows.map((row) => row.kind)).toEqual(['user', 'reply']);
    const cards = rows[1]?.kind === 'reply' ? [...rows[1].cards.values()] : [];
    expect(cards.map((card) => card.state)).toEqual(['done', 'stopped']);
  });

  it('marks a call that waits for a person', () => {
    const call = { type: 'tool_call' as const, id: 'c2', name: 'write_note', input: {} };
    const rows = rowBuilder()(source({ pending: [{ call, needs: [], state: null }] }));
    expect(rows[1]?.kind === 'reply' && rows[1].cards.get('c2')?.state).toBe('waiting');
  });

  it('gives the same object for a row that did not change', () => {
    const build = rowBuilder();
    const before = build(source());
    const after = build(source({ messages: [asked, reply, results, { ...userText('u2', 'more'), run: 'r2', created: 4 }] }));
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after).toHaveLength(3);
  });

  it('shows a reply that was left behind after the message that it followed', () => {
    const partial = { run: 'r', message: reply, rev: 1, by: null, after: resultsId('a'), created: 4 };
    expect(rowBuilder()(source({ left: [partial] })).map((row) => row.kind)).toEqual(['user', 'reply', 'left']);
  });

  it('goes on with the cards that a paused step has already', () => {
    const stored = rowBuilder()(source())[1];
    const row = liveRow(
      {
        id: 'a',
        content: reply.content,
        attributes: {},
        calls: [
          { id: 'c2', name: 'write_note', input: { text: 'x' }, json: '', state: 'running', progress: null, outcome: null },
        ],
      },
      stored?.kind === 'reply' ? stored : undefined,
    );
    expect([...row.cards.values()].map((card) => card.state)).toEqual(['done', 'running']);
  });
});

describe('an edit of a partial reply', () => {
  it('changes the last text and nothing else', () => {
    expect(editableText(reply)).toBe('Two.');
    const edited = withText(reply, 'Three.');
    expect(edited.content[0]).toEqual({ type: 'text', text: 'Three.' });
    expect(edited.content.slice(1)).toEqual(reply.content.slice(1));
    expect(edited.id).toBe('a');
  });

  it('INTR-17 offers none where there is only reasoning', () => {
    expect(editableText({ id: 'a', role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] })).toBeNull();
  });
});

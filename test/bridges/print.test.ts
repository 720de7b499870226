import { expect, test } from 'vitest';
import { Printer } from '../../bridges/chat/printer.ts';
import { remarksOn } from '../../bridges/chat/remarks.ts';
import { emptyView, type EventBody, fold, noUsage, textResult, type View } from '../../src/core/index.ts';
import type { EndedRun, Snapshot } from '../../src/session/protocol/index.ts';

const input = { seconds: 3 };
const message = {
  id: 'm1',
  role: 'assistant',
  content: [
    { type: 'text', text: 'One two.' },
    { type: 'tool_call', id: 'c1', name: 'wait', input },
  ],
} as const;

/** A step with reasoning, text, a call, progress and a result, event by event. */
const step: readonly EventBody[] = [
  { type: 'message_started', id: 'm1' },
  { type: 'reasoning_delta', id: 'm1', text: 'Hm.' },
  { type: 'text_delta', id: 'm1', text: 'One' },
  { type: 'text_delta', id: 'm1', text: ' two.' },
  { type: 'tool_call_started', id: 'c1', name: 'wait' },
  { type: 'tool_call_ready', id: 'c1', name: 'wait', input },
  {
    type: 'message_ended',
    id: 'm1',
    message: { ...message, content: [{ type: 'reasoning', text: 'Hm.' }, ...message.content] },
    usage: noUsage,
    finish: 'tool_calls',
  },
  { type: 'tool_progress', id: 'c1', value: { waited: 1 } },
  { type: 'tool_ended', id: 'c1', outcome: textResult('Waited\n3 seconds.') },
  { type: 'step_ended', n: 1 },
];

function after(view: View, bodies: readonly EventBody[]): View {
  return bodies.reduce((before, body) => fold(before, { turn: 1, parent: null, ...body }), view);
}

/** Prints these views one after the other, as one terminal that shows both streams. */
function printed(before: View, views: readonly View[]): string {
  let all = '';
  const write = (text: string): void => void (all += text);
  const printer = new Printer({ out: write, note: write }, before as Snapshot);
  for (const view of views) printer.show(view as Snapshot);
  printer.end();
  return all;
}

const whole = 'Hm.\nOne two.\n→ wait {"seconds":3}\n· wait {"waited":1}\n✓ Waited 3 seconds.\n';

test('a step is printed piece by piece, each once and in order', () => {
  const views = step.map((_, index) => after(emptyView, step.slice(0, index + 1)));
  expect(printed(emptyView, views)).toBe(whole);
});

test('EVT-35 what came while the connection was lost is printed from the snapshot, and nothing twice', () => {
  const half = after(emptyView, step.slice(0, 3));
  const all = after(emptyView, step);
  expect(printed(emptyView, [half, all])).toBe('Hm.\nOne two.\n→ wait {"seconds":3}\n✓ Waited 3 seconds.\n');
});

test('the conversation before is not printed again', () => {
  const before = after(emptyView, step);
  const later = after(before, [
    { type: 'message_started', id: 'm2' },
    { type: 'text_delta', id: 'm2', text: 'Three.' },
  ]);
  expect(printed(before, [before, later])).toBe('Three.\n');
});

test('FIN-03 FIN-04 a reply that is done and not complete is marked', () => {
  const ended = (fields: Partial<EndedRun>) =>
    remarksOn({ reason: 'done', finish: 'stop', error: null, queued: [], ...fields } as EndedRun);
  expect(ended({})).toEqual([]);
  expect(ended({ finish: 'length' })).toEqual([expect.stringContaining('HARNESS_MAX_OUTPUT_TOKENS')]);
  expect(ended({ finish: 'refusal' })).toEqual(['The model refused.']);
  expect(ended({ reason: 'failed', error: { class: 'model_error', message: 'No.' } })).toEqual(['Failed: No.']);
  expect(ended({ reason: 'cancelled', queued: [message] })).toHaveLength(2);
});

test('of a value that did not travel whole, its beginning and its size are printed', () => {
  const large = { preview: 'begin '.repeat(100), bytes: 70_000, hash: 'h', href: '/api/sessions/s/blobs/h' };
  const content = [{ type: 'text', text: large }];
  const stored = [
    { id: 'm1', role: 'assistant', content: [...content, { type: 'tool_call', id: 'c1', name: 'read', input: large }] },
    { id: 'm1.results', role: 'user', content: [{ type: 'tool_result', callId: 'c1', content, error: false }] },
  ];
  const view = JSON.parse(JSON.stringify({ ...emptyView, messages: stored })) as View;
  const [text, call, result] = printed(emptyView, [view]).trimEnd().split('\n');
  expect(text).toBe(`${large.preview}… (70000 bytes)`);
  expect(call).toMatch(/^→ read begin .*… \(70000 bytes\)$/);
  expect(result).toMatch(/^✓ begin .*… \(70000 bytes\)$/);
});

import { expect } from 'vitest';
import { type Event, type EventOf, type Model, Run, textOf, toolCalls, toolList, userText } from '../../src/core/index.ts';
import { countingIds, FakeTransport } from '../../src/testing/index.ts';
import { collect, eventStream } from './support.ts';

/** Every item goes started, deltas, ended, and the deltas are what the ended message holds (EVT-01). */
export function expectWellFormed(events: readonly Event[]): void {
  const start = events.findIndex(({ type }) => type === 'message_started');
  const end = events.findIndex(({ type }) => type === 'message_ended');
  const inside = events.slice(start + 1, end);
  const ended = events[end];
  if (ended?.type !== 'message_ended') throw new Error('the message has no end');
  const textual = inside.map((item) => (item.type === 'text_delta' ? item.text : '')).join('');
  expect(textual).toBe(textOf(ended.message));
  for (const call of toolCalls(ended.message)) {
    const own = inside.filter((item) => 'id' in item && item.id === call.id);
    expect([own[0]?.type, own.at(-1)?.type]).toEqual(['tool_call_started', 'tool_call_ready']);
    const fragments = own.map((item) => (item.type === 'tool_input_delta' ? item.json : '')).join('');
    expect(JSON.parse(fragments || '{}')).toEqual(call.input);
  }
  expect(inside.every(({ type }) => /_delta$|^tool_call_(started|ready)$/.test(type))).toBe(true);
}

/** What a recorded stream became, and the request that came after it. */
export interface Played {
  readonly events: readonly Event[];
  readonly ended: EventOf<'message_ended'>;
  readonly next: unknown;
}

/** Plays a stream as the first reply of a conversation. `after` is the reply behind it: to the results, or to the next message. */
export async function playRecorded(wire: string, after: string, modelOver: (transport: FakeTransport) => Model): Promise<Played> {
  const transport = new FakeTransport([wire, after].map((body) => ({ headers: eventStream, body })));
  const run = new Run({ model: modelOver(transport), tools: toolList(), mintId: countingIds() });
  const events = await collect(run.turn(userText('u', 'Hi')));
  if (transport.requests.length === 1) await collect(run.turn(userText('u2', 'And?')));
  const ended = events.find((event): event is EventOf<'message_ended'> => event.type === 'message_ended');
  if (ended === undefined) throw new Error('no message');
  return { events, ended, next: JSON.parse(transport.requests[1]?.body ?? 'null') };
}

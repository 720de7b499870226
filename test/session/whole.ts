import { runInDurableObject } from 'cloudflare:test';
import { expect } from 'vitest';
import { resultsId, toolCalls } from '../../src/core/index.ts';
import { applyEvent, type SessionEvent, type Snapshot } from '../../src/session/protocol/index.ts';
import { unusedSnapshot } from '../../src/session/state.ts';
import type { TestSession } from './support.ts';

/** Every event of a session at rest, read from its rows: what waits for more events keeps an object from being evicted. */
export async function storedEvents(session: TestSession): Promise<SessionEvent[]> {
  const rows = await session.rows<{ body: string }>('SELECT body FROM events ORDER BY last');
  return rows.flatMap(({ body }) => body.split('\n').map((line) => JSON.parse(line) as SessionEvent));
}

/** Checks what must hold of a session at rest, whatever happened to it. */
export async function expectWhole(session: TestSession): Promise<void> {
  const snapshot = await session.snapshot();
  const events = await storedEvents(session);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const blank = unusedSnapshot(session.address.scope, snapshot.epoch, snapshot.mode, snapshot.usage.context.window);
  expect(events.reduce<Snapshot>(applyEvent, blank)).toEqual({ ...snapshot, presence: [] });
  expectTurns(events, await session.rows<{ id: string; status: string }>('SELECT id, status FROM runs'));
  expectReplies(events);
  expectPairs(snapshot);
  // It goes once the list has the session's line.
  await expect.poll(() => session.count('alarms')).toBe(0);
  expect(await runInDurableObject(session.stub, (_, { storage }) => storage.getAlarm())).toBe(null);
  await session.kill();
  expect({ ...(await session.snapshot()), presence: [] }).toEqual({ ...snapshot, presence: [] });
}

/** Each run has ended, was told to end once, and to begin once, unless it died before that. */
function expectTurns(events: readonly SessionEvent[], runs: readonly { readonly id: string; readonly status: string }[]): void {
  expect(runs.filter(({ status }) => status !== 'ended')).toEqual([]);
  const told = (type: string): (string | null)[] =>
    events.filter((event) => event.type === type && event.parent === null).map(({ run }) => run);
  const [started, ended] = [told('turn_started'), told('turn_ended')];
  expect([ended.length, new Set(ended)]).toEqual([runs.length, new Set(runs.map(({ id }) => id))]);
  expect(new Set(started)).toHaveLength(started.length);
}

/** No reply is left open when another begins: it ended, or clients were told that it does not count. */
function expectReplies(events: readonly SessionEvent[]): void {
  let open: string | null = null;
  for (const event of events) {
    if (event.type === 'message_started' || event.type === 'message_resumed') {
      expect(open).toBe(null);
      open = event.id;
    } else if (event.type === 'message_ended' || event.type === 'message_discarded' || event.type === 'turn_ended') open = null;
  }
}

/** Each call of a message has one result, or waits for an answer. */
function expectPairs({ messages, pending }: Snapshot): void {
  const waiting = new Set(pending.map(({ call }) => call.id));
  for (const message of messages) {
    const calls = toolCalls(message).map(({ id }) => id);
    if (calls.length === 0) continue;
    const results = messages.find(({ id }) => id === resultsId(message.id))?.content ?? [];
    const settled = results.flatMap((part) => (part.type === 'tool_result' ? [part.callId] : []));
    expect(settled).toEqual(calls.filter((id) => !waiting.has(id)));
  }
}

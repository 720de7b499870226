import { changeCall, type Event, fold, type Message, type View } from '../../core/index.ts';
import type { PartialReply, SessionEvent, Snapshot, StateChange, StoredMessage } from './wire.ts';

/** The most partial replies left behind that a snapshot shows: the newest. */
export const leftLimit = 50;

/**
 * Folds one event of a session into its snapshot. Pure, and idempotent: an event that the snapshot has already seen (by
 * `seq`) changes nothing, and neither does a type it does not know.
 */
export function applyEvent(snapshot: Snapshot, event: SessionEvent): Snapshot {
  if (event.seq <= snapshot.seq) return snapshot;
  const seen = { ...snapshot, seq: event.seq };
  switch (event.type) {
    case 'state':
      return applyState(seen, event);
    case 'tool_started':
      return { ...seen, ...changeCall(viewOf(seen), event.id, () => ({ state: 'running' })) } as Snapshot;
    case 'tool_waiting':
      return { ...seen, ...changeCall(viewOf(seen), event.id, () => ({ state: 'waiting' })) } as Snapshot;
    case 'message_discarded':
      return seen.step?.id === event.id ? { ...seen, step: null } : seen;
    case 'turn_started':
      return event.parent === null && event.turn !== null
        ? { ...seen, status: 'running', run: event.run, turn: event.turn }
        : seen;
    case 'turn_ended':
      // A turn that could not even start has no other event of its own.
      return event.parent === null && event.turn !== null
        ? { ...applyRunEvent(seen, event as Event & SessionEvent), run: event.run, turn: event.turn }
        : seen;
    default:
      return applyRunEvent(seen, event as Event & SessionEvent);
  }
}

function applyRunEvent(snapshot: Snapshot, event: Event & SessionEvent): Snapshot {
  const view = fold(viewOf(snapshot), event);
  const messages =
    view.messages === snapshot.messages ? snapshot.messages : view.messages.map((message) => stored(message, event));
  return { ...snapshot, messages, step: view.step, pending: view.pending };
}

/** Results become a message when the step ends: it gets the run and the time of that event. */
function stored(message: Message | StoredMessage, event: SessionEvent): StoredMessage {
  return 'created' in message ? message : { ...message, run: event.run, created: event.at ?? 0 };
}

function applyState(snapshot: Snapshot, event: SessionEvent & StateChange): Snapshot {
  const {
    type: _t,
    seq: _s,
    run: _r,
    turn: _n,
    parent: _p,
    at: _a,
    messages,
    left,
    ...fields
  } = event as SessionEvent & StateChange & { type: string };
  const anew = event.thread !== undefined && event.thread !== snapshot.thread;
  return {
    ...snapshot,
    ...fields,
    messages: upsert(anew ? [] : snapshot.messages, messages ?? [], (message) => message.id),
    left: newest(leftWith(anew ? [] : snapshot.left, left ?? [], fields.partial ?? null), leftLimit),
    ...(anew ? { run: null } : {}),
  };
}

function upsert<T>(before: readonly T[], changed: readonly T[], keyOf: (item: T) => string): readonly T[] {
  if (changed.length === 0) return before;
  const newer = new Map(changed.map((item) => [keyOf(item), item]));
  const kept = before.map((item) => {
    const found = newer.get(keyOf(item));
    newer.delete(keyOf(item));
    return found ?? item;
  });
  return [...kept, ...newer.values()];
}

/** The replies left behind, with those that were left now at the end; a reply is either left or offered for a resume. */
function leftWith(
  before: readonly PartialReply[],
  added: readonly PartialReply[],
  offered: PartialReply | null,
): readonly PartialReply[] {
  const changed = [...added, ...(offered === null ? [] : [offered])];
  if (changed.length === 0) return before;
  const keys = new Set(changed.map(partialKey));
  return [...before.filter((partial) => !keys.has(partialKey(partial))), ...added];
}

function partialKey({ run, message }: PartialReply): string {
  return JSON.stringify([run, message.id]);
}

function newest<T>(items: readonly T[], limit: number): readonly T[] {
  return items.length > limit ? items.slice(-limit) : items;
}

function viewOf(snapshot: Snapshot): View {
  return { messages: snapshot.messages, step: snapshot.step, pending: snapshot.pending };
}

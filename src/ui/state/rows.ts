import type { CallView, StepView } from '../../core/fold.ts';
import {
  type Finish,
  isResults,
  type Message,
  type Part,
  resultsId,
  type ToolResultPart,
  toolCalls,
} from '../../core/message.ts';
import type { Pending } from '../../core/need.ts';
import type { Actor, PartialReply, StoredMessage } from '../../session/protocol/wire.ts';

/** A person's message. */
export interface UserRow {
  readonly kind: 'user';
  readonly id: string;
  readonly message: Message;
  readonly created: number;
  readonly by: Actor | null;
}

/** Where a shown call stands; `stopped` is one that never got a result. */
export type CardState = CallView['state'] | 'stopped';

/** A call as its card shows it. Results are content parts, as the model saw them. */
export interface CallCard {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | null;
  /** The argument text so far, while it streams in or when it was no JSON. */
  readonly raw: string;
  readonly state: CardState;
  readonly progress: CallView['progress'];
  readonly result: ToolResultPart | null;
}

/** A reply: its parts in order, with a card for each call. */
export interface ReplyRow {
  readonly kind: 'reply';
  readonly id: string;
  readonly content: readonly Part[];
  readonly cards: ReadonlyMap<string, CallCard>;
  readonly live: boolean;
  readonly finish: Finish | null;
  readonly created: number | null;
}

/** A reply that was cut and left behind: seen once, no part of the conversation. */
export interface LeftRow {
  readonly kind: 'left';
  readonly id: string;
  readonly partial: PartialReply;
  readonly created: number;
}

/** A line of the transcript. */
export type Row = UserRow | ReplyRow | LeftRow;

/** What the rows are made of. */
export interface RowSource {
  readonly messages: readonly StoredMessage[];
  readonly pending: readonly Pending[];
  readonly left: readonly PartialReply[];
}

/** Gives the rows of a session; a row whose message and results did not change is the same object as before. */
export function rowBuilder(): (source: RowSource) => readonly Row[] {
  let known = new Map<StoredMessage, { readonly results: Message | undefined; readonly waiting: string; readonly row: Row }>();
  return ({ messages, pending, left }) => {
    const byId = new Map(messages.map((message) => [message.id, message]));
    const waits = new Set(pending.map((one) => one.call.id));
    const next: typeof known = new Map();
    const rows: Row[] = [];
    for (const message of messages) {
      if (isResults(message)) {
        rows.push(...leftAfter(left, message.id));
        continue;
      }
      const results = byId.get(resultsId(message.id));
      const waiting = toolCalls(message)
        .map((call) => (waits.has(call.id) ? call.id : ''))
        .join();
      const before = known.get(message);
      const same = before !== undefined && before.results === results && before.waiting === waiting;
      const entry = same ? before : { results, waiting, row: rowOf(message, results, waits) };
      next.set(message, entry);
      rows.push(entry.row, ...leftAfter(left, message.id));
    }
    known = next;
    return rows;
  };
}

function leftAfter(left: readonly PartialReply[], messageId: string): readonly LeftRow[] {
  const here = left.filter((partial) => partial.after === messageId);
  return here.map((partial) => ({ kind: 'left', id: `left_${partial.run}`, partial, created: partial.created }));
}

function rowOf(message: StoredMessage, results: Message | undefined, waits: ReadonlySet<string>): Row {
  const { id, created } = message;
  if (message.role === 'user') return { kind: 'user', id, message, created, by: message.by ?? null };
  const cards = new Map(
    toolCalls(message).map((call): [string, CallCard] => {
      const result = resultOf(results, call.id);
      const state = result === null ? (waits.has(call.id) ? 'waiting' : 'stopped') : result.error ? 'failed' : 'done';
      return [
        call.id,
        { id: call.id, name: call.name, input: call.input, raw: call.malformed ?? '', state, progress: null, result },
      ];
    }),
  );
  return { kind: 'reply', id, content: message.content, cards, live: false, finish: message.finish ?? null, created };
}

/** The row of the step in progress; `stored` is the row that its message has already, when it goes on after a pause. */
export function liveRow(step: StepView, stored: ReplyRow | undefined): ReplyRow {
  const cards = new Map(stored?.cards);
  for (const call of step.calls) cards.set(call.id, liveCard(call));
  const streaming = step.attributes === null;
  return {
    kind: 'reply',
    id: step.id,
    content: step.content,
    cards,
    live: streaming,
    finish: stored?.finish ?? null,
    created: stored?.created ?? null,
  };
}

function liveCard(call: CallView): CallCard {
  const outcome = call.outcome;
  const result: ToolResultPart | null =
    outcome === null
      ? null
      : 'class' in outcome
        ? {
            type: 'tool_result',
            callId: call.id,
            content: [{ type: 'text', text: outcome.message || outcome.class }],
            error: true,
          }
        : { type: 'tool_result', callId: call.id, content: outcome.content, error: outcome.error };
  return { id: call.id, name: call.name, input: call.input, raw: call.json, state: call.state, progress: call.progress, result };
}

function resultOf(results: Message | undefined, callId: string): ToolResultPart | null {
  return results?.content.find((part): part is ToolResultPart => part.type === 'tool_result' && part.callId === callId) ?? null;
}

import { isObject, type Json, type JsonObject, parseJson } from '../../core/json.ts';
import type { CommandType } from '../../session/protocol/commands.ts';

/** A refusal as a frame carries it (docs/wire.md, refusals). */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly status: number;
  readonly fallback?: string;
  readonly decided?: JsonObject;
  readonly options?: readonly string[];
}

/** A command on its way. Its id stays the same however often it is sent, so the server does it once. */
export interface Sent {
  readonly id: string;
  readonly type: CommandType;
  readonly body: JsonObject;
  /** The reader's words, for commands that carry some: shown until the server echoes them. */
  readonly text: string | null;
  /** When it was given, in ms since 1970. */
  readonly at: number;
  /** `sending`: no answer yet. `accepted`: answered, its echo has not been seen. `refused`: kept for the reader to decide. */
  readonly state: 'sending' | 'accepted' | 'refused';
  readonly result: Json;
  readonly refusal: Refusal | null;
}

/** The commands on their way, oldest first. */
export type Outbox = readonly Sent[];

/** A new command for the outbox. */
export function sending(id: string, type: CommandType, body: JsonObject, text: string | null, at: number): Sent {
  return { id, type, body, text, at, state: 'sending', result: null, refusal: null };
}

/** The frame of a command. */
export function frameOf(sent: Sent): string {
  return JSON.stringify({ ...sent.body, type: sent.type, id: sent.id });
}

/** What must be sent again on a new connection, in order: all that has no answer. */
export function unanswered(outbox: Outbox): Outbox {
  return outbox.filter((sent) => sent.state === 'sending');
}

/** The outbox after an ack: words wait for their echo, anything else is done with. */
export function acked(outbox: Outbox, id: string, result: Json): Outbox {
  return outbox.flatMap((sent) => {
    if (sent.id !== id) return [sent];
    return sent.text === null ? [] : [{ ...sent, state: 'accepted' as const, result }];
  });
}

/** The outbox after a refusal: words stay, so that nothing a reader wrote is lost. */
export function refusedBy(outbox: Outbox, id: string, refusal: Refusal): Outbox {
  return outbox.flatMap((sent) => {
    if (sent.id !== id) return [sent];
    return sent.text === null ? [] : [{ ...sent, state: 'refused' as const, refusal }];
  });
}

/** What of the session tells that an accepted command's words have arrived. */
export interface Echoes {
  /** Runs that have a message of a person. */
  readonly runs: ReadonlySet<string>;
  /** Inbox items seen so far, landed ones too. */
  readonly items: ReadonlySet<string>;
}

/** The outbox without the accepted words that the session shows by now. */
export function echoed(outbox: Outbox, echoes: Echoes): Outbox {
  const left = outbox.filter((sent) => !(sent.state === 'accepted' && isEchoed(sent.result, echoes)));
  return left.length === outbox.length ? outbox : left;
}

function isEchoed(result: Json, { runs, items }: Echoes): boolean {
  if (!isObject(result)) return true;
  if (typeof result.inbox === 'string') return items.has(result.inbox);
  return typeof result.run !== 'string' || runs.has(result.run);
}

/** The outbox as text, to outlive a reload of the tab. */
export function storeOutbox(outbox: Outbox): string {
  return JSON.stringify(outbox);
}

/** The outbox that a text stands for; empty when it is none. */
export function restoreOutbox(text: string | null): Outbox {
  const value = parseJson(text ?? '');
  return Array.isArray(value) ? value.filter((sent) => isObject(sent) && typeof sent.id === 'string') : [];
}

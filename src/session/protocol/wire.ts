import type {
  Answer,
  Delivery,
  ErrorKind,
  EventBody,
  Finish,
  Json,
  JsonObject,
  Message,
  Pending,
  Reason,
  StepView,
  TurnError,
  Usage,
} from '../../core/index.ts';

/** What a participant may do: read; act as well; look after the installation as well. */
export type Role = 'viewer' | 'member' | 'operator';

/** Who did something: the participant, the name its client gave itself, and the role it had. */
export interface Actor {
  readonly participant: string;
  readonly client?: string;
  readonly role?: Role;
}

/**
 * What travels in the place of a text, value, progress or input above 64 KiB: its beginning, its size in bytes, and the path under which the whole
 * is had, as text/plain for a text and application/json for another value.
 */
export interface Large {
  readonly preview: string;
  readonly bytes: number;
  readonly hash: string;
  readonly href: string;
}

/** A message as a session stores it. `created` is in ms since 1970. A reply has the model that gave it and, where that is known, what it cost in USD. */
export interface StoredMessage extends Message {
  readonly run: string | null;
  readonly created: number;
  readonly finish?: Finish;
  readonly usage?: Usage;
  readonly model?: string;
  readonly cost?: number;
  readonly by?: Actor;
}

/** A message that waits to land in a turn. Held items wait for a person (docs/wire.md, inbox). */
export interface InboxItem {
  readonly id: string;
  readonly message: Message;
  readonly delivery: Delivery;
  readonly held: boolean;
  readonly by: Actor;
}

/**
 * A reply that did not become a message: kept for people, offered for a resume while it is the newest. `rev` counts its changes, `by` is who
 * stopped it, `after` the message that it followed, `created` when it was cut, in ms.
 */
export interface PartialReply {
  readonly run: string;
  readonly message: Message;
  readonly rev: number;
  readonly by: Actor | null;
  readonly after: string | null;
  readonly created: number;
}

/** How a run ended (RUN-06). */
export interface EndedRun {
  readonly run: string;
  readonly turn: number;
  readonly reason: Reason;
  readonly finish: Finish | null;
  readonly appended: readonly Message[];
  readonly pending: readonly Pending[];
  readonly usage: Usage;
  /** USD; null when it is not wholly known. */
  readonly cost: number | null;
  readonly error: TurnError | null;
  readonly errorKind: ErrorKind | null;
  readonly partial: Message | null;
  readonly queued: readonly Message[];
  /** The visible text of the turn's last assistant message. */
  readonly text: string;
  /** What a host may offer instead, for `unsupported_option`. */
  readonly fallback?: string;
  /** Who stopped it, for cancelled and interrupted. */
  readonly by?: Actor;
}

/** What a session does now. */
export type Status = 'idle' | 'running' | 'awaiting_input';

/** A client that has the session open. */
export interface Presence {
  readonly participant: string;
  readonly client: string;
  readonly label?: string;
  readonly editing?: boolean;
}

/** Tokens, and what they cost in USD: null when that is not wholly known, which is never zero (BUD-03). */
export interface Spent extends Usage {
  readonly cost: number | null;
}

/** What the replies of one model took: `cost` is in USD, without the `unpriced` replies whose cost is not known, and null when it is known of none. */
export interface ModelUsage extends Spent {
  readonly model: string;
  readonly replies: number;
  readonly unpriced: number;
}

/** What a session has used. */
export interface UsageList {
  /** All turns that have ended, as in the snapshot. */
  readonly session: Spent;
  /** By model, in the order in which they first answered; the turn that runs is in it. */
  readonly models: readonly ModelUsage[];
}

/** What all ended turns used, and how full the model's window is; `window` is null when it is not known. */
export interface SessionUsage {
  readonly session: Spent;
  readonly context: { readonly used: number; readonly window: number | null };
}

/** Everything a screen shows of a session. This plus the events after `seq` is the whole truth. */
export interface Snapshot {
  readonly scope: string;
  readonly title: string;
  readonly mode: string;
  readonly model: string | null;
  readonly status: Status;
  readonly epoch: number;
  readonly seq: number;
  /** Counts the conversations of this scope; `new` begins the next one. */
  readonly thread: number;
  readonly run: string | null;
  readonly turn: number;
  readonly messages: readonly StoredMessage[];
  readonly more: boolean;
  readonly step: StepView | null;
  readonly pending: readonly Pending[];
  /** The answers that wait for the others. */
  readonly staged: readonly (Answer & { readonly by: Actor })[];
  readonly inbox: readonly InboxItem[];
  readonly partial: PartialReply | null;
  /** Replies that were cut and not gone on with, newest last: nothing that a person saw is lost (C-2). */
  readonly left: readonly PartialReply[];
  readonly plan: Json;
  readonly tasks: readonly Json[];
  /** The revision of the session's files: one that has risen says that some have changed. */
  readonly files: { readonly rev: number };
  readonly usage: SessionUsage;
  readonly lastEnded: EndedRun | null;
  readonly presence: readonly Presence[];
}

/** A line of the session list. `needs` counts the calls that wait for an answer; `last` is the newest text, cut. Times in ms. */
export interface Summary {
  readonly scope: string;
  readonly title: string;
  readonly status: Status;
  readonly mode: string;
  readonly model: string | null;
  readonly updated: number;
  readonly created: number;
  readonly needs: number;
  readonly last: string;
}

/** The fields that every event of a session carries. `at` (ms) is absent on deltas and progress. */
export interface SessionEventHead {
  readonly seq: number;
  readonly run: string | null;
  readonly turn: number | null;
  readonly parent: string | null;
  readonly at?: number;
}

/**
 * The changed fields of the snapshot. `messages` holds messages that are new or changed, to be put in by id; when `thread`
 * changes with it, the lists start anew; `left` holds partial replies that were left behind, to be put at the end by run and message; one that `partial` offers is left no more. Every other field replaces the one before.
 */
export type StateChange = Partial<Omit<Snapshot, 'scope' | 'epoch' | 'seq' | 'run' | 'turn' | 'presence' | 'more'>>;

/** The session's own events, beside the seventeen. */
export type SessionEventBody =
  | ({ readonly type: 'state' } & StateChange)
  | { readonly type: 'tool_started'; readonly id: string }
  | { readonly type: 'tool_waiting'; readonly id: string; readonly pending: Pending }
  | { readonly type: 'message_discarded'; readonly id: string; readonly reason: string }
  | {
      readonly type: 'retry_scheduled';
      readonly after: number;
      readonly attempt: number;
      readonly reason: string;
      readonly model?: string;
    }
  | { readonly type: 'warning'; readonly code: string; readonly detail: string; readonly model?: string };

/** An event of a session as it travels. */
export type SessionEvent = SessionEventHead & (EventBody | SessionEventBody);

/** What a server sends over a socket. */
export type ServerFrame =
  | {
      readonly type: 'ready';
      readonly version: { readonly wire: 1; readonly build: string };
      readonly cursor: string;
      readonly snapshot?: Snapshot;
    }
  | SessionEvent
  | { readonly type: 'ack'; readonly id: string; readonly result: Json }
  | ({
      readonly type: 'refused';
      readonly id: string | null;
      readonly code: string;
      readonly detail: string;
      readonly status: number;
    } & JsonObject)
  | { readonly type: 'presence'; readonly clients: readonly Presence[] }
  | { readonly type: 'pong' };

import type { Json } from '../core/index.ts';
import type { JudgedCall } from '../policy/index.ts';
import type { FileAnswers, FileRequests } from './file-api.ts';
import type {
  Actor,
  CommandType,
  EndedRun,
  Outcome,
  Role,
  Snapshot,
  StoredMessage,
  Summary,
  UsageList,
} from './protocol/index.ts';

/** What an accepted command answers; null where there is nothing to say (204). Kept as the command's receipt. */
export type CommandResult =
  | { readonly run: string; readonly turn: number; readonly cursor: string }
  | { readonly run: null; readonly staged: readonly string[] }
  | { readonly inbox: string }
  | { readonly undone: readonly string[] }
  | Summary
  | null;

/** What to follow of a session's events, as a stream of bytes. */
export interface FollowOptions {
  /** Begin after this cursor; null, or one that cannot be resumed, begins with a snapshot. */
  readonly cursor: string | null;
  /** Only this run's events, until its top-level `turn_ended`; never a snapshot. */
  readonly run?: string;
  readonly format: 'sse' | 'ndjson';
  /** When the reader goes away the run is cancelled (CANC-14). */
  readonly cancelOnDisconnect?: boolean;
}

/** A page of messages, in order; `more` says that older ones exist. */
export interface MessagePage {
  readonly messages: readonly StoredMessage[];
  readonly more: boolean;
}

/** What is said of an upload before its bytes: `length` is theirs where it was announced, else null. */
export interface UploadHead {
  readonly mediaType: string;
  readonly length: number | null;
}

/** What came of an upload: the hash by which messages name it (docs/wire.md, attachments). */
export interface Upload {
  readonly hash: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** What stands under a hash: a text of ours, or bytes that somebody attached, which are never trusted. */
export interface GivenBlob {
  readonly mediaType: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/** A call that was made: as a policy is asked about it, and its id. */
export interface PastCall extends JudgedCall {
  readonly id: string;
}

/** What a session's object answers to the Worker. Refusals are values; nothing here throws for bad input. */
export interface SessionApi {
  snapshot(): Promise<Snapshot>;
  /** Checks in the order: receipt of `id`, body, `session_locked`, `awaiting_input`, the rest. */
  command(type: CommandType, raw: Json, actor: Actor): Promise<Outcome<CommandResult>>;
  /** Lists the session under the participant; `created` is false when it was in use already. */
  create(raw: Json, actor: Actor): Promise<Outcome<{ readonly summary: Summary; readonly created: boolean }>>;
  /** The page that ends before a message id; null: the newest. Refuses an id that is not there (`not_found`). */
  messages(before: string | null, limit: number): Promise<Outcome<MessagePage>>;
  /** Stores a body as an attachment for messages to come; it makes the session, as a command does. At most `uploadLimit` bytes. */
  upload(body: ReadableStream<Uint8Array>, head: UploadHead, actor: Actor): Promise<Outcome<Upload>>;
  /** Asks something of the session's files. */
  files<T extends keyof FileRequests>(type: T, request: FileRequests[T]): Promise<Outcome<FileAnswers[T]>>;
  /** The newest calls of the conversation, in order, as a policy is asked about them; at most `limit`. */
  pastCalls(limit: number): Promise<readonly PastCall[]>;
  /** What was used so far, by model. */
  usage(): Promise<UsageList>;
  /** The whole of a value that travelled as a reference, or of an attachment; refuses a hash that is not there (`not_found`). */
  blob(hash: string): Promise<Outcome<GivenBlob>>;
  follow(options: FollowOptions): Promise<ReadableStream<Uint8Array>>;
  /** Resolves when the run has ended; refuses a run that never was (`not_found`). */
  ended(run: string): Promise<Outcome<EndedRun>>;
  /** Erases everything; the scope is unused again. */
  erase(): Promise<void>;
}

/**
 * The header in which the Worker hands a socket's identity to the object, as JSON of `SocketIdentity`. The Worker sets it itself and never
 * passes on a client's.
 */
export const identityHeader = 'reins-identity';

/** Who opens a socket. `expires`: when the identity does, in ms; null: never. A viewer's commands are refused. */
export interface SocketIdentity {
  readonly participant: string;
  readonly role: Role;
  readonly expires: number | null;
}

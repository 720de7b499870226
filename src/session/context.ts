import type { Delivery, Message, MintId, Usage } from '../core/index.ts';
import type { Ask } from '../policy/index.ts';
import type { Address } from './address.ts';
import type { Agent } from './agent.ts';
import type { AttachmentStore } from './attach.ts';
import type { Choice } from './choice.ts';
import type { Journal, Work } from './journal.ts';
import type { LostRun } from './lost.ts';
import type { Life, RunRow } from './rows/runs.ts';
import type { SessionRow } from './rows/session.ts';
import type { StopKind } from './rows/stops.ts';
import type { Outcome, Snapshot } from './protocol/index.ts';

/** What the parts of a session's object share. */
export interface SessionContext {
  readonly sql: SqlStorage;
  readonly journal: Journal;
  readonly address: Address;
  readonly agents: AgentsPort;
  readonly attachments: AttachmentStore;
  /** This life of the object; another one is dead (LOCK-10). */
  readonly life: Life;
  readonly alarms: { arm(): void };
  readonly mintId: MintId;
  readonly runner: RunnerPort;
  /** Deletes the objects of files that nothing needs any more. Call it once that is committed. */
  sweepFiles(): void;
  /** What is asked before each model call of a run; null: nothing is. */
  allowance(run: RunRow): Ask | null;
  now(): number;
  /** What a screen shows now: rows and the step in progress. */
  view(): Snapshot;
  /** The session's row. Only in a used session. */
  row(): SessionRow;
}

/** The operator's configuration, as a session asks for it. */
export interface AgentsPort {
  resolve(choice: Choice): Outcome<Agent>;
  modelNames(): readonly string[];
  window(model: string | null): number | null;
  /** The tokens in a model's context after a call with this usage. */
  contextOf(model: string | null, usage: Usage): number;
}

/** The run in memory, as commands use it. */
export interface RunnerPort {
  /** The run in progress; null when there is none. */
  readonly active: RunRow | null;
  /** Starts an admitted run, or goes on with one that was lost. Call it once its rows are committed. */
  start(run: RunRow, lost?: LostRun): void;
  stop(kind: StopKind): void;
  interject(message: Message, delivery: Delivery): void;
  withdraw(messageId: string): void;
  amend(messageId: string, message: Message, delivery: Delivery): void;
}

/** A change of a session: the rows by `context`, the events by `work`. */
export interface Change {
  readonly context: SessionContext;
  readonly work: Work;
}

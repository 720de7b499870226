import type { ConfiguredModel } from '../config/index.ts';
import {
  type Ended,
  eventToJSON,
  type ErrorKind,
  type Event,
  type EventOf,
  isThrown,
  type Message,
  type Reason,
  resultsId,
  textOf,
  type Usage,
} from '../core/index.ts';
import type { Change, SessionContext } from './context.ts';
import type { Draft } from './joiner.ts';
import { isLive } from './joiner.ts';
import { type CountedReply, countReply, hasCome, isNothing, usageBeyond } from './metering.ts';
import type { Actor, EndedRun, PartialReply, StateChange, StoredMessage } from './protocol/index.ts';
import { keptReply } from './partial.ts';
import { dropItem, holdAll, readInbox } from './rows/inbox.ts';
import { coreMessage, messagesOf, putMessage, readMessage } from './rows/messages.ts';
import { callsSoFar } from './rows/calls.ts';
import { eventsAfter } from './rows/events.ts';
import { putPartial } from './rows/partials.ts';
import { forgetAnswers, markAnswers, noteRan, replacePending } from './rows/pending.ts';
import { endRun, forgetDeaths, putRetries, type RunRow } from './rows/runs.ts';
import { updateSession } from './rows/session.ts';
import { readStop } from './rows/stops.ts';
import { addSpent, usageOf } from './rows/usage.ts';
import { publicError } from './sentences.ts';
import { restStatus, stagedAnswers } from './state.ts';

/** What the recorder reads of the core's Run, and which of its models was asked last. */
export interface RecordedRun {
  messages(): readonly Message[];
  ended(): Ended | null;
  retries(): number;
  asked(): ConfiguredModel;
}

/** The error class of a turn whose object died: what waits then lands by itself (docs/wire.md, inbox). */
export const lostTurn = 'recovery_exhausted';

/** The events that only say what begins: they stand for no row, and a life that does not find them begins the same again. */
const begins: ReadonlySet<Event['type']> = new Set([
  'turn_started',
  'step_started',
  'message_started',
  'message_resumed',
  'tool_call_started',
  'tool_call_ready',
]);

/** A state event with these changes. */
export function stateEvent(changes: StateChange): Draft {
  return { type: 'state', turn: null, parent: null, run: null, ...changes };
}

/** Writes a run's events: the rows that each one stands for and the event itself in one transaction, before anybody sees it. */
export class Recorder {
  readonly #context: SessionContext;
  readonly #row: RunRow;
  readonly #run: RecordedRun | null;
  #deaths: number;
  #retries: number;
  #ending = false;
  #closed = false;

  /** `run`: the core's, whose events are recorded; null for one that is only closed. */
  constructor(context: SessionContext, row: RunRow, run: RecordedRun | null = null) {
    this.#context = context;
    this.#row = row;
    this.#run = run;
    this.#deaths = row.deaths;
    this.#retries = row.retries;
  }

  /** True once turn_ended is recorded. */
  get closed(): boolean {
    return this.#closed;
  }

  /** True once the run's own turn_ended was to be recorded. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Records one event. Throws when the storage does; then nothing of the event is written or sent. */
  record(event: Event): void {
    const { journal } = this.#context;
    this.#ending ||= event.type === 'turn_ended' && event.parent === null;
    if (isLive(event)) journal.live({ ...event, run: this.#row.id });
    else if (event.parent !== null || begins.has(event.type)) journal.soon({ ...plain(event), run: this.#row.id });
    else journal.transact((work) => this.#write({ context: this.#context, work }, plain(event)));
  }

  /**
   * Ends the run from outside: its events cannot be recorded, or the life of the object that played it is over (FAIL-15). What it appended and
   * used is what its rows say; tokens of a reply that was lost are not in them.
   */
  close(change: Change, reason: Reason, failure: { readonly class: string; readonly kind: ErrorKind | null } | null): void {
    const stored = messagesOf(change.context.sql, this.#row.id);
    const last = stored.findLast((message) => message.role === 'assistant');
    const { cost: _, ...usage } = usageOf(change.context.sql, this.#row.id);
    const shared = { reason, usage, finish: reason === 'interrupted' ? null : (last?.finish ?? null) };
    const error = failure === null ? null : { class: failure.class, message: '' };
    const event: EventOf<'turn_ended'> = { type: 'turn_ended', turn: this.#row.turn, parent: null, error, ...shared };
    const ended: Ended = {
      ...shared,
      appended: stored.map(coreMessage),
      pending: change.context.view().pending,
      error: null,
      errorKind: failure?.kind ?? null,
      partial: null,
      queued: [],
    };
    this.#writeEnd(change, event, ended);
  }

  #write(change: Change, event: Event): void {
    this.#noteProgress(change, event);
    switch (event.type) {
      case 'message_ended':
        return this.#writeReply(change, event);
      case 'interjected':
        return this.#writeInterjected(change, event);
      case 'input_requested':
        return this.#writePause(change, event);
      case 'step_ended':
        return this.#writeStep(change, event);
      case 'turn_ended': {
        const ended = this.#run?.ended() ?? null;
        if (ended === null) throw new Error('turn_ended was told of a turn that has not ended');
        return this.#writeEnd(change, event, ended);
      }
      default:
        return this.#emit(change, event);
    }
  }

  /** What a next life would find done: it does not die of it, and need not count it again. */
  #noteProgress({ context: { sql } }: Change, event: Event): void {
    if (this.#deaths > 0 && (event.type === 'message_ended' || event.type === 'tool_ended' || event.type === 'step_ended')) {
      forgetDeaths(sql, this.#row.id);
      this.#deaths = 0;
    }
    const retries = this.#run?.retries() ?? this.#retries;
    if (retries === this.#retries) return;
    putRetries(sql, this.#row.id, retries);
    this.#retries = retries;
  }

  #emit({ work }: Change, event: Event, at?: number): void {
    work.emit({ ...event, run: this.#row.id, ...(at === undefined ? {} : { at }) });
  }

  #writeReply(change: Change, event: EventOf<'message_ended'>): void {
    const { usage, finish } = event;
    const at = change.context.now();
    const counted = this.#count(change, { id: event.id, whole: true, usage }, at);
    const message: StoredMessage = { ...event.message, run: this.#row.id, created: at, finish, usage, ...counted };
    this.#emit(change, { ...event, message }, at);
  }

  #writeInterjected(change: Change, event: EventOf<'interjected'>): void {
    const { sql } = change.context;
    const item = readInbox(sql).find((waiting) => waiting.message.id === event.message.id);
    const at = change.context.now();
    const by = item === undefined ? {} : { by: item.by };
    const message: StoredMessage = { ...event.message, run: this.#row.id, created: at, ...by };
    if (item !== undefined) dropItem(sql, item.id);
    putMessage(sql, this.#row.thread, message);
    this.#emit(change, { ...event, message }, at);
    change.work.emit(stateEvent({ inbox: readInbox(sql) }));
  }

  #writePause(change: Change, event: EventOf<'input_requested'>): void {
    const { sql } = change.context;
    const at = change.context.now();
    this.#writeMessages(change, at);
    markAnswers(sql, 'applied');
    replacePending(sql, event.pending);
    forgetAnswers(sql, event.pending);
    this.#emit(change, event, at);
    change.work.emit(stateEvent({ staged: [] }));
  }

  #writeStep(change: Change, event: EventOf<'step_ended'>): void {
    const at = change.context.now();
    this.#writeMessages(change, at);
    if (event.n === 0 && change.context.view().step !== null) {
      markAnswers(change.context.sql, 'applied');
      replacePending(change.context.sql, []);
      this.#emit(change, event, at);
      change.work.emit(stateEvent({ staged: [] }));
    } else this.#emit(change, event, at);
  }

  /** Stores the messages of the step that just ended: an assistant message and its results, written together (LOOP-02). */
  #writeMessages({ context }: Change, at: number): void {
    const step = context.view().step;
    if (step === null) return;
    for (const message of this.#run?.messages().slice(-2) ?? []) {
      if (message.id !== step.id && message.id !== resultsId(step.id)) continue;
      const known = readMessage(context.sql, message.id) ?? (message.id === step.id ? step.attributes : {});
      const stored: StoredMessage = { run: this.#row.id, created: at, ...known, ...coreMessage(message) };
      putMessage(context.sql, this.#row.thread, stored);
    }
  }

  /** What a reply took, in the transaction that tells of it: a life that finds the one finds the other. */
  #count({ context }: Change, reply: CountedReply, at: number): Pick<StoredMessage, 'model' | 'cost'> {
    return this.#run === null ? {} : countReply(context.sql, this.#row, this.#run.asked(), reply, at);
  }

  /** The reply that the end cuts off: what the turn used beyond its whole replies is what was told of this one. */
  #countCut(change: Change, used: Usage): void {
    const { sql, view, now } = change.context;
    const step = view().step;
    if (step === null || step.attributes !== null) return;
    const usage = usageBeyond(used, usageOf(sql, this.#row.id));
    if (hasCome(step, this.#row) || !isNothing(usage)) this.#count(change, { id: step.id, whole: false, usage }, now());
  }

  #writeEnd(change: Change, event: EventOf<'turn_ended'>, ended: Ended): void {
    const { context, work } = change;
    const { sql } = context;
    const stop = readStop(sql, this.#row.id, this.#row.command);
    const by = stop !== undefined && (ended.reason === 'cancelled' || ended.reason === 'interrupted') ? stop.actor : null;
    const error = event.error === null ? null : publicError(event.error, ended.error);
    const partial = this.#writePartial(change, ended, by);
    if (ended.reason !== 'done' && ended.reason !== 'awaiting_input' && error?.class !== lostTurn) holdAll(sql);
    if (ended.pending.length > 0) markAnswers(sql, 'unapplied');
    this.#countCut(change, ended.usage);
    const { cost } = usageOf(sql, this.#row.id);
    const record = endedRun(this.#row, ended, cost, error, partial?.message ?? null, by);
    endRun(sql, record, context.life.incarnation);
    const session = context.row();
    const { cost: all, ...usage } = addSpent({ ...session.usage, cost: session.cost }, { ...ended.usage, cost });
    const newest = context.view().messages.findLast((message) => message.usage !== undefined);
    const model = newest?.model ?? this.#row.choice.model;
    const contextUsed = newest?.usage === undefined ? session.contextUsed : context.agents.contextOf(model, newest.usage);
    updateSession(sql, { usage, cost: all, contextUsed, updated: context.now() });

    this.#emit(change, { ...event, error });
    const { window } = context.view().usage.context;
    work.emit(
      stateEvent({
        status: restStatus(ended.pending.length),
        lastEnded: record,
        partial: partial ?? context.view().partial,
        inbox: readInbox(sql),
        staged: stagedAnswers(sql),
        usage: { session: { ...usage, cost: all }, context: { used: contextUsed, window } },
      }),
    );
    work.after(() => {
      this.#closed = true;
    });
  }

  /** Keeps what a person saw of a reply that did not become a message (C-2, INTR-02). */
  #writePartial({ context }: Change, ended: Ended, by: Actor | null): PartialReply | null {
    if (ended.reason === 'done' || ended.reason === 'stopped' || ended.reason === 'awaiting_input') return null;
    const view = context.view();
    const step = view.step;
    if (step === null) return null;
    const calls = callsSoFar(step, eventsAfter(context.sql, this.#row.seq));
    if (view.messages.some((message) => message.id === step.id)) {
      noteRan(context.sql, calls);
      return null;
    }
    const message = ended.partial ?? keptReply(step);
    if (message.content.length === 0) return null;
    const rev = this.#row.input.kind === 'resume' ? this.#row.input.rev + 1 : 1;
    const after = view.messages.at(-1)?.id ?? null;
    const partial: PartialReply = { run: this.#row.id, message, rev, by, after, created: context.now() };
    putPartial(context.sql, this.#row.thread, partial, calls);
    return partial;
  }
}

/** An exception as JSON holds it: what is kept in memory is what is stored and sent, and can cross to another object. */
function plain(event: Event): Event {
  if (event.type !== 'tool_ended' || !isThrown(event.outcome)) return event;
  return eventToJSON(event) as unknown as Event;
}

/** A run's end as clients read it. */
function endedRun(
  row: RunRow,
  ended: Ended,
  cost: number | null,
  error: EndedRun['error'],
  partial: Message | null,
  by: Actor | null,
): EndedRun {
  const { reason, finish, appended, pending, usage, errorKind, queued } = ended;
  const last = appended.findLast((message) => message.role === 'assistant');
  const fallback =
    ended.error !== null && 'fallback' in ended.error && typeof ended.error.fallback === 'string' ? ended.error.fallback : null;
  return {
    run: row.id,
    turn: row.turn,
    reason,
    finish,
    appended,
    pending,
    usage,
    cost,
    error,
    errorKind,
    partial,
    queued,
    text: last === undefined ? '' : textOf(last),
    ...(fallback === null ? {} : { fallback }),
    ...(by === null ? {} : { by }),
  };
}

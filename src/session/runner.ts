import {
  type Delivery,
  type Event,
  type Logger,
  type Message,
  maxSteps,
  notRun,
  type Outcome,
  Resume,
  Run,
  toolCalls,
  toolList,
} from '../core/index.ts';
import { retryModel } from '../models/index.ts';
import { approveWrites } from '../policy/index.ts';
import { runGuard } from './admission.ts';
import type { Agent } from './agent.ts';
import type { RunnerPort, SessionContext } from './context.ts';
import type { Draft } from './joiner.ts';
import { Recorder } from './recorder.ts';
import { guardTime, renewGuard } from './rows/guard.ts';
import { readInbox } from './rows/inbox.ts';
import { coreMessage, readThread } from './rows/messages.ts';
import { lastPartialCalls } from './rows/partials.ts';
import { readPending, readRan } from './rows/pending.ts';
import type { RunInput, RunRow } from './rows/runs.ts';
import { readStop, type StopKind } from './rows/stops.ts';
import { redact } from './sentences.ts';
import { toolJournal } from './tool-journal.ts';

/** How long a tool may go on after a cancel before its call is settled as unknown, in ms (CANC-12). */
const cancelGrace = 60_000;

interface Active {
  readonly row: RunRow;
  readonly run: Run;
}

/** Plays admitted runs in memory, one at a time: iterates the core's Run and has every event recorded before the next is asked for. */
export class Runner implements RunnerPort {
  readonly #context: () => SessionContext;
  readonly #logger: Logger;
  readonly #onEnd: (broken: boolean) => void;
  #active: Active | null = null;
  #playing: Promise<void> = Promise.resolve();

  /** `onEnd` runs after each run, when the session is at rest; told `broken` when its end could not even be stored. */
  constructor(context: () => SessionContext, logger: Logger, onEnd: (broken: boolean) => void) {
    this.#context = context;
    this.#logger = logger;
    this.#onEnd = onEnd;
  }

  get active(): RunRow | null {
    return this.#active?.row ?? null;
  }

  /** Resolves when no run plays any more. */
  get settled(): Promise<void> {
    return this.#playing;
  }

  start(row: RunRow): void {
    this.#playing = this.#play(row);
  }

  stop(kind: StopKind): void {
    if (kind === 'cancel') this.#active?.run.cancel();
    else this.#active?.run.interrupt();
  }

  interject(message: Message, delivery: Delivery): void {
    const run = this.#active?.run;
    // A run that has just ended takes nothing more: the item stays in the inbox, and the end of the run looks there.
    if (run?.isRunning() === true) run.interject(message, delivery);
  }

  withdraw(messageId: string): void {
    this.#active?.run.withdraw(messageId);
  }

  amend(messageId: string, message: Message, delivery: Delivery): void {
    this.#active?.run.amend(messageId, message, delivery);
  }

  async #play(row: RunRow): Promise<void> {
    const renewal = setInterval(() => this.#renew(row), guardTime / 10);
    const unplayed = { messages: () => [], ended: () => null };
    let recorder = new Recorder(this.#context(), row, unplayed);
    let broken = false;
    try {
      const { run, stream } = this.#begin(row);
      recorder = new Recorder(this.#context(), row, run);
      await this.#record(row, run, stream, recorder);
    } catch (error) {
      // A misuse is thrown again after turn_ended; anything else kept the run from its end, which is then written here.
      this.#logger.warn('A run broke off', { run: row.id, error });
      broken = !recorder.closed && !this.#closed(recorder);
    } finally {
      clearInterval(renewal);
      this.#active = null;
      this.#onEnd(broken);
    }
  }

  async #record(row: RunRow, run: Run, stream: AsyncIterable<Event>, recorder: Recorder): Promise<void> {
    this.#active = { row, run };
    const stop = readStop(this.#context().sql, row.id, row.command);
    if (stop !== undefined) this.stop(stop.kind);
    for await (const event of stream) {
      recorder.record(event);
      if (this.#takesInbox(row, event)) this.#feed(run);
    }
  }

  #closed(recorder: Recorder): boolean {
    const context = this.#context();
    try {
      context.journal.transact((work) => recorder.close({ context, work }, 'failed', { class: 'internal', kind: null }));
      return true;
    } catch (error) {
      this.#logger.warn('The end of a run could not be stored', { error });
      return false;
    }
  }

  #begin(row: RunRow): { readonly run: Run; readonly stream: AsyncGenerator<Event, void, undefined> } {
    const context = this.#context();
    const resolved = context.agents.resolve(row.choice);
    if (!resolved.ok) throw new Error(`The agent cannot be resolved: ${resolved.problem.code}`);
    const messages = readThread(context.sql, row.thread).map(coreMessage);
    const { input } = row;
    if (input.kind === 'message') {
      const last = messages.at(-1);
      if (last?.id !== input.messageId) throw new Error('The message of the run is not the newest of its thread.');
      const run = this.#run(row, resolved.value, messages.slice(0, -1), new Map());
      return { run, stream: run.turn(last) };
    }
    const run = this.#run(row, resolved.value, messages, this.#settledCalls(resolved.value, input, messages));
    return { run, stream: run.turn(input.kind === 'answers' ? input.answers : new Resume(input.edit)) };
  }

  #run(row: RunRow, agent: Agent, messages: readonly Message[], settled: ReadonlyMap<string, Outcome>): Run {
    const context = this.#context();
    const tell = (event: Draft): void => context.journal.transact((work) => work.emit(event));
    const head = { run: row.id, turn: row.turn, parent: null };
    return new Run({
      model: agent.model,
      tools: toolList(...agent.tools),
      system: agent.system,
      options: agent.options,
      middleware: [
        retryModel({
          onWait: (after, attempt) => tell({ type: 'retry_scheduled', ...head, after, attempt, reason: 'rate_limited' }),
        }),
        approveWrites(),
        toolJournal((id) => tell({ type: 'tool_started', ...head, id })),
      ],
      context: { address: context.address },
      messages,
      pending: readPending(context.sql),
      turn: row.turn - 1,
      stop: [maxSteps(agent.maxSteps)],
      cancelGrace,
      settled,
      logger: this.#logger,
      redact,
      mintId: context.mintId,
    });
  }

  /**
   * Calls that ran before: those of an edit, those of a resume that ended too early (G-11). One that had settled keeps its result, one that had
   * only begun is unknown unless it may run twice (INTR-19).
   */
  #settledCalls(agent: Agent, input: RunInput, messages: readonly Message[]): ReadonlyMap<string, Outcome> {
    const settled = new Map<string, Outcome>();
    const { sql } = this.#context();
    const calls = input.kind === 'resume' ? lastPartialCalls(sql, input.edit.id) : readRan(sql);
    const parts = (input.kind === 'resume' ? [input.edit] : messages).flatMap((message) => toolCalls(message));
    for (const part of parts) {
      if (!Object.hasOwn(calls, part.id)) continue;
      const hints = agent.tools.find((tool) => tool.spec.name === part.name)?.spec.hints;
      const outcome = calls[part.id] ?? null;
      if (outcome !== null) settled.set(part.id, outcome);
      else if (hints?.readOnly !== true && hints?.idempotent !== true) settled.set(part.id, notRun.outcomeUnknown);
    }
    return settled;
  }

  /** What waited before the run joins it at its start; where it begins with answers, after these were used, so that none skips their calls. */
  #takesInbox(row: RunRow, event: Event): boolean {
    if (event.parent !== null) return false;
    return row.input.kind === 'answers' ? event.type === 'step_ended' && event.n === 0 : event.type === 'turn_started';
  }

  #feed(run: Run): void {
    const waiting = new Set(run.waiting().map((item) => item.message.id));
    for (const item of readInbox(this.#context().sql)) {
      if (!item.held && !waiting.has(item.message.id) && run.isRunning()) run.interject(item.message, item.delivery);
    }
  }

  #renew(row: RunRow): void {
    const { sql, incarnation, now } = this.#context();
    renewGuard(sql, runGuard, { owner: row.id, incarnation }, now());
  }
}

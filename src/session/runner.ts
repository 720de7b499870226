import {
  type Delivery,
  type Event,
  type Logger,
  type Message,
  maxSteps,
  type ModelMiddleware,
  type Outcome,
  Resume,
  Run,
  toolCalls,
  toolList,
} from '../core/index.ts';
import type { Agent } from './agent.ts';
import { type AskedSoFar, asking, type Asking } from './asking.ts';
import { blobsForResults, bytesForModel } from './attachments.ts';
import type { RunnerPort, SessionContext } from './context.ts';
import type { Draft } from './joiner.ts';
import type { LostRun } from './lost.ts';
import type { InboxItem } from './protocol/index.ts';
import { noteAfter, ranBefore } from './ran-before.ts';
import { Recorder } from './recorder.ts';
import { readInbox } from './rows/inbox.ts';
import { coreMessage, readThread } from './rows/messages.ts';
import { lastPartialCalls } from './rows/partials.ts';
import { readPending, readRan } from './rows/pending.ts';
import type { RunInput, RunRow } from './rows/runs.ts';
import { readStop, type StopKind } from './rows/stops.ts';
import { redact } from './sentences.ts';
import { pointOf, settledCalls } from './take-up.ts';
import { toolJournal } from './tool-journal.ts';

/** How long a tool may go on after a cancel before its call is settled as unknown, in ms (CANC-12). */
const cancelGrace = 60_000;

interface Played {
  readonly run: Run;
  readonly asked: Asking['asked'];
  readonly stream: AsyncGenerator<Event, void, undefined>;
}

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

  start(row: RunRow, lost: LostRun | null = null): void {
    this.#playing = this.#play(row, lost);
  }

  stop(kind: StopKind): void {
    if (kind === 'cancel') this.#active?.run.cancel();
    else this.#active?.run.interrupt();
  }

  /** Cancels whatever runs; resolves when nothing does. */
  async halt(): Promise<void> {
    while (this.#active !== null) {
      this.stop('cancel');
      await this.settled;
    }
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

  async #play(row: RunRow, lost: LostRun | null): Promise<void> {
    let recorder = new Recorder(this.#context(), row);
    let broken = false;
    try {
      const { run, asked, stream } = lost?.started === true ? this.#goOn(row, lost) : this.#begin(row);
      recorder = new Recorder(this.#context(), row, {
        messages: () => run.messages(),
        ended: () => run.ended(),
        retries: () => run.retries(),
        asked,
      });
      await this.#record(row, run, stream, recorder);
    } catch (error) {
      // A misuse is thrown again after turn_ended; anything else kept the run from its end, which is then written here.
      this.#logger.warn('A run broke off', { run: row.id, error });
      // An end that could not be stored is for the next life to tell: it finds what the run came to.
      const failure = error instanceof NoAgent ? error.code : 'internal';
      broken = !recorder.closed && (recorder.ending || !this.#closed(recorder, failure));
    } finally {
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

  #closed(recorder: Recorder, failure: string): boolean {
    const context = this.#context();
    try {
      context.journal.transact((work) => recorder.close({ context, work }, 'failed', { class: failure, kind: null }));
      return true;
    } catch (error) {
      this.#logger.warn('The end of a run could not be stored', { error });
      return false;
    }
  }

  #begin(row: RunRow): Played {
    const agent = this.#agent(row);
    const messages = this.#messages();
    const { input } = row;
    if (input.kind === 'message') {
      const last = messages.at(-1);
      if (last?.id !== input.messageId) throw new Error('The message of the run is not the newest of its thread.');
      const { run, asked } = this.#run(row, agent, messages.slice(0, -1), new Map());
      return { run, asked, stream: run.turn(last) };
    }
    const { run, asked } = this.#run(row, agent, messages, this.#settledBefore(agent, input, messages));
    return { run, asked, stream: run.turn(input.kind === 'answers' ? input.answers : new Resume(input.edit)) };
  }

  /** Takes the turn up where its stored events end (RUN-04). */
  #goOn(row: RunRow, lost: LostRun): Played {
    const agent = this.#agent(row);
    const messages = this.#messages();
    const before = this.#settledBefore(agent, row.input, messages);
    const parts = [...messages, ...(lost.reply === null ? [] : [lost.reply.message])].flatMap((message) => toolCalls(message));
    const ran = Object.fromEntries([...lost.calls.ran].map((id) => [id, null]));
    const settled = new Map([...before, ...settledCalls(agent.tools, parts, ran)]);
    const { run, asked } = this.#run(row, agent, messages, settled, lost.asked);
    return { run, asked, stream: run.proceed(pointOf(row, lost, this.#waits(row, lost))) };
  }

  /** What waits to land; a step of answers is not to be skipped for it, so there it joins later. */
  #waits(row: RunRow, lost: LostRun): readonly InboxItem[] {
    if (row.input.kind === 'answers' && lost.done === null) return [];
    return readInbox(this.#context().sql).filter((item) => !item.held);
  }

  #agent(row: RunRow): Agent {
    const resolved = this.#context().agents.resolve(row.choice);
    if (!resolved.ok) throw new NoAgent(resolved.problem.code);
    return resolved.value;
  }

  #messages(): readonly Message[] {
    return readThread(this.#context().sql).map(coreMessage);
  }

  #run(
    row: RunRow,
    agent: Agent,
    messages: readonly Message[],
    settled: ReadonlyMap<string, Outcome>,
    before: AskedSoFar | null = null,
  ): Omit<Played, 'stream'> {
    const context = this.#context();
    const tell = (event: Draft): void => context.journal.transact((work) => work.emit(event));
    const head = { run: row.id, turn: row.turn, parent: null };
    const ask = context.allowance(row);
    const { model, asked } = asking({ models: agent.models, ask, before, tell: (event) => tell({ ...event, ...head }) });
    const run = new Run({
      model,
      tools: toolList(...agent.tools),
      system: agent.system,
      options: agent.options,
      middleware: [
        blobsForResults(context.sql, context.now),
        ...this.#notes(row, agent),
        agent.guard,
        toolJournal({
          started: (id) => tell({ type: 'tool_started', ...head, id }),
          waiting: (id, pending) => tell({ type: 'tool_waiting', ...head, id, pending }),
        }),
        bytesForModel(
          context.sql,
          agent.models.map(({ model }) => model),
        ),
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
    return { run, asked };
  }

  /** What the model is told, and no message says: that an earlier attempt at the same message left effects. */
  #notes({ input }: RunRow, agent: Agent): readonly ModelMiddleware[] {
    const note = input.kind === 'message' ? ranBefore(this.#context().sql, input.messageId, agent.tools) : null;
    return input.kind === 'message' && note !== null ? [noteAfter(input.messageId, note)] : [];
  }

  /** Calls that ran before this run: those of an edit, those of a resume that ended too early (G-11). */
  #settledBefore(agent: Agent, input: RunInput, messages: readonly Message[]): ReadonlyMap<string, Outcome> {
    const { sql } = this.#context();
    const calls = input.kind === 'resume' ? lastPartialCalls(sql, input.edit.id) : readRan(sql);
    const holders = input.kind === 'resume' ? [input.edit] : messages;
    return settledCalls(
      agent.tools,
      holders.flatMap((message) => toolCalls(message)),
      calls,
    );
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
}

/** The configuration has changed since the run was admitted, and makes no agent of its choice any more. */
class NoAgent extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`No agent can be made: ${code}`);
    this.code = code;
  }
}

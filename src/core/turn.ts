import { ReplyAccumulator, type Reply } from './accumulator.ts';
import { type CallPorts, type CallOutcomes, runCalls, type ToldCalls, ToolRetriesExceeded } from './calls.ts';
import type { Conversation } from './conversation.ts';
import { appendAndAsk, MisuseError, UnsupportedOptionError } from './error.ts';
import { type Delivery, type Event, type EventBody, type ErrorKind, type Reason } from './event.ts';
import { type Failure, Origins, turnError } from './failure.ts';
import { type Finish, type Message, toolCalls } from './message.ts';
import type { Middleware } from './middleware.ts';
import type { Model } from './model.ts';
import type { Answer, Pending } from './need.ts';
import type { Clock, Logger, MintId } from './ports.ts';
import { type Options, Prompt } from './prompt.ts';
import { streamReply } from './reply.ts';
import type { Outcome } from './result.ts';
import type { Stage } from './stage.ts';
import type { StopPredicate } from './stop.ts';
import { checkSchema, type Tool, type ToolSource } from './tool.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';
import type { WaitingLine, WaitingMessage } from './waiting.ts';

/** How a turn ended (RUN-06). */
export interface Ended {
  readonly reason: Reason;
  readonly appended: readonly Message[];
  readonly pending: readonly Pending[];
  readonly usage: Usage;
  readonly error: Error | null;
  readonly errorKind: ErrorKind | null;
  /** The finish of the turn's last assistant message; null when interrupted or when there is none (FIN-02, FIN-07). */
  readonly finish: Finish | null;
  /** The reply as far as it came; set when interrupted, and nowhere else (INTR-02, INTR-03). */
  readonly partial: Message | null;
  /** What was interjected and could not land, the steering ones first (STEER-10). */
  readonly queued: readonly Message[];
}

/** Everything of a Run that its turns use. */
export interface TurnPorts {
  readonly model: Model;
  readonly tools: ToolSource;
  readonly system: string | null;
  readonly options: Options;
  readonly middleware: readonly Middleware[];
  readonly context: unknown;
  readonly stop: readonly StopPredicate[];
  readonly cancelGrace: number | undefined;
  readonly settled: ReadonlyMap<string, Outcome>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly mintId: MintId;
  readonly redact: (text: string) => string;
  readonly conversation: Conversation;
  readonly waiting: WaitingLine;
}

/** Where a turn begins: at its start with an input, or, on recovery, in its middle. */
export type TurnStart =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'answers'; readonly answers: readonly Answer[] }
  | { readonly kind: 'resume'; readonly edit: Message }
  | ({ readonly kind: 'proceed' } & TurnPoint);

/** What was told already of a step whose Run was lost: it is neither told nor done again. */
export interface BegunStep extends ToldCalls {
  /** The reply, when it was whole: its calls run, the model is not asked again. */
  readonly reply?: Reply;
}

/** A point in the middle of a turn, from which a recovered Run goes on (RUN-04). */
export interface TurnPoint {
  readonly turn: number;
  /** The number of the step to take or to go on with; 0 is that of the `answers`. */
  readonly step: number;
  /** What the steps before used. */
  readonly usage: Usage;
  /** Tool retries used so far (TOOL-18). */
  readonly retries: number;
  /** The finish of the turn's last whole reply so far; null when there is none. */
  readonly finish: Finish | null;
  /** The ids of the messages that the turn has added so far (RUN-07). */
  readonly appended: readonly string[];
  /** How the step before ended, when what follows it is still to be decided. Absent: the step is to be taken, or has begun. */
  readonly after?: StepEnd;
  /** The step had begun. */
  readonly begun?: BegunStep;
  readonly answers?: readonly Answer[];
  /** The edit that the step was to continue, when it was a resume. */
  readonly edit?: Message;
  /** What was interjected and has not landed. */
  readonly waiting?: readonly WaitingMessage[];
}

/** How a step ended: with a reply alone, or with calls that have their results. */
export type StepEnd = 'answered' | 'called';

/** What was told of a step that begins. */
const nothingTold: ToldCalls = { settled: new Map(), asked: new Map(), decided: new Set() };

/** How a turn was told to stop. */
type StopKind = 'cancel' | 'interrupt';

/** Thrown inside a turn to leave the step in progress; `partial` is the reply so far. */
class Stopped {
  readonly partial: Message | null;

  constructor(partial: Message | null) {
    this.partial = partial;
  }
}

/** One turn, from its start to its one turn_ended (LOOP-03). */
export class Turn {
  readonly number: number;
  readonly #ports: TurnPorts;
  readonly #stage: Stage<Event>;
  readonly #start: TurnStart;
  readonly #onEnd: (ended: Ended) => void;
  readonly #origins = new Origins();
  readonly #abort = new AbortController();
  #stopKind: StopKind | null = null;
  #failure: Failure | null = null;
  #usage: Usage = noUsage;
  #retries = 0;
  #steps = 0;
  #finish: Finish | null = null;
  #concluded = false;

  constructor(number: number, ports: TurnPorts, stage: Stage<Event>, start: TurnStart, onEnd: (ended: Ended) => void) {
    this.number = number;
    this.#ports = ports;
    this.#stage = stage;
    this.#start = start;
    this.#onEnd = onEnd;
  }

  /** Tells the turn to stop. A cancel outranks an interrupt. */
  stop(kind: StopKind): void {
    if (this.#stopKind !== 'cancel') this.#stopKind = kind;
    this.#abort.abort();
  }

  /** Tool retries used so far (TOOL-18). */
  get retries(): number {
    return this.#retries;
  }

  /** Plays the turn to its end; gives the misuse that ended it. */
  async play(): Promise<MisuseError | null> {
    const { conversation } = this.#ports;
    conversation.mark();
    let reason: Reason;
    let partial: Message | null = null;
    try {
      reason = await this.#run();
    } catch (thrown) {
      if (thrown instanceof Stopped) partial = thrown.partial;
      else this.#fail(thrown);
      reason = 'failed';
    }
    if (this.#failure === null && this.#stopKind !== null && reason === 'failed') {
      reason = this.#stopKind === 'cancel' ? 'cancelled' : 'interrupted';
    }
    if (!this.#concluded) this.#conclude(reason, reason === 'interrupted' ? partial : null);
    await this.#tellEnd(reason);
    return this.#failure?.error instanceof MisuseError ? this.#failure.error : null;
  }

  async #run(): Promise<Reason> {
    const start = this.#start;
    if (start.kind === 'message') this.#ports.conversation.append(start.message);
    if (start.kind === 'proceed') this.#takeUp(start);
    else await this.#emit({ type: 'turn_started' });
    const point = start.kind === 'proceed' ? start : undefined;
    const answers = start.kind === 'answers' ? start.answers : point?.answers;
    let edit = start.kind === 'resume' ? start.edit : point?.edit;
    this.#leaveWhenStopped(edit ?? null);

    let begun = point?.begun;
    let ended: StepEnd | 'paused' | null = point?.after ?? null;
    if (answers !== undefined) {
      ended = await this.#answeredStep(answers, begun);
      begun = undefined;
    }
    for (;;) {
      if (ended === 'paused') return 'awaiting_input';
      if (ended === 'answered' && !this.#ports.waiting.steered) {
        if (!this.#ports.waiting.queued) return this.#conclude('done', null);
        if (this.#isStopped()) return 'stopped';
        await this.#land('queue');
      } else if (ended !== null && this.#isStopped()) return 'stopped';
      this.#leaveWhenStopped(null);
      if (begun === undefined) await this.#landSteers();
      ended = await this.#step(edit, begun);
      edit = undefined;
      begun = undefined;
    }
  }

  #takeUp(point: TurnPoint): void {
    this.#usage = point.usage;
    this.#retries = point.retries;
    this.#finish = point.finish;
    this.#steps = Math.max(0, point.step - 1);
    this.#ports.conversation.mark(point.appended);
    for (const item of point.waiting ?? []) this.#ports.waiting.add(item);
  }

  #isStopped(): boolean {
    const progress = { steps: this.#steps, messages: this.#ports.conversation.messages, usage: this.#usage };
    return this.#ports.stop.some((predicate) => predicate(progress));
  }

  /** One step of a model reply and its calls (LOOP-02). A step that does not end leaves nothing in the conversation (FAIL-06). */
  async #step(edit: Message | undefined, begun: BegunStep | undefined): Promise<StepEnd | 'paused'> {
    const n = this.#steps + 1;
    if (begun === undefined) await this.#emit({ type: 'step_started', n });
    const tools = await this.#tools();
    const offered = { names: new Set(tools.keys()) as ReadonlySet<string> };
    const reply = begun?.reply ?? (await this.#reply(edit, tools, offered));
    const { message } = reply;
    const calls = toolCalls(message);
    const shown = new Map([...tools].filter(([name]) => offered.names.has(name)));
    const done = await this.#calls({ calls, tools: shown, answers: new Map(), told: begun ?? nothingTold }, message);
    this.#steps = n;
    this.#finish = reply.finish;
    await this.#store(message, done, n);
    if (done.pending.length > 0) return 'paused';
    return calls.length > 0 ? 'called' : 'answered';
  }

  /** Step 0: the calls that were answered, on top of the message that made them (LOOP-12, PAUSE-34). */
  async #answeredStep(answers: readonly Answer[], begun: BegunStep | undefined): Promise<StepEnd | 'paused'> {
    if (begun === undefined) await this.#emit({ type: 'step_started', n: 0 });
    const { conversation } = this.#ports;
    const pending = new Map(conversation.pending.map((item) => [item.call.id, item]));
    const assistant = conversation.messages.findLast((message) => toolCalls(message).some((call) => pending.has(call.id)));
    if (assistant === undefined)
      throw new MisuseError('bad_input', 'The pending calls belong to no message of the conversation.');
    const calls = toolCalls(assistant).filter((call) => pending.has(call.id));
    const byCall = new Map(
      answers.flatMap((answer) => {
        const item = pending.get(answer.callId);
        return item === undefined ? [] : [[answer.callId, { pending: item, answer }] as const];
      }),
    );
    const step = { calls, tools: await this.#tools(), answers: byCall, told: begun ?? nothingTold };
    const done = await this.#calls(step, null);
    if (done.pending.length > 0) this.#finish = 'tool_calls';
    await this.#store(assistant, done, 0);
    return done.pending.length > 0 ? 'paused' : 'called';
  }

  async #reply(
    edit: Message | undefined,
    tools: ReadonlyMap<string, Tool>,
    offered: { names: ReadonlySet<string> },
  ): Promise<Reply> {
    const { conversation, options, system, mintId, model } = this.#ports;
    if (edit !== undefined && model.continues === false) throw this.#origins.mark(cannotContinue(), 'model');
    const accumulator = new ReplyAccumulator(edit?.id ?? mintId('msg'), this.number, () => mintId('call'), edit);
    const prompt = new Prompt({
      system,
      messages: edit === undefined ? conversation.messages : [...conversation.messages, edit],
      tools: [...tools.values()].map((tool) => tool.spec),
      options,
      cancel: this.#abort.signal,
      continue: edit !== undefined,
    });
    await this.#emit({ type: edit === undefined ? 'message_started' : 'message_resumed', id: accumulator.id });
    try {
      const ports = { ...this.#ports, origins: this.#origins, emit: (event: Event) => this.#stage.put(event) };
      const whole = await streamReply(ports, prompt, accumulator, offered);
      if (!whole || this.#abort.signal.aborted) throw new Stopped(accumulator.partial());
    } finally {
      this.#usage = addUsage(this.#usage, accumulator.usage);
    }
    const { events, reply } = accumulator.end();
    for (const event of events) await this.#stage.put(event);
    return reply;
  }

  async #calls(step: Parameters<typeof runCalls>[1], partial: Message | null): Promise<CallOutcomes> {
    const done = await runCalls(this.#callPorts(), step);
    if (this.#failure !== null) throw this.#failure.error;
    this.#leaveWhenStopped(partial);
    return done;
  }

  #callPorts(): CallPorts {
    const { middleware, clock, logger, redact, cancelGrace, settled, context, waiting } = this.#ports;
    return {
      middleware,
      clock,
      logger,
      redact,
      cancelGrace,
      settled,
      origins: this.#origins,
      host: {
        turn: this.number,
        context,
        signal: this.#abort.signal,
        progress: (id, value) => this.#emit({ type: 'tool_progress', id, value }),
        nest: (event) => this.#stage.put(event),
      },
      emit: (event) => this.#emit(event),
      steered: () => waiting.steered,
      countRetry: () => {
        this.#retries += 1;
        return this.#retries > this.#ports.options.toolRetries;
      },
      fail: (error) => this.#fail(error),
      failing: () => this.#failure !== null,
    };
  }

  async #store(assistant: Message, done: CallOutcomes, n: number): Promise<void> {
    this.#ports.conversation.store(assistant, done.outcomes, done.pending);
    if (done.pending.length > 0) await this.#emit({ type: 'input_requested', pending: done.pending });
    await this.#emit({ type: 'step_ended', n });
  }

  /** The tools as the source reads now; names are unique and schemas of type object (LOOP-01, TOOL-31, TOOL-05). */
  async #tools(): Promise<ReadonlyMap<string, Tool>> {
    const byName = new Map<string, Tool>();
    try {
      for (const tool of await this.#ports.tools.tools()) {
        if (byName.has(tool.spec.name)) throw new MisuseError('duplicate_tool', `Two tools are named ${tool.spec.name}.`);
        checkSchema(tool.spec.name, tool.spec.input);
        byName.set(tool.spec.name, tool);
      }
    } catch (error) {
      throw this.#origins.mark(error, 'tool');
    }
    return byName;
  }

  async #landSteers(): Promise<void> {
    while (this.#ports.waiting.steered) await this.#land('steer');
  }

  /** Taking a message from the line and appending it is one act: it is never in both places or in none (STEER-03). */
  async #land(delivery: Delivery): Promise<void> {
    const item = this.#ports.waiting.take(delivery);
    if (item === undefined) return;
    this.#ports.conversation.append(item.message);
    await this.#emit({ type: 'interjected', message: item.message, delivery });
  }

  #leaveWhenStopped(partial: Message | null): void {
    if (this.#abort.signal.aborted) throw new Stopped(partial);
  }

  #fail(thrown: unknown): void {
    this.#failure ??=
      thrown instanceof ToolRetriesExceeded ? { kind: 'tool_retries_exceeded', error: thrown } : this.#origins.failure(thrown);
    this.#abort.abort();
  }

  /** From here on the turn is over: done in the same tick that found nothing waiting, so no message falls between (STEER-06). */
  #conclude(reason: Reason, partial: Message | null): Reason {
    const { conversation, waiting } = this.#ports;
    this.#concluded = true;
    if (reason === 'interrupted') this.#finish = null;
    this.#onEnd({
      reason,
      appended: conversation.appended,
      pending: conversation.pending,
      usage: this.#usage,
      error: this.#failure?.error ?? null,
      errorKind: this.#failure?.kind ?? null,
      finish: this.#finish,
      partial,
      queued: waiting.drain().map((item) => item.message),
    });
    return reason;
  }

  async #tellEnd(reason: Reason): Promise<void> {
    const error = this.#failure === null ? null : turnError(this.#failure);
    await this.#emit({ type: 'turn_ended', reason, usage: this.#usage, error, finish: this.#finish });
  }

  #emit({ type, ...fields }: EventBody): Promise<void> {
    return this.#stage.put({ type, turn: this.number, parent: null, ...fields } as Event);
  }
}

/** The model is known not to continue a reply: it is not asked at all (INTR-21), and nothing is emulated (INTR-16). */
function cannotContinue(): UnsupportedOptionError {
  return new UnsupportedOptionError('This model cannot go on from an edited reply.', appendAndAsk);
}

import { Conversation } from './conversation.ts';
import { MisuseError } from './error.ts';
import type { Delivery, Event } from './event.ts';
import { type Message, textOf, toolCalls } from './message.ts';
import type { Middleware } from './middleware.ts';
import type { Model } from './model.ts';
import { type Answer, checkAnswer, type Pending } from './need.ts';
import { type Clock, type Logger, type MintId, randomId, silentLogger, systemClock } from './ports.ts';
import { defaultOptions, type Options } from './prompt.ts';
import type { Outcome } from './result.ts';
import { Stage } from './stage.ts';
import { maxSteps, type StopPredicate } from './stop.ts';
import type { ToolSource } from './tool.ts';
import { type Ended, Turn, type TurnPoint, type TurnPorts, type TurnStart } from './turn.ts';
import { TurnStream } from './turn-stream.ts';
import { WaitingLine, type WaitingMessage } from './waiting.ts';

/** The input of a turn that goes on from an edited partial reply (INTR-05). */
export class Resume {
  readonly message: Message;

  /** @throws MisuseError `bad_input` unless the message is the assistant's. */
  constructor(message: Message) {
    if (message.role !== 'assistant')
      throw new MisuseError('bad_input', 'A Resume takes an assistant message: the reply as edited.');
    this.message = message;
  }
}

/** What a Run is built from (RUN-03). */
export interface RunInit {
  readonly model: Model;
  readonly tools: ToolSource;
  readonly system?: string;
  readonly options?: Partial<Options>;
  /** Outermost first (MW-03). */
  readonly middleware?: readonly Middleware[];
  /** Handed to every tool call unchanged (RUN-17). */
  readonly context?: unknown;
  readonly messages?: readonly Message[];
  readonly pending?: readonly Pending[];
  /** How many turns the conversation has had: the next is numbered one more (C-23). Default 0. */
  readonly turn?: number;
  /** Any true one stops the turn; default: twenty steps (LOOP-05). */
  readonly stop?: readonly StopPredicate[];
  /** How long a tool may go on after a cancel, in ms, before its call is settled as unknown; absent: waited for (CANC-12). */
  readonly cancelGrace?: number;
  /** Outcomes of calls that ran already, by call id: used instead of running them (RUN-04, INTR-19). */
  readonly settled?: ReadonlyMap<string, Outcome>;
  readonly logger?: Logger;
  /** Takes secrets out of an exception's message before a model or a reader sees it; default: as it is (TOOL-20). */
  readonly redact?: (text: string) => string;
  readonly clock?: Clock;
  readonly mintId?: MintId;
}

/**
 * A conversation and the turns it takes. One turn at a time; it lives in memory, and whoever keeps it stores `messages()` and
 * `pending()` and builds another Run from them (RUN-15, PAUSE-23).
 */
export class Run {
  readonly #ports: TurnPorts;
  readonly #conversation: Conversation;
  readonly #waiting = new WaitingLine();
  #turns: number;
  #turn: Turn | null = null;
  #begun = false;
  #ended: Ended | null = null;
  #retries: () => number = () => 0;

  /** @throws MisuseError `option_invalid` for an option that makes no sense. */
  constructor(init: RunInit) {
    const options: Options = { ...defaultOptions, ...init.options };
    checkOptions(options);
    this.#turns = init.turn ?? 0;
    this.#conversation = new Conversation(init.messages ?? [], init.pending ?? []);
    this.#ports = {
      model: init.model,
      tools: init.tools,
      system: init.system ?? null,
      options,
      middleware: init.middleware ?? [],
      context: init.context,
      stop: init.stop ?? [maxSteps(20)],
      cancelGrace: init.cancelGrace,
      settled: init.settled ?? new Map(),
      logger: init.logger ?? silentLogger,
      clock: init.clock ?? systemClock,
      mintId: init.mintId ?? randomId,
      redact: init.redact ?? ((text) => text),
      conversation: this.#conversation,
      waiting: this.#waiting,
    };
  }

  /**
   * Takes a turn: a user message, the answers to every pending call, or a Resume of a partial reply (RUN-04). The turn begins with the
   * first pull of its events and progresses only while they are pulled.
   * @throws MisuseError `turn_running`, `awaiting_input`, `nothing_pending`, `resume_not_valid`, `resume_needs_text`, `answer_invalid`,
   * `answer_not_a_choice`, `bad_input`, before anything begins.
   */
  turn(input: Message | readonly Answer[] | Resume): AsyncGenerator<Event, void, undefined> {
    this.#refuseWhileRunning();
    const start = this.#start(input);
    return this.#play(this.#turns + 1, start);
  }

  /** Goes on in the middle of a turn, without a second turn_started: for a host that recovers one (RUN-04). */
  proceed(point: TurnPoint): AsyncGenerator<Event, void, undefined> {
    this.#refuseWhileRunning();
    return this.#play(point.turn, { kind: 'proceed', ...point });
  }

  /** Ends the running turn as cancelled; the step in progress is discarded. Does nothing when none runs (CANC-09). */
  cancel(): void {
    this.#turn?.stop('cancel');
  }

  /** Ends the running turn as interrupted; `ended().partial` holds the reply so far. Does nothing when none runs (INTR-20). */
  interrupt(): void {
    this.#turn?.stop('interrupt');
  }

  /**
   * Hands the running turn a user message (STEER-01).
   * @throws MisuseError `no_running_turn` before the first pull and after the end, `bad_input` for another role.
   */
  interject(message: Message, delivery: Delivery = 'steer'): void {
    if (message.role !== 'user') throw new MisuseError('bad_input', 'Only a user message can be interjected.');
    if (this.#turn === null || !this.#begun)
      throw new MisuseError('no_running_turn', 'No turn is running: give the message to turn().');
    this.#waiting.add({ message, delivery });
  }

  /** What was interjected and has not landed, the steering ones first. */
  waiting(): readonly WaitingMessage[] {
    return this.#waiting.all();
  }

  /** Takes back what has not landed; false when it has. */
  withdraw(messageId: string): boolean {
    return this.#waiting.withdraw(messageId);
  }

  /** Changes what has not landed, in its place; false when it has landed. */
  amend(messageId: string, message: Message, delivery: Delivery): boolean {
    return this.#waiting.amend(messageId, { message, delivery });
  }

  /** How many tool retries the turn, or the last one, has used (TOOL-18): a host keeps them for `proceed`. */
  retries(): number {
    return this.#retries();
  }

  /** The whole conversation (RUN-07). */
  messages(): readonly Message[] {
    return this.#conversation.messages;
  }

  /** The calls that wait for an answer. */
  pending(): readonly Pending[] {
    return this.#conversation.pending;
  }

  /** How the last turn ended; null before the first end. Set when turn_ended is delivered (RUN-08). */
  ended(): Ended | null {
    return this.#ended;
  }

  /** True from the call of `turn()` until turn_ended is delivered (RUN-08, C-12). */
  isRunning(): boolean {
    return this.#turn !== null;
  }

  #play(number: number, start: TurnStart): AsyncGenerator<Event, void, undefined> {
    const stage = new Stage<Event>();
    const turn = new Turn(number, this.#ports, stage, start, (ended) => {
      this.#ended = ended;
      this.#turn = null;
      this.#begun = false;
    });
    this.#turn = turn;
    this.#retries = () => turn.retries;
    this.#turns = number;
    return new TurnStream(stage, {
      play: () => {
        this.#begun = true;
        return turn.play();
      },
      abandon: () => turn.stop('cancel'),
    });
  }

  #refuseWhileRunning(): void {
    if (this.#turn !== null) throw new MisuseError('turn_running', 'A turn is running: interject(), cancel() or interrupt() it.');
  }

  #start(input: Message | readonly Answer[] | Resume): TurnStart {
    if (input instanceof Resume) return { kind: 'resume', edit: this.#checkResume(input.message) };
    if (isAnswers(input)) return { kind: 'answers', answers: this.#checkAnswers(input) };
    if (input?.role !== 'user')
      throw new MisuseError('bad_input', 'turn() takes a user message, a list of answers, or a Resume.');
    if (this.pending().length > 0) throw new MisuseError('awaiting_input', 'Calls await input: give turn() their answers.');
    return { kind: 'message', message: input };
  }

  #checkAnswers(answers: readonly Answer[]): readonly Answer[] {
    const pending = this.pending();
    if (pending.length === 0) throw new MisuseError('nothing_pending', 'No call awaits input: give turn() a user message.');
    const byCall = new Map(answers.map((answer) => [answer.callId, answer]));
    const unknown = answers.find((answer) => !pending.some((item) => item.call.id === answer.callId));
    if (unknown !== undefined) throw new MisuseError('answer_invalid', `No pending call has the id ${unknown.callId}.`);
    if (byCall.size < answers.length) throw new MisuseError('answer_invalid', 'A call has two answers; give one.');
    for (const item of pending) {
      const answer = byCall.get(item.call.id);
      if (answer === undefined)
        throw new MisuseError('answer_invalid', `The call ${item.call.id} is not answered; answer every pending call.`);
      const problem = checkAnswer(item, answer);
      if (problem !== null) throw new MisuseError(problem.code, problem.message);
    }
    return answers;
  }

  #checkResume(edit: Message): Message {
    if (this.pending().length > 0 || this.messages().at(-1)?.role !== 'user') {
      throw new MisuseError(
        'resume_not_valid',
        'A Resume needs a conversation that ends with a user message, and no call that awaits input.',
      );
    }
    if (textOf(edit).trim() === '' && toolCalls(edit).length === 0) {
      throw new MisuseError('resume_needs_text', 'A reply goes on from its visible text: the edit holds none.');
    }
    if (this.messages().some((message) => message.id === edit.id)) {
      throw new MisuseError('bad_input', 'The conversation holds a message with the id of the edit already: give it another.');
    }
    return edit;
  }
}

function isAnswers(input: Message | readonly Answer[] | Resume): input is readonly Answer[] {
  return Array.isArray(input);
}

function checkOptions(options: Options): void {
  const positive: readonly (keyof Options)[] = ['maxOutputTokens', 'contextWindow'];
  for (const name of positive) {
    const value = options[name];
    if (value !== undefined && !(Number.isInteger(value) && Number(value) > 0)) {
      throw new MisuseError('option_invalid', `${name} must be a positive whole number of tokens.`);
    }
  }
  if (!Number.isInteger(options.toolRetries) || options.toolRetries < 0) {
    throw new MisuseError('option_invalid', 'toolRetries must be a whole number, 0 or more.');
  }
}

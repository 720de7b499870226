import type { Call } from './call.ts';
import { MisuseError } from './error.ts';
import type { Event } from './event.ts';
import type { Json } from './json.ts';
import type { ToolCallPart } from './message.ts';
import { type Answer, checkAnswer, type Decision, type Need, type Pending } from './need.ts';
import { type Result, textResult } from './result.ts';
import type { ToolSpec } from './tool.ts';

/** What a call context needs of its turn. */
export interface CallHost {
  readonly turn: number;
  readonly context: unknown;
  readonly signal: AbortSignal;
  progress(id: string, value: Json): Promise<void>;
  nest(event: Event): Promise<void>;
}

/** The Call that the loop hands to middleware and tools. */
export class CallContext implements Call {
  readonly id: string;
  readonly turn: number;
  readonly context: unknown;
  readonly spec: ToolSpec | null;
  readonly signal: AbortSignal;
  readonly #part: ToolCallPart;
  readonly #host: CallHost;
  #asked: Pending | null = null;
  #answer: Answer | null;
  #state: Json;
  #settled = false;

  constructor(
    part: ToolCallPart,
    spec: ToolSpec | null,
    host: CallHost,
    resumed?: { readonly answer: Answer; readonly state: Json },
  ) {
    this.id = part.id;
    this.turn = host.turn;
    this.context = host.context;
    this.signal = host.signal;
    this.spec = spec;
    this.#part = part;
    this.#host = host;
    this.#answer = resumed?.answer ?? null;
    this.#state = resumed?.state ?? null;
  }

  /** The call has its outcome: what it still reports is dropped (RUN-11). */
  settle(): void {
    this.#settled = true;
  }

  async progress(value: Json): Promise<void> {
    if (!this.#settled) await this.#host.progress(this.id, value);
  }

  async nest(event: Event): Promise<void> {
    if (!this.#settled) await this.#host.nest({ ...event, parent: event.parent ?? this.id });
  }

  isCancelled(): boolean {
    return this.signal.aborted;
  }

  needsInput(needs: readonly Need[], state: Json = null): Result {
    if (needs.length === 0)
      throw new MisuseError('needs_empty', `The call of ${this.#part.name} asked for input without a need.`);
    if (new Set(needs.map((need) => need.id)).size < needs.length) {
      throw new MisuseError('need_ids_not_unique', `The needs of one call of ${this.#part.name} must have different ids.`);
    }
    const { id, name, input } = this.#part;
    this.#asked = { call: { type: 'tool_call', id, name, input }, needs, state };
    return textResult('Waiting for input');
  }

  pending(): Pending | null {
    return this.#asked;
  }

  answer(given: Omit<Answer, 'callId'>): void {
    if (this.#asked === null) throw new MisuseError('nothing_pending', `The call of ${this.#part.name} asked nothing.`);
    const answer: Answer = { ...given, callId: this.id };
    const problem = checkAnswer(this.#asked, answer);
    if (problem !== null) throw new MisuseError(problem.code, problem.message);
    this.#answer = answer;
    this.#state = this.#asked.state;
    this.#asked = null;
  }

  answers(): Answer | null {
    return this.#answer;
  }

  decision(): Decision | null {
    return this.#answer?.decisions.approval ?? null;
  }

  state(): Json {
    return this.#state;
  }
}

import { CallContext, type CallHost } from './call-context.ts';
import { Cancelled, MisuseError, Retry } from './error.ts';
import type { EventBody } from './event.ts';
import type { Origins } from './failure.ts';
import type { ToolCallPart } from './message.ts';
import type { Middleware, NextTool, ToolMiddleware } from './middleware.ts';
import { type Answer, deniedReasons, type Pending } from './need.ts';
import type { Clock, Logger } from './ports.ts';
import { errorResult, isThrown, notRun, type Outcome, type Result, Thrown } from './result.ts';
import type { Tool } from './tool.ts';

/** What running the calls of a step needs of the turn. */
export interface CallPorts {
  readonly middleware: readonly Middleware[];
  readonly origins: Origins;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redact: (text: string) => string;
  readonly host: CallHost;
  /** How long a tool may go on after the cancel signal, in ms; absent: it is waited for (CANC-12). */
  readonly cancelGrace: number | undefined;
  /** Outcomes of calls that ran before: used, not run again (INTR-19). */
  readonly settled: ReadonlyMap<string, Outcome>;
  emit(event: EventBody): Promise<void>;
  /** True while a steer waits, so that calls not begun are skipped (STEER-04). */
  steered(): boolean;
  /** Counts one retry; true when the turn has used more than it may (TOOL-18). */
  countRetry(): boolean;
  /** Ends the turn: no call of the step starts any more. */
  fail(error: unknown): void;
  failing(): boolean;
}

/** The calls of a step: in the model's order, with the tools they may use, and with their answers on a resume. */
export interface StepCalls {
  readonly calls: readonly ToolCallPart[];
  readonly tools: ReadonlyMap<string, Tool>;
  readonly answers: ReadonlyMap<string, { readonly pending: Pending; readonly answer: Answer }>;
  /** What was told of the step before its Run was lost. */
  readonly told: ToldCalls;
}

/** What was told of calls already, by call id: outcomes and questions stand, decisions are not told again. */
export interface ToldCalls {
  readonly settled: ReadonlyMap<string, Outcome>;
  readonly asked: ReadonlyMap<string, Pending>;
  readonly decided: ReadonlySet<string>;
}

/** What the calls of a step came to. */
export interface CallOutcomes {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly pending: readonly Pending[];
}

/** Runs the calls of a step: the read-only ones together, then the others one by one in the model's order (TOOL-24, TOOL-25). */
export async function runCalls(ports: CallPorts, step: StepCalls): Promise<CallOutcomes> {
  const runner = new StepRunner(ports, step);
  const readOnly = (call: ToolCallPart): boolean => step.tools.get(call.name)?.spec.hints.readOnly === true;
  await Promise.all(step.calls.filter(readOnly).map((call) => runner.run(call)));
  for (const call of step.calls) if (!readOnly(call)) await runner.run(call);
  const pending = step.calls.flatMap((call) => runner.pending.get(call.id) ?? []);
  return { outcomes: runner.outcomes, pending };
}

class StepRunner {
  readonly outcomes = new Map<string, Outcome>();
  readonly pending = new Map<string, Pending>();
  readonly #ports: CallPorts;
  readonly #step: StepCalls;

  constructor(ports: CallPorts, step: StepCalls) {
    this.#ports = ports;
    this.#step = step;
  }

  async run(call: ToolCallPart): Promise<void> {
    if (this.#ports.failing() || this.#takeTold(call)) return;
    const resumed = this.#step.answers.get(call.id);
    if (resumed !== undefined && !this.#step.told.decided.has(call.id)) await this.#tellDecisions(call, resumed.answer);
    const outcome = this.#unstarted(call) ?? (await this.#attempt(call));
    if (outcome === null) return;
    this.outcomes.set(call.id, outcome);
    await this.#ports.emit({ type: 'tool_ended', id: call.id, outcome });
  }

  /** Takes over what the call came to before its Run was lost. */
  #takeTold(call: ToolCallPart): boolean {
    const { settled, asked } = this.#step.told;
    const [outcome, pending] = [settled.get(call.id), asked.get(call.id)];
    if (outcome !== undefined) this.outcomes.set(call.id, outcome);
    else if (pending !== undefined) this.pending.set(call.id, pending);
    return outcome !== undefined || pending !== undefined;
  }

  /** The outcome of a call that does not run at all; null when it is to run. */
  #unstarted(call: ToolCallPart): Outcome | null {
    const settled = this.#ports.settled.get(call.id);
    if (settled !== undefined) return settled;
    if (this.#ports.host.signal.aborted) return notRun.cancelled;
    if (this.#ports.steered()) return notRun.skipped;
    const resumed = this.#step.answers.get(call.id);
    const denied =
      resumed === undefined || resumed.pending.state !== null ? null : deniedReasons(resumed.pending, resumed.answer);
    return denied === null ? null : notRun.denied(denied);
  }

  /** One decision each: every approval, and questions only when declined (EVT-26). */
  async #tellDecisions(call: ToolCallPart, answer: Answer): Promise<void> {
    for (const [needId, decision] of Object.entries(answer.decisions)) {
      await this.#ports.emit({ type: 'tool_decided', id: call.id, needId, decision });
    }
  }

  /** Runs a call; null when it paused, or when it ended the turn without an outcome. */
  async #attempt(call: ToolCallPart): Promise<Outcome | null> {
    const tool = this.#step.tools.get(call.name);
    const resumed = this.#step.answers.get(call.id);
    const context = new CallContext(
      call,
      tool?.spec ?? null,
      this.#ports.host,
      resumed === undefined ? undefined : { answer: resumed.answer, state: resumed.pending.state },
    );
    try {
      const outcome = await this.#withGrace(call, this.#invoke(call, context, tool));
      const asked = context.pending();
      if (asked === null || isThrown(outcome)) return outcome;
      this.pending.set(call.id, asked);
      return null;
    } catch (error) {
      // What breaks after the cancel signal broke because of it, except misuse, which is never swallowed.
      if (this.#ports.host.signal.aborted && !(error instanceof MisuseError)) return notRun.cancelled;
      this.#ports.fail(error);
      return null;
    } finally {
      context.settle();
    }
  }

  /** What is wrong with a call before anything of it runs (TOOL-28). */
  async #broken(call: ToolCallPart, tool: Tool | undefined): Promise<string | null> {
    if (call.malformed !== undefined) {
      return `The arguments of ${call.name} are not one complete JSON object, so the call did not run. If they were cut off, send the call again with shorter arguments.`;
    }
    const issues = tool === undefined ? [] : await this.#asTool(() => tool.check(call.input));
    if (issues.length === 0) return null;
    const list = issues.map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`)).join('; ');
    return `The arguments of ${call.name} do not fit its schema, so the call did not run: ${list}`;
  }

  /** The error result of a call that the model is to correct; past the limit it also ends the turn (TOOL-18, TOOL-19). */
  #retried(why: string): Result {
    if (this.#ports.countRetry()) this.#ports.fail(new ToolRetriesExceeded(why));
    return errorResult(why);
  }

  async #invoke(call: ToolCallPart, context: CallContext, tool: Tool | undefined): Promise<Outcome> {
    let unknown = false;
    const innermost: NextTool = async (inner, innerContext) => {
      if (tool === undefined) {
        unknown = true;
        return errorResult(this.#unknownText(inner.name));
      }
      return this.#asTool(async () => tool.call(inner.input, innerContext));
    };
    const layers = this.#ports.middleware.filter((layer): layer is ToolMiddleware => 'call' in layer);
    const chain = layers.reduceRight<NextTool>((next, layer) => async (inner, ctx) => layer.call(inner, ctx, next), innermost);
    try {
      const broken = await this.#broken(call, tool);
      if (broken !== null) return this.#retried(broken);
      const result = await chain(call, context);
      if (unknown && this.#ports.countRetry()) this.#ports.fail(new ToolRetriesExceeded(this.#unknownText(call.name)));
      return result;
    } catch (error) {
      return this.#caught(call, error);
    }
  }

  /** What the tool's own code throws is marked as the tool's. */
  async #asTool<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#ports.origins.mark(error, 'tool');
    }
  }

  /** A Retry is for the model; another exception of the tool is its outcome; the rest ends the turn (TOOL-17 to TOOL-22). */
  #caught(call: ToolCallPart, error: unknown): Outcome {
    if (error instanceof Retry) return this.#retried(error.message);
    if (!this.#ports.origins.isTool(error) || error instanceof MisuseError) throw error;
    if (!(error instanceof Cancelled)) this.#ports.logger.warn('A tool threw', { tool: call.name, call: call.id, error });
    return Thrown.from(error, this.#ports.redact);
  }

  #unknownText(name: string): string {
    const names = [...this.#step.tools.keys()].slice(0, 50).join(', ');
    return `There is no tool named ${name.slice(0, 100)}. ${names === '' ? 'No tool is offered now.' : `The tools are: ${names}.`}`;
  }

  /** Waits for a call; once the turn is cancelled, only so long as the grace lasts (CANC-12). */
  async #withGrace(call: ToolCallPart, running: Promise<Outcome>): Promise<Outcome> {
    const { cancelGrace, clock, host, logger } = this.#ports;
    if (cancelGrace === undefined) return running;
    const over = new AbortController();
    const graceOver = (async (): Promise<null> => {
      await aborted(host.signal, over.signal);
      await clock.sleep(cancelGrace, over.signal);
      return null;
    })();
    const outcome = await Promise.race([running, graceOver]).finally(() => over.abort());
    if (outcome !== null) return outcome;
    logger.warn('A tool did not end after the cancel signal and was left behind', { tool: call.name, call: call.id });
    running.then(
      () => logger.warn('A tool that was left behind ended', { call: call.id }),
      (error: unknown) => logger.warn('A tool that was left behind threw', { call: call.id, error }),
    );
    return notRun.outcomeUnknown;
  }
}

/** The turn used up its tool retries (TOOL-19). */
export class ToolRetriesExceeded extends Error {
  constructor(last: string) {
    super(`The model used up the turn's tool retries. The last problem: ${last}`);
    this.name = 'ToolRetriesExceeded';
  }
}

/** Resolves when either signal fires. */
function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    }
  });
}

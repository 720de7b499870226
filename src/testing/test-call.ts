import type { Answer, Event, Json, JsonObject, ToolSpec } from '../core/index.ts';
import { CallContext } from '../core/call-context.ts';

/** What a TestCall may be given; everything has a default. `answer` and `state` make it a call that is made again after a pause. */
export interface TestCallInit {
  readonly id?: string;
  readonly turn?: number;
  readonly context?: unknown;
  readonly spec?: ToolSpec | null;
  readonly input?: JsonObject;
  readonly answer?: Partial<Omit<Answer, 'callId'>>;
  readonly state?: Json;
}

/**
 * A Call for testing one tool or one tool middleware alone (TEST-03): the one that a run would hand it, but for a host that keeps
 * what the tool reports, and for `cancel()`.
 */
export class TestCall extends CallContext {
  /** What the tool reported, in order. */
  readonly progressed: readonly Json[];
  /** The events of nested runs that the tool passed on. */
  readonly nested: readonly Event[];
  readonly #abort: AbortController;

  constructor(init: TestCallInit = {}) {
    const { id = 'call_1', turn = 1, context, spec = null, input = {}, answer, state = null } = init;
    const progressed: Json[] = [];
    const nested: Event[] = [];
    const abort = new AbortController();
    const host = {
      turn,
      context,
      signal: abort.signal,
      progress: async (_: string, value: Json) => void progressed.push(value),
      nest: async (event: Event) => void nested.push(event),
    };
    const resumed = answer && { answer: { callId: id, decisions: {}, values: {}, ...answer }, state };
    super({ type: 'tool_call', id, name: spec?.name ?? 'tool', input }, spec, host, resumed);
    this.progressed = progressed;
    this.nested = nested;
    this.#abort = abort;
  }

  /** Cancels the call, as `run.cancel()` would. */
  cancel(): void {
    this.#abort.abort();
  }
}

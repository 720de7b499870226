import {
  type Call,
  type Event,
  type EventOf,
  type EventType,
  type Hints,
  type Json,
  type JsonObject,
  type Message,
  randomId,
  type Result,
  Run,
  type RunInit,
  textOf,
  textResult,
  type Tool,
  tool,
  toolCalls,
  toolList,
  userText,
} from '../../src/core/index.ts';
import { countingIds, FakeModel, type Playwright, type Script } from '../../src/testing/index.ts';

/** A run over scripts, without tools unless given. Its ids count, but on top of earlier messages, whose ids count too. */
export function start(scripts: readonly Script[] | Playwright, init: Partial<RunInit> = {}): { run: Run; model: FakeModel } {
  const model = new FakeModel(scripts);
  const mintId = init.messages === undefined ? countingIds() : randomId;
  return { model, run: new Run({ model, tools: toolList(), mintId, ...init }) };
}

export const hello: Message = userText('u1', 'Hello');

/** A tool with any input. Without a function it answers with its name. */
export function toolOf(
  name: string,
  call?: (input: JsonObject, call: Call) => Promise<Result> | Result,
  hints: Hints = {},
): Tool {
  return tool({ name, description: name, input: { type: 'object' }, hints, call: call ?? (() => textResult(name)) });
}

export const readOnly: Hints = { readOnly: true };

/** Reads a turn to its end; gives all its events. */
export async function drain(turn: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

/** Reads a turn to its end and catches what is thrown out of the iteration. */
export async function caught(turn: () => AsyncIterable<Event>): Promise<{ events: Event[]; error: unknown }> {
  const events: Event[] = [];
  try {
    for await (const event of turn()) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

export function ofType<T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

export function types(events: readonly Event[]): EventType[] {
  return events.map((event) => event.type);
}

/** Reads a turn in the background, at its own pace, so that a test can act while it runs. */
export class Reader {
  readonly events: Event[] = [];
  readonly done: Promise<Event[]>;
  readonly #waiting = new Set<() => void>();

  constructor(turn: AsyncIterable<Event>, handle: (event: Event) => void = () => {}) {
    this.done = this.#read(turn, handle);
    this.done.catch(() => {});
  }

  /** The first event of a type; rejects when the turn ends without one. */
  async until<T extends EventType>(type: T): Promise<EventOf<T>> {
    const over = this.done.then(() => 'over' as const);
    for (;;) {
      const [found] = ofType(this.events, type);
      if (found !== undefined) return found;
      const another = new Promise<'another'>((resolve) => this.#waiting.add(() => resolve('another')));
      if ((await Promise.race([another, over])) === 'over') throw new Error(`The turn ended without ${type}.`);
    }
  }

  async #read(turn: AsyncIterable<Event>, handle: (event: Event) => void): Promise<Event[]> {
    for await (const event of turn) {
      this.events.push(event);
      handle(event);
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    }
    return this.events;
  }
}

/** Resolves once everything that can go on without the test has gone on: promises all settle before the next timer. */
export function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** A conversation in short: `user: Hello`, `assistant: text [clock]`, `results: 12:00 | !failed`. */
export function brief(messages: readonly Message[]): string[] {
  return messages.map((message) => {
    const results = message.content.flatMap((part) =>
      part.type === 'tool_result' ? [`${part.error ? '!' : ''}${textOf({ ...message, content: part.content })}`] : [],
    );
    if (results.length > 0) return `results: ${results.join(' | ')}`;
    const calls = toolCalls(message).map((call) => `[${call.name}]`);
    return [`${message.role}: ${textOf(message)}`.trimEnd(), ...calls].join(' ');
  });
}

/** What JSON keeps of a value. */
export function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** The results of the last step, as the model sees them. */
export function lastResults(messages: readonly Message[]): { text: string; error: boolean }[] {
  const last = messages.findLast((message) => message.content.some((part) => part.type === 'tool_result'));
  return (last?.content ?? []).flatMap((part) =>
    part.type === 'tool_result' && last !== undefined
      ? [{ text: textOf({ ...last, content: part.content }), error: part.error }]
      : [],
  );
}

/** Where a run breaks the rule that the results of a message stand right behind it, one a call and in their order (FAIL-08). */
export function unpaired(run: Run): unknown[] {
  const waiting = new Set(run.pending().map((pending) => pending.call.id));
  const messages = run.messages();
  return messages.flatMap((message, place) => {
    const calls = toolCalls(message).map((call) => call.id);
    const due = calls.filter((id) => !waiting.has(id));
    const results = messages[place + 1]?.content.map((part) => (part.type === 'tool_result' ? part.callId : part.type)) ?? [];
    return due.length === 0 || due.join() === results.join() ? [] : [{ due, results }];
  });
}

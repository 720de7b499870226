import type { Json, JsonObject } from './json.ts';
import type { ContentPart, ToolResultPart } from './message.ts';

/**
 * What a tool call gave, in three parts for three readers: `content` for the model, `value` for the application (only in
 * `tool_ended`, TOOL-08), `meta` for the logs. `error` marks a failure for both.
 */
export interface Result {
  readonly content: readonly ContentPart[];
  readonly value: Json;
  readonly meta: readonly Json[] | JsonObject;
  readonly error: boolean;
}

/** What a result may carry beside its content. */
export interface ResultExtras {
  readonly value?: Json;
  readonly meta?: readonly Json[] | JsonObject;
}

/** A result of one text (TOOL-11). */
export function textResult(text: string, extras: ResultExtras = {}): Result {
  return { content: [{ type: 'text', text }], value: extras.value ?? null, meta: extras.meta ?? [], error: false };
}

/** A result of one text that tells the model what went wrong. */
export function errorResult(text: string, extras: ResultExtras = {}): Result {
  return { ...textResult(text, extras), error: true };
}

/**
 * An exception of a tool as events carry it (EVT-19). In the process where it was thrown `error` is the exception
 * itself; JSON holds its class and message only.
 */
export class Thrown {
  readonly class: string;
  readonly message: string;
  readonly error: unknown;

  constructor(className: string, message: string, error?: unknown) {
    this.class = className;
    this.message = message;
    this.error = error;
  }

  /** Names an exception by its class, or by its type when it is no Error; its message goes through `redact` (TOOL-20). */
  static from(error: unknown, redact: (text: string) => string): Thrown {
    const [name, message] = error instanceof Error ? [error.name, error.message] : [typeof error, String(error)];
    return new Thrown(name, redact(message), error);
  }

  toJSON(): { class: string; message: string } {
    return { class: this.class, message: this.message };
  }
}

/** How a call ended: with a result, or with an exception (told apart by `class`). */
export type Outcome = Result | Thrown;

/** True when the outcome is an exception. */
export function isThrown(outcome: Outcome): outcome is Thrown {
  return 'class' in outcome;
}

/** The longest exception message that reaches a model, in characters (TOOL-20). */
export const exceptionTextLimit = 2000;

/** What the model sees of an outcome; an exception becomes an error result with its message, cut at `exceptionTextLimit`. */
export function resultPart(callId: string, outcome: Outcome): ToolResultPart {
  if (!isThrown(outcome)) return { type: 'tool_result', callId, content: outcome.content, error: outcome.error };
  const text = outcome.message === '' ? outcome.class : outcome.message;
  const cut = text.length > exceptionTextLimit ? `${[...text].slice(0, exceptionTextLimit).join('')}…` : text;
  return { type: 'tool_result', callId, content: [{ type: 'text', text: cut }], error: true };
}

/** The results that the loop gives where a tool did not run (C-3). The texts are fixed: hosts and models rely on them. */
export const notRun = {
  skipped: errorResult('Skipped: the user sent a message'),
  cancelled: errorResult('Cancelled'),
  outcomeUnknown: errorResult('Outcome unknown: the call was started, and whether it took effect could not be learned'),
  denied: (reasons: readonly string[]): Result => errorResult(reasons.length === 0 ? 'Denied' : `Denied: ${reasons.join('; ')}`),
} as const;

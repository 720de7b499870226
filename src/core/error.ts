import type { ErrorKind } from './event.ts';

/**
 * The API was used wrongly, which retrying cannot mend (FAIL-01): thrown at the caller, or, inside a turn, delivered as a
 * failed turn and then rethrown (FAIL-02). `code` is stable.
 */
export class MisuseError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'MisuseError';
    this.code = code;
  }
}

/** A provider or model cannot honour an option (MODEL-06). `fallback` names what a host may offer instead (INTR-15). */
export class UnsupportedOptionError extends MisuseError {
  readonly fallback: string | null;

  constructor(message: string, fallback: string | null = null) {
    super('unsupported_option', message);
    this.name = 'UnsupportedOptionError';
    this.fallback = fallback;
  }
}

/** The fallback of a model that cannot continue a reply: keep the edit as a finished message, ask for the next (INTR-15). */
export const appendAndAsk = 'append_and_ask';

/** The kinds of failure that a model may report (FAIL-14). */
export type ModelErrorKind = Extract<ErrorKind, 'model_error' | 'rate_limited' | 'context_too_long' | 'transport_error'>;

/**
 * A model call failed at run time. `retryAfter` is in ms, null when the provider named no time (FAIL-13). `status` is the HTTP
 * status that the failure stands for, null when it stands for none.
 */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly retryAfter: number | null;
  readonly status: number | null;

  constructor(kind: ModelErrorKind, message: string, retryAfter: number | null = null, status: number | null = null) {
    super(message);
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfter = retryAfter;
    this.status = status;
  }
}

/**
 * A rule of the host does not let the model be asked now: a limit, a budget. `code` is the finer class that readers are shown, the message a sentence
 * for people. Not asked again unless `retryAfter` (ms) says when.
 */
export class AllowanceError extends ModelError {
  readonly code: string;

  constructor(code: string, message: string, retryAfter: number | null = null) {
    super('rate_limited', message, retryAfter);
    this.name = 'AllowanceError';
    this.code = code;
  }
}

/** Thrown by a transport, a model or a tool that saw the cancel signal (CANC-03). */
export class Cancelled extends Error {
  constructor() {
    super('Cancelled');
    this.name = 'Cancelled';
  }
}

/** Thrown by a tool to have the model correct its call; counted against `toolRetries` (TOOL-17, TOOL-18). */
export class Retry extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'Retry';
  }
}

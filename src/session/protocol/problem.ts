import type { Json, JsonObject } from '../../core/index.ts';

/** The HTTP status of each stable code (docs/wire.md, refusals). */
export const statusOf = {
  bad_request: 400,
  unauthenticated: 401,
  auth_not_configured: 401,
  origin_refused: 403,
  forbidden: 403,
  not_found: 404,
  session_locked: 409,
  awaiting_input: 409,
  nothing_pending: 409,
  already_answered: 409,
  no_running_turn: 409,
  resume_not_valid: 409,
  nothing_to_retry: 409,
  nothing_partial: 409,
  id_reused: 409,
  file_changed: 409,
  exists: 409,
  is_folder: 409,
  precondition_failed: 412,
  too_large: 413,
  quota_exceeded: 413,
  range_not_satisfiable: 416,
  answer_invalid: 422,
  answer_not_a_choice: 422,
  resume_needs_text: 422,
  unsupported_option: 422,
  mode_not_configured: 422,
  unmappable_content: 422,
  path_refused: 422,
  attachment_by_reference: 422,
  attachment_not_media: 422,
  attachment_empty: 422,
  attachment_without_prompt: 422,
  tool_schema_not_object: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  no_agent_runtime: 503,
  unsafe_authorization_configuration: 503,
} as const;

/** A stable code of a refusal. */
export type ProblemCode = keyof typeof statusOf;

/** What a refusal carries beside its code, where it applies. */
export interface ProblemExtras {
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  readonly fallback?: string;
  readonly decided?: JsonObject;
  readonly options?: readonly string[];
  /** Seconds, for the Retry-After header. */
  readonly retryAfter?: number;
}

/** A refusal as a value: decided once, rendered as problem+json, as a frame, or as a row. `detail` says what to do. */
export interface Problem extends ProblemExtras {
  readonly code: ProblemCode;
  readonly detail: string;
}

/** A value, or why it was refused. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

/** An accepted value. */
export function accepted<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

/** A refusal. */
export function refused(
  code: ProblemCode,
  detail: string,
  extras: ProblemExtras = {},
): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: { code, detail, ...extras } };
}

const titles: { readonly [status: number]: string } = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Too large',
  416: 'Range not satisfiable',
  422: 'Cannot be done',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Not available',
};

/** The body of `application/problem+json` (RFC 9457). */
export function problemBody(problem: Problem): { readonly [key: string]: Json } {
  const { code, detail, retryAfter: _, ...extras } = problem;
  const status = statusOf[code];
  return { type: `urn:reins:problem:${code}`, title: titles[status] ?? 'Error', status, detail, code, ...(extras as JsonObject) };
}

import {
  appendAndAsk,
  isObject,
  type Json,
  type JsonObject,
  ModelError,
  parseJson,
  UnsupportedOptionError,
} from '../core/index.ts';
import { isOverflow, type Refusal } from './overflow.ts';
import { retryAfter } from './retry-after.ts';
import { shown } from './secrets.ts';

/** An HTTP answer that is no stream. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The error that an answer stands for (CC-13, FAIL-14). `now` is the time in ms, against which dates in headers are read. */
export function responseError({ status, headers, body }: ErrorResponse, now: number): ModelError {
  if (status === 0 || (status >= 300 && status < 400)) {
    return new ModelError('model_error', 'The server answered with a redirect, which is not followed: the key would go along.');
  }
  const value = parseJson(body);
  const refusal = refusalOf(status, isObject(value) ? (value.error ?? value) : (value ?? body));
  return refusalError(refusal, retryAfter(headers, now));
}

/** The error that a stream carries in an event of its own, under status 200. */
export function streamError(error: Json): ModelError {
  const code = isObject(error) ? Number(error.code ?? error.status) : NaN;
  return refusalError(refusalOf(code >= 400 && code < 600 ? code : 0, error), null);
}

/** How servers say that a request may not end with an assistant message, or not with one to be continued. */
const editRefusals: readonly RegExp[] = [
  /prefill/i,
  /must end with a user message/i,
  /expected last role/i,
  /last (message|role) (must|should|cannot)/i,
  /assistant messages? at the end/i,
  /continue_final_message|add_generation_prompt/i,
  /\bprefix\b/i,
];

/** True when the error of a request that continues a reply says that the model cannot (INTR-21). */
export function refusesEdit(error: ModelError): boolean {
  return error.kind === 'model_error' && editRefusals.some((pattern) => pattern.test(error.message));
}

/** What a model throws that cannot continue a reply; hosts may offer its fallback instead (INTR-15). */
export function cannotContinue(): UnsupportedOptionError {
  return new UnsupportedOptionError('This model cannot continue a reply. Keep the edit and ask for another one.', appendAndAsk);
}

function refusalError(refusal: Refusal, wait: number | null): ModelError {
  const status = refusal.status === 0 ? 'The model reported an error' : `The model's server answered ${refusal.status}`;
  const message = refusal.text === '' ? `${status}.` : `${status}: ${shown(refusal.text)}`;
  if (isOverflow(refusal)) return new ModelError('context_too_long', message);
  const limited =
    [429, 529].includes(refusal.status) || (refusal.status === 0 && refusal.codes.some((code) => limits.includes(code)));
  return new ModelError(limited ? 'rate_limited' : 'model_error', message, wait, statusOf(refusal));
}

/** In a stream a server that failed says so by a name. */
function statusOf({ status, codes }: Refusal): number | null {
  if (status !== 0) return status;
  return codes.some((code) => failures.includes(code)) ? 500 : null;
}

/** Codes of a failure of the server in an error without a status. */
const failures = ['server_error', 'api_error', 'internal_error', 'internal_server_error'];

/** Codes of a rate limit in an error without a status. */
const limits = ['rate_limit_exceeded', 'rate_limit_error', 'rate_limited', 'overloaded_error', 'too_many_requests'];

/** The sentence of an error object. Gateways put the upstream's own words beside theirs. */
function refusalOf(status: number, error: Json): Refusal {
  if (!isObject(error)) return { status, codes: [], text: typeof error === 'string' ? error : '' };
  const codes = [error.code, error.type].filter((code) => typeof code === 'string');
  return { status, codes, text: [sentence(error), upstream(error)].filter((text) => text !== '').join(' ') };
}

function sentence(error: JsonObject): string {
  const text = error.message ?? error.detail ?? error.error;
  if (typeof text === 'string') return text;
  return text === undefined || text === null ? '' : JSON.stringify(text);
}

function upstream(error: JsonObject): string {
  const raw = isObject(error.metadata) ? error.metadata.raw : undefined;
  return typeof raw === 'string' ? raw : '';
}

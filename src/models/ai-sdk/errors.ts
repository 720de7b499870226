import { Cancelled, MisuseError, ModelError, UnsupportedOptionError } from '../../core/index.ts';
import { responseError, streamError } from '../errors.ts';
import { jsonOf } from './interface.ts';

/** What the packages throw and report, as far as it is told apart: no class is shared with them, so fields are what counts. */
interface Thrown {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
  readonly functionality?: unknown;
}

/** Errors of the packages about an answer that is not what they know; their sentences repeat it. */
const unreadableNames = ['AI_TypeValidationError', 'AI_InvalidResponseDataError'];

/** Errors of the packages that say that the connection failed, or that what came over it was cut. */
const brokenNames = ['AI_EmptyResponseBodyError', 'AI_JSONParseError', 'AbortError', 'TimeoutError'];

/** How runtimes say so. */
const brokenText = /fetch failed|network|connection|socket|terminated|ECONN|ENOTFOUND|EPIPE/i;

/** The error that stands for what a provider package threw or reported in its stream. `now` is the time in ms. */
export function providerError(thrown: unknown, now: number): Error {
  if (thrown instanceof ModelError || thrown instanceof MisuseError || thrown instanceof Cancelled) return thrown;
  if (typeof thrown !== 'object' || thrown === null) return streamError(String(thrown));
  const error: Thrown = thrown;
  const { name } = error;
  const message = typeof error.message === 'string' ? error.message : '';
  const status = typeof error.statusCode === 'number' ? error.statusCode : 0;
  if (status >= 300 && thrown instanceof Error) {
    const body = typeof error.responseBody === 'string' && error.responseBody !== '' ? error.responseBody : message;
    return responseError({ status, headers: headersOf(error.responseHeaders), body }, now);
  }
  if (name === 'AI_UnsupportedFunctionalityError') {
    return new UnsupportedOptionError(`This model does not support ${String(error.functionality)}.`);
  }
  if (name === 'AI_InvalidArgumentError')
    return new MisuseError('option_invalid', `The provider package refuses an option: ${message}`);
  if (unreadableNames.includes(String(name))) {
    return new ModelError('model_error', "The model's server sent what its provider package cannot read.");
  }
  if (isBroken(thrown, message)) {
    return new ModelError('transport_error', "The model's server could not be reached, or broke off the connection.");
  }
  if (thrown instanceof Error) return streamError(message);
  return streamError({ ...jsonOf(thrown), ...(status === 0 ? {} : { status }) });
}

/** An API error without a status, or under a good one, is one of the connection. */
function isBroken(thrown: object, message: string): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'AI_APICallError' || brokenNames.includes(thrown.name) || brokenText.test(message);
}

function headersOf(value: unknown): Headers {
  return new Headers(jsonOf(value) as Record<string, string>);
}

import { type Problem, problemBody, statusOf } from '../session/protocol/index.ts';

/** A refusal as an HTTP answer: `application/problem+json` (RFC 9457), with the headers that its status asks for (RFC 9110). */
export function refusal(problem: Problem): Response {
  const status = statusOf[problem.code];
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="reins"');
  if (problem.retryAfter !== undefined) headers.set('retry-after', String(Math.max(1, Math.ceil(problem.retryAfter))));
  return new Response(JSON.stringify(problemBody(problem)), { status, headers });
}

/**
 * What a thrown error becomes: an object that the platform moved or that is overloaded can be asked again, everything else is
 * ours to mend. Neither says what was thrown.
 */
export function problemOf(error: unknown): Problem {
  const retryable = error instanceof Error && (isSet(error, 'retryable') || isSet(error, 'overloaded'));
  return retryable
    ? { code: 'unavailable', detail: 'The session is being moved or is overloaded. Try again.', retryAfter: 1 }
    : { code: 'internal', detail: 'Something went wrong here. It has been logged.' };
}

/** Durable Object errors carry flags (https://developers.cloudflare.com/durable-objects/best-practices/error-handling/). */
function isSet(error: object, flag: string): boolean {
  return Reflect.get(error, flag) === true;
}

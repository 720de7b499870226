import { isAllowedOrigin } from './origin.ts';
import type { Settings } from './settings.ts';

/** On every answer of the API: it is data, for the one who asked, to be shown in no frame and kept in no cache. */
const always: { readonly [name: string]: string } = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const preflight: { readonly [name: string]: string } = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'accept, authorization, content-type, if-match, if-none-match, if-range, last-event-id, range, reins-client',
  'access-control-max-age': '600',
};

/**
 * The answer with our headers, and with CORS for a page of ALLOWED_ORIGINS. A 101 stays as it is: its headers cannot change
 * without losing the socket.
 */
export function withHeaders(response: Response, request: Request, settings: Settings): Response {
  if (response.status === 101) return response;
  const answer = new Response(request.method === 'HEAD' ? null : response.body, response);
  for (const [name, value] of Object.entries(always)) answer.headers.set(name, value);
  const origin = request.headers.get('origin');
  if (settings.allowedOrigins.length > 0) answer.headers.append('vary', 'Origin');
  if (origin !== null && isAllowedOrigin(origin, request, settings)) {
    answer.headers.set('access-control-allow-origin', origin);
    answer.headers.set('access-control-expose-headers', 'retry-after, location, etag, content-range, content-disposition');
  }
  return answer;
}

/** The answer to a preflight (CORS): a foreign page gets no leave. */
export function preflightAnswer(request: Request, settings: Settings): Response {
  const origin = request.headers.get('origin') ?? '';
  return new Response(null, { status: 204, headers: isAllowedOrigin(origin, request, settings) ? preflight : {} });
}

import { isObject, type Json, type JsonObject, parseJson } from '../../core/index.ts';
import { errorText } from '../error-body.ts';
import { numberIn, objectsIn, textIn } from '../read.ts';
import { mediaType } from '../sse.ts';

/**
 * The status that a code stands for, where an answer may carry another one or none (https://developers.cloudflare.com/workers-ai/platform/errors/): too
 * large a request, a server that was too slow, requests a minute, tokens a day, no machine that is free, too long a prompt.
 */
const statuses: ReadonlyMap<number, number> = new Map([
  [3006, 413],
  [3007, 504],
  [3021, 429],
  [3036, 429],
  [3040, 429],
  [5021, 413],
]);

/** The code of an account that has used up what it has for a day, which begins at 00:00 UTC. */
const dayUsedUp = 3036;

/** What Workers AI says when it refuses. `code` is one of its own. */
interface Refusal {
  readonly code: number;
  readonly text: string;
}

/**
 * An answer of Workers AI as Chat Completions would give it: a stream as it came, a whole reply as a stream of one chunk, a refusal with the status and in
 * the form that the API has for it. `now` is the time in ms.
 */
export async function chatAnswer(answer: Response, now: number): Promise<Response> {
  if (answer.ok && mediaType(answer.headers) !== 'application/json') return answer;
  const text = answer.ok || answer.body === null ? await answer.text() : await errorText(answer.body);
  const value = parseJson(text);
  const headers = new Headers(answer.headers);
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  const refusal = refusalIn(value);
  if (refusal !== null) return refused(refusal, answer.ok ? 500 : answer.status, headers, now);
  if (!answer.ok || !isObject(value)) return new Response(text, { status: answer.status, headers });
  headers.set('content-type', 'text/event-stream');
  return new Response(`data: ${JSON.stringify(chunkOf(value))}\n\ndata: [DONE]\n\n`, { headers });
}

/** The refusal that a thrown error stands for, as `3040: Capacity temporarily exceeded`; null for one without a code. */
export function thrownRefusal(error: unknown, now: number): Response | null {
  const { code, text } =
    /^(?:\w+: )?(?<code>\d{4}): (?<text>.*)$/s.exec(error instanceof Error ? error.message : '')?.groups ?? {};
  if (code === undefined || text === undefined) return null;
  return refused({ code: Number(code), text }, 400, new Headers(), now);
}

function refused({ code, text }: Refusal, status: number, headers: Headers, now: number): Response {
  headers.set('content-type', 'application/json');
  if (code === dayUsedUp) headers.set('retry-after', `${86_400 - (Math.floor(now / 1000) % 86_400)}`);
  return new Response(JSON.stringify({ error: { message: text } }), { status: statuses.get(code) ?? status, headers });
}

/** Models say `{internalCode, description}`, what stands before them `{errors: [{code, message}]}`. */
function refusalIn(value: Json | undefined): Refusal | null {
  if (!isObject(value)) return null;
  const [first] = objectsIn(value.errors);
  if (first !== undefined) return { code: numberIn(first.code), text: textIn(first.message) };
  if (value.internalCode === undefined) return null;
  return { code: numberIn(value.internalCode), text: textIn(value.description) || textIn(value.message) };
}

/** A whole reply as the one chunk of a stream. */
function chunkOf(reply: JsonObject): JsonObject {
  const choices = objectsIn(reply.choices).map(({ message, ...choice }): JsonObject => ({ ...choice, delta: message ?? null }));
  return { ...reply, choices };
}

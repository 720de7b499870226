import { isObject, type JsonObject, parseJson } from '../../src/core/index.ts';
import { FetchTransport, mediaType, sse } from '../../src/models/index.ts';
import { errorText } from '../../src/models/error-body.ts';

/** How long one question may take, in ms: a local model may have to be loaded first. */
const patience = 180_000;

/** What an endpoint answered. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly type: string;
  /** The events of a stream, those that are JSON objects. */
  readonly events: readonly JsonObject[];
  /** Whether the stream said `[DONE]`. */
  readonly done: boolean;
  /** The body of an answer that is no stream. */
  readonly body: string;
}

/** Asks one question: posts a body below the base URL. */
export type Ask = (body: object) => Promise<Answer>;

/**
 * Asks an endpoint at an address, with headers.
 * @throws ModelError when it cannot be reached.
 */
export function asker(url: string, headers: Readonly<Record<string, string>>): Ask {
  const transport = new FetchTransport();
  const all = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
  return async (body) => {
    const response = await transport.post(url, all, JSON.stringify(body), AbortSignal.timeout(patience));
    const { status } = response;
    const type = mediaType(response.headers);
    if (type !== 'text/event-stream') {
      return { ok: false, status, type, events: [], done: false, body: await errorText(response.body) };
    }
    const events: JsonObject[] = [];
    let done = false;
    for await (const batch of sse(response)) {
      for (const { data } of batch) {
        const value = parseJson(data);
        if (isObject(value)) events.push(value);
        done ||= data === '[DONE]';
      }
    }
    const failed = events.find(({ error, type: kind }) => (error !== undefined && error !== null) || kind === 'error');
    return {
      ok: status === 200 && failed === undefined,
      status,
      type,
      events,
      done,
      body: failed === undefined ? '' : JSON.stringify(failed),
    };
  };
}

/** What an answer that is a refusal says, on one line. */
export function refusal({ status, body }: Answer): string {
  const text = body.replace(/\s+/g, ' ').trim();
  return `${status} ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`.trim();
}

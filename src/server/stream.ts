import { accepts } from 'hono/accepts';
import type { RequestContext } from './route.ts';

/** How the events of a run can be had over HTTP, by media type. */
const formats = { 'text/event-stream': 'sse', 'application/x-ndjson': 'ndjson' } as const;

/** The media type of an event stream. */
export type StreamType = keyof typeof formats;

/** All of them. */
export const streamTypes = Object.keys(formats) as readonly StreamType[];

/** The stream that a request's Accept prefers to a plain answer; null when it prefers none. */
export function preferredStream(c: RequestContext): StreamType | null {
  const preferred = accepts(c, { header: 'Accept', supports: ['application/json', ...streamTypes], default: 'application/json' });
  return streamTypes.find((type) => type === preferred) ?? null;
}

/** The format that a session knows a media type by. */
export function formatOf(type: StreamType): 'sse' | 'ndjson' {
  return formats[type];
}

/**
 * A stream of events as an answer that nothing between here and the reader holds back. It ends when the identity that asked for it
 * does (`expires`, ms since 1970; null: never), as a socket would.
 */
export function streamAnswer(stream: ReadableStream<Uint8Array>, type: StreamType, expires: number | null): Response {
  return new Response(expires === null ? stream : stream.pipeThrough(endingAt(expires)), {
    headers: { 'content-type': type, 'x-accel-buffering': 'no' },
  });
}

/** The longest delay of a timer, in ms; a longer one would fire at once. */
const longestDelay = 2_147_483_647;

function endingAt(time: number): TransformStream<Uint8Array, Uint8Array> {
  let timer: ReturnType<typeof setTimeout>;
  return new TransformStream({
    start: (controller) => {
      timer = setTimeout(() => controller.terminate(), Math.min(time - Date.now(), longestDelay));
    },
    transform: (chunk, controller) => controller.enqueue(chunk),
    flush: () => clearTimeout(timer),
  });
}

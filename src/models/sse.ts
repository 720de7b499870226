import { createParser } from 'eventsource-parser';
import { ModelError, type TransportResponse } from '../core/index.ts';

/** One server-sent event. `event` is its type, null when the server named none. */
export interface ServerSentEvent {
  readonly event: string | null;
  readonly data: string;
}

/** The most characters of one event; a stream that exceeds it is broken off. */
export const eventSizeLimit = 16 * 1024 * 1024;

/** The bare media type of a response, in lower case; empty when it names none. */
export function mediaType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/**
 * The server-sent events of a response, in batches: those that one chunk of bytes completed, never none. Line ends, BOM,
 * comments and joined data lines as the HTML standard has them, but for the end of the stream: the last event is given
 * without its blank line too when it has data (HTTP-05).
 * @throws ModelError `model_error` for another media type (HTTP-03), `transport_error` for an event above `eventSizeLimit`.
 */
export async function* sse(response: TransportResponse): AsyncGenerator<readonly ServerSentEvent[], void, undefined> {
  const type = mediaType(response.headers);
  if (type !== 'text/event-stream') {
    throw new ModelError('model_error', `The server answered with ${type || 'no content type'} instead of text/event-stream.`);
  }
  let events: ServerSentEvent[] = [];
  let overflowed = false;
  const parser = createParser({
    maxBufferSize: eventSizeLimit,
    onEvent: ({ event, data }) => events.push({ event: event ?? null, data }),
    onError: (error) => {
      overflowed ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  // The parser takes the BOM away. A decoder that did so too would eat a second one.
  for await (const text of decoded(response.body, true)) {
    parser.feed(text);
    if (events.length > 0) yield events;
    events = [];
    if (overflowed) throw new ModelError('transport_error', 'The server sent an event that is too large.');
  }
  // The first line end ends the line that was cut, or completes a CR that came last; the second is the blank line.
  parser.feed('\n\n');
  if (events.length > 0) yield events;
}

/** The lines of a body, for backends that stream one JSON value a line (HTTP-04): ended by LF or CRLF, empty ones left out. */
export async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let cut: string[] = [];
  for await (const text of decoded(body, false)) {
    const [head = '', ...rest] = text.split('\n');
    cut.push(head);
    for (const next of rest) {
      const line = withoutReturn(cut.join(''));
      if (line !== '') yield line;
      cut = [next];
    }
  }
  const line = withoutReturn(cut.join(''));
  if (line !== '') yield line;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The text of a body; a character may be cut by a chunk's border (HTTP-06). */
async function* decoded(body: AsyncIterable<Uint8Array>, keepMark: boolean): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: keepMark });
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
}

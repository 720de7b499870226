import { type Delta, isObject, type JsonObject, ModelError, parseJson } from '../../core/index.ts';
import type { ServerSentEvent } from '../sse.ts';
import type { ChatDecoder } from './decode.ts';
import { streamError } from './errors.ts';

/** Ends the stream of events; not JSON. */
const doneMark = '[DONE]';

/** What a batch of events says. `error` is to be thrown after the deltas, which came before it. */
export interface Batch {
  readonly deltas: readonly Delta[];
  /** True when the end mark came; nothing behind it counts. */
  readonly done: boolean;
  readonly error: unknown;
}

/** Decodes events in their order, so that a reply is the same however its bytes were cut into batches. */
export function decodeBatch(decoder: ChatDecoder, events: readonly ServerSentEvent[]): Batch {
  const deltas: Delta[] = [];
  try {
    for (const event of events) {
      if (event.data === doneMark) return { deltas, done: true, error: null };
      deltas.push(...decoder.add(chunkOf(event)));
    }
    return { deltas, done: false, error: null };
  } catch (error) {
    return { deltas, done: false, error };
  }
}

/** @throws ModelError for an event that carries an error, or that is no JSON object, as the one that a broken connection cuts. */
function chunkOf({ event, data }: ServerSentEvent): JsonObject {
  const value = data === '' ? {} : parseJson(data);
  if (event === 'error') throw streamError(isObject(value) ? (value.error ?? value) : data);
  if (!isObject(value)) throw new ModelError('transport_error', 'The stream of the model holds an event that is no JSON object.');
  return value;
}

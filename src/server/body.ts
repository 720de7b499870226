import { type Json, type JsonObject, isObject, parseJson } from '../core/index.ts';
import { accepted, isDeeper, nestingLimit, type Outcome, refused } from '../session/protocol/index.ts';

/** The most bytes of a command's body. */
export const bodyLimit = 1_048_576;

/** The JSON object that a request carries; an empty body is an empty object. Reads no further than `limit` bytes. */
export async function readObject(request: Request, limit = bodyLimit): Promise<Outcome<JsonObject>> {
  const bytes = await readBytes(request, limit);
  if (bytes === null) return refused('too_large', `A body may have at most ${limit} bytes.`);
  if (bytes.length === 0) return accepted({});
  const value = decode(bytes);
  if (value === undefined) return refused('bad_request', 'The body is not JSON in UTF-8.');
  if (!isObject(value)) return refused('bad_request', 'The body must be a JSON object.');
  if (isDeeper(value, nestingLimit)) return refused('bad_request', `The body is nested deeper than ${nestingLimit} levels.`);
  return accepted(value);
}

/** All bytes of a body; null as soon as there are more than `limit`, whatever its Content-Length said. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function decode(bytes: Uint8Array): Json | undefined {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return undefined;
  }
}

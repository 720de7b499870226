import { createHash } from 'node:crypto';
import type { Bucket, BucketPart } from './objects.ts';

/** The size of a part of an upload, in bytes: all but the last have it, and no more is held in memory. */
const partSize = 8 * 1024 * 1024;

/** What came as a stream. `size` in bytes. */
export interface Received {
  readonly hash: string;
  readonly size: number;
}

/** The SHA-256 of bytes, in hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Thrown when a stream has more bytes than it may. */
export class TooLong extends Error {}

/** Reads a stream of bytes piece by piece, and never beyond a limit. */
export class Intake {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #limit: number;
  #total = 0;
  #rest: Uint8Array[] = [];

  constructor(stream: ReadableStream<Uint8Array>, limit: number) {
    this.#reader = stream.getReader();
    this.#limit = limit;
  }

  /** The next bytes: `size` of them, or fewer at the end, and none after it. Throws TooLong beyond the limit. */
  async take(size: number): Promise<Uint8Array> {
    let held = this.#rest.reduce((sum, chunk) => sum + chunk.length, 0);
    while (held < size) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      this.#total += value.length;
      if (this.#total > this.#limit) throw new TooLong();
      this.#rest.push(value);
      held += value.length;
    }
    const all = joined(this.#rest);
    const taken = Math.min(size, held);
    this.#rest = held > taken ? [all.subarray(taken)] : [];
    return all.subarray(0, taken);
  }

  /** Nothing more is wanted of the stream. */
  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}

/** Uploads what was read already and the rest of a stream, in parts. */
export async function uploadAll(bucket: Bucket, key: string, first: Uint8Array, intake: Intake): Promise<Received> {
  const upload = await bucket.createMultipartUpload(key);
  try {
    const hash = createHash('sha256');
    const parts: BucketPart[] = [];
    let size = 0;
    let part = joined([first, await intake.take(partSize - first.length)]);
    while (part.length > 0) {
      hash.update(part);
      size += part.length;
      parts.push(await upload.uploadPart(parts.length + 1, part));
      part = await intake.take(partSize);
    }
    await upload.complete(parts);
    return { hash: hash.digest('hex'), size };
  } catch (error) {
    await upload.abort().catch(() => {});
    throw error;
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

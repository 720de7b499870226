import type { GivenBlob, Upload } from './api.ts';
import type { Change } from './context.ts';
import { accepted, type Outcome, refused, uploadLimit } from './protocol/index.ts';
import { dropAlarm, putAlarm } from './rows/alarms.ts';
import { type Attachment, dropUnused, oldestUnused, putAttachment, readAttachment } from './rows/attachments.ts';
import { readBlob } from './rows/blobs.ts';

/** The most bytes of uploads that a session holds in memory while they come in. */
const incomingLimit = 3 * uploadLimit;

/** How long an upload is kept that no message refers to, in ms. */
const unusedLife = 24 * 60 * 60 * 1000;

/** The uploads of a session while they come in: what is whole is stored at once, what is not leaves nothing behind. */
export class Uploads {
  #reserved = 0;

  /**
   * All bytes of a body, read no further than it may be long: `length` where that was announced. Refuses an empty one (`attachment_empty`), one that is
   * too long (`too_large`) or that breaks off, and, before it is read, one that memory is not there for (`rate_limited`).
   */
  async read(body: ReadableStream<Uint8Array>, length: number | null): Promise<Outcome<Uint8Array<ArrayBuffer>>> {
    const most = Math.min(length ?? uploadLimit, uploadLimit);
    if (this.#reserved + most > incomingLimit) {
      return refused('rate_limited', 'Too many uploads come in at once: send them one after the other.', { retryAfter: 2 });
    }
    this.#reserved += most;
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > most) return tooLarge();
        chunks.push(chunk);
      }
    } catch {
      return refused('bad_request', 'The upload broke off: send it again.');
    } finally {
      this.#reserved -= most;
    }
    if (size === 0) return refused('attachment_empty', 'The upload holds no bytes.');
    return accepted(joined(chunks, size));
  }
}

/** The refusal of an upload that is too long. */
export function tooLarge(): ReturnType<typeof refused> {
  return refused('too_large', `An upload may have at most ${uploadLimit} bytes.`);
}

/** Stores an upload that no message refers to yet. */
export function storeUpload({ context, work }: Change, { mediaType, content }: Attachment): Outcome<Upload> {
  const now = context.now();
  const hash = putAttachment(context.sql, { mediaType, content }, false, now);
  sweepUploads(context.sql, now);
  work.after(() => context.alarms.arm());
  return accepted({ hash, bytes: content.length, mediaType });
}

/** What stands under a hash; undefined when nothing does. */
export function givenBlob(sql: SqlStorage, hash: string): GivenBlob | undefined {
  const text = readBlob(sql, hash);
  return text === undefined ? readAttachment(sql, hash) : { mediaType: text.mediaType, content: text.text };
}

/** Drops the uploads that nothing has referred to for a day, and sets when to look again. The caller arms the alarm. */
export function sweepUploads(sql: SqlStorage, now: number): void {
  dropUnused(sql, now - unusedLife);
  const oldest = oldestUnused(sql);
  if (oldest !== null) putAlarm(sql, 'uploads', oldest + unusedLife);
  else dropAlarm(sql, 'uploads');
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

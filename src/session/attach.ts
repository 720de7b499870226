import { Buffer } from 'node:buffer';
import { isObject, type JsonObject, type MediaKind, type MediaPart } from '../core/index.ts';
import { kindOf } from '../models/index.ts';
import { accepted, type Outcome, refused } from './protocol/index.ts';

/** Where the attachments of a message come to lie. */
export interface AttachmentStore {
  /** Stores bytes that a message holds, and gives their hash. */
  keep(content: Uint8Array<ArrayBuffer>, mediaType: string): string;
  /** The media type of bytes that were uploaded before; undefined when there are none of this hash. A message refers to them from now on. */
  use(hash: string): string | undefined;
  /** The provider of the session's model, which knows the ids of files. */
  provider(): string;
}

/** An attachment that was checked. `store` gives the part that is kept, its bytes beside; it refuses what was never uploaded. */
export interface Attachment {
  store(store: AttachmentStore): Outcome<MediaPart>;
}

const kinds: ReadonlySet<string> = new Set<MediaKind>(['image', 'document', 'audio', 'video']);

/** Fields that name a place where bytes lie, which nobody here goes to (ATT-03, ATT-10). */
const places =
  'url uri href src image_url fileUri file_uri path local_path localPath file_path filePath storage_path storagePath'.split(' ');

/** Where an attachment's content is; exactly one of these. */
const locators = ['data', 'blob', 'providerFile', 'chunks'] as const;

/** Other names of the types that models take. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['audio/mp3', 'audio/mpeg'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
]);

/** A media type in small letters, without its parameters, under its usual name; null for a text that is none (RFC 6838). */
export function mediaTypeOf(text: string): string | null {
  const [type = ''] = text.toLowerCase().split(';');
  const plain = type.trim();
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/.test(plain) ? (aliases.get(plain) ?? plain) : null;
}

/** Checks one attachment of a user message (ATT-02 to ATT-05). Nothing is stored yet: one bad part refuses the whole message (ATT-08). */
export function checkedAttachment(part: JsonObject | string): Outcome<Attachment> {
  if (!isObject(part) || !isKind(part.type)) {
    return refused('attachment_not_media', 'An attachment must be a part of the kind image, document, audio or video.');
  }
  const { type } = part;
  if (places.some((name) => Object.hasOwn(part, name))) {
    return refused(
      'attachment_by_reference',
      'An attachment must hold its bytes: a URL or a path is never read. Read it yourself and send the bytes.',
    );
  }
  const given = locators.filter((name) => part[name] !== undefined && part[name] !== null);
  const [locator] = given;
  if (locator === undefined) return empty();
  if (given.length > 1) return malformed('must have one of data, blob, providerFile and chunks');
  const mediaType = typeof part.mediaType === 'string' ? mediaTypeOf(part.mediaType) : null;
  if (part.mediaType !== undefined && mediaType === null) return malformed('must have a media type such as image/png');
  if (mediaType !== null && kindOf(mediaType) !== type) {
    return refused('attachment_not_media', `The media type ${mediaType} is none of the kind ${type}.`);
  }
  return checks[locator](type, part[locator] ?? null, mediaType);
}

type Check = (type: MediaKind, value: JsonObject[string], mediaType: string | null) => Outcome<Attachment>;

const checks: { readonly [L in (typeof locators)[number]]: Check } = {
  data(type, value, mediaType) {
    const bytes = typeof value === 'string' ? bytesOf(value) : null;
    if (bytes === null) return malformed('must hold base64 in data, without a prefix');
    if (bytes.length === 0) return empty();
    if (mediaType === null) return malformed('must have a media type such as image/png');
    return accepted({ store: (store) => accepted({ type, mediaType, blob: store.keep(bytes, mediaType) }) });
  },
  blob(type, value, mediaType) {
    if (typeof value !== 'string') return malformed('must hold the hash of an upload in blob');
    return accepted({
      store: (store) => {
        const known = store.use(value);
        if (known === undefined)
          return refused('unmappable_content', 'Nothing was uploaded to this session under this hash: upload it first.');
        const own = mediaType ?? known;
        if (kindOf(own) === type) return accepted({ type, mediaType: own, blob: value });
        return refused('attachment_not_media', `What was uploaded is ${own}, which is none of the kind ${type}.`);
      },
    });
  },
  providerFile(type, value, mediaType) {
    if (typeof value !== 'string') return malformed('must hold the id of a file in providerFile');
    if (value.trim() === '') return empty();
    return accepted({
      store: (store) => accepted({ type, mediaType: mediaType ?? anyOf(type), providerFile: value, heldBy: store.provider() }),
    });
  },
  chunks(type, value, mediaType) {
    if (!Array.isArray(value) || !value.every((chunk) => typeof chunk === 'string'))
      return malformed('must hold a list of texts in chunks');
    if (type !== 'document') return malformed('can have chunks only as a document');
    if (value.every((chunk) => chunk.trim() === '')) return empty();
    return accepted({ store: () => accepted({ type, mediaType: mediaType ?? 'text/plain', chunks: value }) });
  },
};

function isKind(type: unknown): type is MediaKind {
  return typeof type === 'string' && kinds.has(type);
}

/** What a part that names no type is. */
function anyOf(type: MediaKind): string {
  return type === 'document' ? 'application/octet-stream' : `${type}/*`;
}

/** The bytes of base64 in either alphabet, white space and padding left out; null for what is none. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  const plain = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*=*$/.test(plain) || plain.replace(/=+$/, '').length % 4 === 1) return null;
  return new Uint8Array(Buffer.from(plain, 'base64'));
}

function empty(): ReturnType<typeof refused> {
  return refused('attachment_empty', 'The attachment holds nothing: no bytes, no id of a file, no chunks.');
}

function malformed(message: string): ReturnType<typeof refused> {
  return refused('bad_request', `An attachment ${message}.`, { issues: [{ path: 'message.content', message }] });
}

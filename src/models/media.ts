import type { ContentPart, MediaKind, MediaPart, TextPart } from '../core/index.ts';
import type { Owner } from './provider-data.ts';

/** What an API takes of media. Data only. */
export interface MediaRule {
  /** The media types that it takes as bytes; `*` is any. */
  readonly types: readonly string[];
  /** The most characters of an image's base64; absent: no limit below that of the whole request. */
  readonly imageLimit?: number;
  /** The kinds that it takes as the id of a file that its provider holds. */
  readonly files: readonly MediaKind[];
}

/** Whom media are for. */
export interface MediaTarget {
  readonly owner: Owner;
  /** Kinds that the model is known not to take, whatever its API does. */
  readonly lacks?: readonly MediaKind[];
}

/** All kinds, for a model that takes none. */
export const mediaKinds: readonly MediaKind[] = ['image', 'document', 'audio', 'video'];

/** The kinds of images that nearly every API takes. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** What a PDF is called where an API wants a name; no other documents are sent as bytes. */
export const pdfName = 'document.pdf';

/** Begins a user message that no person wrote: it holds what the results before it could not (CC-14). */
export const resultMediaText = 'The media of the results above, in their order:';

/** Stands in such a result for media that follow. */
export function inNextMessage({ mediaType }: SentMedia): string {
  return `[${mediaType}: in the next message]`;
}

/** Media as an API is sent them: their bytes as base64, or the id of a file at its provider. */
export type SentMedia =
  | { readonly type: MediaKind; readonly mediaType: string; readonly data: string }
  | { readonly type: MediaKind; readonly mediaType: string; readonly file: string };

/** What stands in a prompt where media were left out. `why` ends a sentence. */
export function leftOutNote({ type, mediaType }: MediaPart, why: string): TextPart {
  return { type: 'text', text: `[${named[type]} (${mediaType}) was left out here: ${why}.]` };
}

/**
 * A part as a model is shown it: a document that is text as text, whatever the model takes; other media as they are, where it takes them; else a note
 * that says what is missing. So no history is ever refused for its media.
 */
export function shownPart(part: ContentPart, rule: MediaRule, target: MediaTarget): TextPart | SentMedia {
  if (part.type === 'text') return part;
  const text = textIn(part);
  if (text !== null) return { type: 'text', text: `[document ${part.mediaType}]\n${text}\n[end of the document]` };
  const why = whyNot(part, rule, target);
  if (why !== null) return leftOutNote(part, why);
  const { type, mediaType, data, providerFile } = part;
  if (data !== undefined) return { type, mediaType, data };
  return providerFile === undefined ? leftOutNote(part, 'its bytes are not here') : { type, mediaType, file: providerFile };
}

/** True for media that the model takes in some form, as far as is known without their bytes. */
export function isTaken(part: MediaPart, rule: MediaRule, target: MediaTarget): boolean {
  return isText(part) || whyNot(part, rule, target) === null;
}

const named: { readonly [K in MediaKind]: string } = {
  image: 'An image',
  document: 'A document',
  audio: 'An audio recording',
  video: 'A video',
};

const plural: { readonly [K in MediaKind]: string } = { image: 'images', document: 'documents', audio: 'audio', video: 'videos' };

/** Types of documents whose bytes are text. */
const textTypes = /^(text\/.*|application\/(.*\+)?(json|xml|yaml|x-yaml|toml|x-ndjson|javascript))$/;

function isText({ type, mediaType, chunks, providerFile }: MediaPart): boolean {
  return type === 'document' && providerFile === undefined && (chunks !== undefined || textTypes.test(mediaType));
}

/** The text of a document that is text; null for everything else, and while its bytes are not here. */
function textIn(part: MediaPart): string | null {
  if (!isText(part)) return null;
  if (part.chunks !== undefined) return part.chunks.join('\n\n');
  if (part.data === undefined) return null;
  return new TextDecoder().decode(Uint8Array.from(atob(part.data), (character) => character.charCodeAt(0)));
}

/** Null when nothing is known against it. */
function whyNot(part: MediaPart, rule: MediaRule, { owner, lacks = [] }: MediaTarget): string | null {
  const { type, mediaType, data, providerFile, heldBy } = part;
  if (lacks.includes(type)) return `this model takes no ${plural[type]}`;
  if (providerFile !== undefined) {
    if (heldBy !== undefined && !owner.startsWith(`${heldBy}/`)) return 'another provider holds it';
    return rule.files.includes(type) ? null : `this model takes no ${plural[type]} that are held elsewhere`;
  }
  if (!rule.types.includes('*') && !rule.types.some((taken) => kindOf(taken) === type))
    return `this model takes no ${plural[type]}`;
  const taken = rule.types.includes('*') || rule.types.includes(mediaType);
  if (!taken || kindOf(mediaType) !== type) return 'this model does not take its type';
  if (type === 'image' && rule.imageLimit !== undefined && (data?.length ?? 0) > rule.imageLimit)
    return 'it is too large for this model';
  return null;
}

/** The kind that a media type is of: what is no image, sound or moving picture is a document. */
export function kindOf(mediaType: string): MediaKind {
  const [top] = mediaType.split('/');
  return top === 'image' || top === 'audio' || top === 'video' ? top : 'document';
}

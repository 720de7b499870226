import { pdfName, type SentMedia } from '../media.ts';
import type { ChatMediaPart, ChatUserContent, ChatUserPart } from './request.ts';

/** Between texts that become one content. */
export const paragraph = '\n\n';

/** Two contents of user messages as one: a text as long as both are. */
export function joined(before: ChatUserContent, after: ChatUserContent): ChatUserContent {
  if (typeof before === 'string' && typeof after === 'string') return before + paragraph + after;
  return [...partsOf(before), ...partsOf(after)];
}

/** Hosts refuse a part without words. */
function partsOf(content: ChatUserContent): readonly ChatUserPart[] {
  if (typeof content !== 'string') return content;
  return content.trim() === '' ? [] : [{ type: 'text', text: content }];
}

/** Media in the form of the API. A host takes only those that its row in the table names. */
export function mediaPart(media: SentMedia): ChatMediaPart {
  if ('file' in media) return { type: 'file', file: { file_id: media.file } };
  const { type, mediaType, data } = media;
  const url = `data:${mediaType};base64,${data}`;
  switch (type) {
    case 'image':
      return { type: 'image_url', image_url: { url } };
    case 'audio':
      return { type: 'input_audio', input_audio: { data, format: mediaType === 'audio/mpeg' ? 'mp3' : 'wav' } };
    case 'video':
      return { type: 'video_url', video_url: { url } };
    case 'document':
      return { type: 'file', file: { filename: pdfName, file_data: url } };
  }
}

import type { LanguageModelV3File, LanguageModelV4File } from '@ai-sdk/provider';
import { isObject, type JsonObject } from '../../core/index.ts';
import { type AssistantContent, jsonOf } from './interface.ts';

/** The bytes of a file that came in a reply, as base64, or its address. */
export function storedFile(data: LanguageModelV3File['data'] | LanguageModelV4File['data']): LanguageModelV4File['data'] {
  if (typeof data === 'string' || data instanceof Uint8Array) return { type: 'data', data: base64(data) };
  return data.type === 'data' ? { type: 'data', data: base64(data.data) } : data;
}

/** A part of a reply as the session stores it; addresses become texts. */
export function storedPart(part: AssistantContent): JsonObject {
  return jsonOf(part);
}

/** The part that was stored, as the interface has it. */
export function restoredPart(stored: JsonObject): AssistantContent {
  const { data } = stored;
  const address = isObject(data) && data.type === 'url' && typeof data.url === 'string' ? data.url : null;
  const part = address === null ? stored : { ...stored, data: { type: 'url', url: new URL(address) } };
  return part as unknown as AssistantContent;
}

function base64(data: string | Uint8Array): string {
  if (typeof data === 'string') return data;
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
}

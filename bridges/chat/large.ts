import { isObject, type Json, type Message } from '../../src/core/index.ts';

/**
 * A value as a terminal shows it: a text as it is, another value as JSON, and of a large value that did not travel whole (docs/wire.md,
 * large values) its beginning, at most `length` characters of it, and its size.
 */
export function readable(value: Json, length = 1024): string {
  if (typeof value === 'string') return value;
  const { preview, bytes, href } = isObject(value) ? value : {};
  const isLarge = typeof preview === 'string' && typeof bytes === 'number' && typeof href === 'string';
  return isLarge ? `${preview.slice(0, length)}… (${bytes} bytes)` : JSON.stringify(value);
}

/** The visible text of a message, as `readable` shows it. */
export function readableText(message: Message): string {
  return message.content.map((part) => (part.type === 'text' ? readable(part.text) : '')).join('');
}

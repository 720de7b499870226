import type { Message } from '../../core/message.ts';

/** The text of a partial reply that an editor may change: that of its last text part; null when it has none (INTR-17). */
export function editableText(partial: Message): string | null {
  return partial.content.findLast((part) => part.type === 'text')?.text ?? null;
}

/** The partial reply with its last text replaced; all else, calls and reasoning, stays as it is. */
export function withText(partial: Message, text: string): Message {
  const at = partial.content.findLastIndex((part) => part.type === 'text');
  return {
    ...partial,
    content: partial.content.map((part, index) => (index === at && part.type === 'text' ? { ...part, text } : part)),
  };
}

import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { UnsupportedOptionError } from '../../core/index.ts';

type V3<Role extends LanguageModelV3Message['role']> = Extract<LanguageModelV3Message, { role: Role }>;
type V4<Role extends LanguageModelV4Message['role']> = Extract<LanguageModelV4Message, { role: Role }>;

/**
 * A call in version 3 of the interface. The two differ in how files stand in it, and in what version 3 does not have.
 * @throws UnsupportedOptionError for an option that only version 4 has.
 */
export function asV3({ prompt, reasoning, ...options }: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  if (reasoning !== undefined) {
    throw new UnsupportedOptionError('The provider package of this model takes no option reasoning: use its providerOptions.');
  }
  return { ...options, prompt: prompt.map(messageOf) };
}

function messageOf(message: LanguageModelV4Message): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: message.content.map((part) => (part.type === 'file' ? fileOf(part) : part)) };
    case 'assistant':
      return { role: 'assistant', content: message.content.flatMap(replyPart) };
    case 'tool':
      return { role: 'tool', content: message.content.map((part) => (part.type === 'tool-result' ? resultOf(part) : part)) };
  }
}

/** Kinds of parts that version 3 does not have come from a model of version 4, whose they alone are. */
function replyPart(part: V4<'assistant'>['content'][number]): V3<'assistant'>['content'] {
  switch (part.type) {
    case 'file':
      return [fileOf(part)];
    case 'tool-result':
      return [resultOf(part)];
    case 'custom':
    case 'reasoning-file':
      return [];
    default:
      return [part];
  }
}

function fileOf(part: LanguageModelV4FilePart): Extract<V3<'user'>['content'][number], { type: 'file' }> {
  const { data } = part;
  if (data.type === 'data') return { ...part, data: data.data };
  if (data.type === 'url') return { ...part, data: data.url };
  throw new UnsupportedOptionError('This model takes no file here without its bytes.');
}

function resultOf<T extends { output: LanguageModelV4ToolResultOutput }>(
  part: T,
): Omit<T, 'output'> & { output: LanguageModelV3ToolResultOutput } {
  const { output } = part;
  if (output.type !== 'content') return { ...part, output };
  const value = output.value.map((item) => {
    if (item.type !== 'file') return item;
    const { mediaType } = item;
    const { data } = fileOf(item);
    const type = mediaType.startsWith('image/') ? 'image-data' : 'file-data';
    return { type, mediaType, data: String(data) } as const;
  });
  return { ...part, output: { type: 'content', value } };
}

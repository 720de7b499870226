import {
  type ContentPart,
  type Message,
  MisuseError,
  type Prompt,
  type ToolResultPart,
  UnsupportedOptionError,
} from '../core/index.ts';

/** The result that a call gets in a request when it has none: each API refuses a call without one. */
export const interruptedResult = 'Interrupted: this call has no result';

/** The results that a conversation holds, by the ids of their calls. */
export function resultsIn(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  const parts = messages.flatMap(({ content }) => content);
  return new Map(parts.flatMap((part) => (part.type === 'tool_result' ? [[part.callId, part] as const] : [])));
}

/**
 * What a user message says beside the results it carries.
 * @throws UnsupportedOptionError for a part that only a reply may hold.
 */
export function contentOf({ content }: Message): readonly ContentPart[] {
  return content.flatMap((part): ContentPart[] => {
    if (part.type === 'tool_result') return [];
    if (part.type === 'text' || 'mediaType' in part) return [part];
    throw new UnsupportedOptionError(`A user message cannot hold a part of the kind ${part.type}.`);
  });
}

/**
 * The reply that a prompt wants continued; undefined when it wants a new one.
 * @throws MisuseError `bad_input` when the last message is no reply.
 */
export function editOf(prompt: Prompt): Message | undefined {
  if (!prompt.continue) return undefined;
  const edit = prompt.messages.at(-1);
  if (edit?.role === 'assistant') return edit;
  throw new MisuseError('bad_input', 'A prompt that continues a reply must end with it.');
}

/** A prompt that wants a new reply ends with one: most servers would continue it, or refuse. */
export function endsWithReply(): MisuseError {
  return new MisuseError('bad_input', 'A prompt must end with a user message or with results, unless it continues a reply.');
}

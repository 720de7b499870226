import {
  type Delta,
  type Finish,
  type JsonObject,
  type Message,
  MisuseError,
  noUsage,
  type Part,
  type Usage,
} from '../core/index.ts';

/** A piece of visible text. */
export function textDelta(text: string): Delta {
  return { type: 'text', text };
}

/** A piece of reasoning; `provider` is what the provider wants back with it, opaque. */
export function reasoningDelta(text: string, provider?: JsonObject): Delta {
  return { type: 'reasoning', text, ...(provider === undefined ? {} : { provider }) };
}

/** A whole tool call in one piece. `id` is the provider's; the core mints its own. A text `input` goes out as it is, broken or not. */
export function callDelta(id: string, name: string, input: JsonObject | string = {}): Delta {
  return { type: 'tool_call', id, name, args: typeof input === 'string' ? input : JSON.stringify(input) };
}

/** The tokens of the reply, those left out being none. */
export function usageDelta(usage: Partial<Usage>): Delta {
  return { type: 'usage', usage: { ...noUsage, ...usage } };
}

/** Why the reply ended. */
export function finishDelta(finish: Finish): Delta {
  return { type: 'finish', finish };
}

/**
 * A whole assistant message as a model would stream it, a delta for each part and a border between two alike, without its finish.
 * @throws MisuseError `bad_script` for a part that no model streams.
 */
export function messageDeltas(message: Message): readonly Delta[] {
  return message.content.flatMap((part, at) => {
    const follows = part.type !== 'tool_call' && part.type === message.content[at - 1]?.type;
    return follows ? [{ type: 'border' } as const, partDelta(part)] : [partDelta(part)];
  });
}

function partDelta(part: Part): Delta {
  if (part.type === 'text' || part.type === 'reasoning' || part.type === 'opaque') return part;
  if (part.type === 'tool_call') {
    const { id, providerId, name, input, malformed, provider } = part;
    const args = malformed ?? JSON.stringify(input);
    return { type: 'tool_call', id: providerId ?? id, name, args, ...(provider === undefined ? {} : { provider }) };
  }
  throw new MisuseError('bad_script', `No model streams a part of the kind ${part.type}.`);
}

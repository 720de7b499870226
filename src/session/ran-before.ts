import { hostNote, type Message, type ModelMiddleware, type Outcome, resultPart, type Tool, toolCalls } from '../core/index.ts';
import { partialsAfter } from './rows/partials.ts';

/** The most characters that the note tells of one input or outcome, and the most calls that it tells of. */
const shownLimit = 500;
const callLimit = 20;

/**
 * What the model is told when a message is asked about again: the calls of discarded steps that ran, for their effects are there although the
 * conversation knows nothing of them (G-12). Null when there were none. Calls that only read are left out.
 */
export function ranBefore(sql: SqlStorage, messageId: string, tools: readonly Tool[]): string | null {
  const readOnly = new Set(tools.flatMap(({ spec }) => (spec.hints.readOnly === true ? [spec.name] : [])));
  const lines = partialsAfter(sql, messageId).flatMap(({ message, calls }) =>
    toolCalls(message)
      .filter((call) => Object.hasOwn(calls, call.id) && !readOnly.has(call.name))
      .map((call) => `- ${call.name} ${shown(JSON.stringify(call.input))}: ${outcomeText(calls[call.id] ?? null)}`),
  );
  if (lines.length === 0) return null;
  const head =
    'Note of the host, not of the user: an earlier attempt at this answer was lost after these calls had run. Their effects stand. Do not repeat one unless you know that it is needed.';
  return [head, ...lines.slice(-callLimit)].join('\n');
}

/** Puts a note into the prompt behind a message, there at every step, so that what comes before keeps its bytes. Never where a reply is continued. */
export function noteAfter(messageId: string, text: string): ModelMiddleware {
  const note = hostNote(text);
  const placed = (messages: readonly Message[]): readonly Message[] =>
    messages.flatMap((message) => (message.id === messageId ? [message, note] : [message]));
  return {
    stream: (prompt, next) => next(prompt.continue ? prompt : prompt.with({ messages: placed(prompt.messages) })),
  };
}

function outcomeText(outcome: Outcome | null): string {
  if (outcome === null) return 'it had begun; whether it took effect is not known';
  const { content, error } = resultPart('', outcome);
  const text = content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join(' ');
  return `${error ? 'it failed' : 'it ended'} with ${shown(text)}`;
}

function shown(text: string): string {
  return text.length > shownLimit ? `${Array.from(text.slice(0, shownLimit)).slice(0, -1).join('')}…` : text;
}

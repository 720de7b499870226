import { isResults, type Json, type Message, type Part, resultPart, type ToolResultPart } from '../../src/core/index.ts';
import type { Snapshot } from '../../src/session/protocol/index.ts';
import { readable } from './large.ts';

/** A piece of what a terminal shows. Under one `key` the text only grows, so that the rest of it can be printed. */
export interface Segment {
  readonly key: string;
  readonly kind: 'text' | 'reasoning' | 'note';
  readonly text: string;
}

const lineLength = 300;
/** Of a large value in a line, so that its size follows. */
const previewLength = 200;

/** What a terminal shows of a session, in order: replies, reasoning, calls, their progress and results. Pure. */
export function segmentsOf({ messages, step }: Pick<Snapshot, 'messages' | 'step'>): readonly Segment[] {
  const stored = messages.filter((message) => message.id !== step?.id).flatMap(messageSegments);
  if (step === null) return stored;
  const calls = step.calls.flatMap(({ id, name, input, progress, outcome }) => [
    ...(input === null ? [] : [callSegment(id, name, input)]),
    ...progressSegments(id, name, progress),
    ...(outcome === null ? [] : [resultSegment(resultPart(id, outcome))]),
  ]);
  return [...stored, ...partSegments(step.id, step.content), ...calls];
}

function messageSegments(message: Message): readonly Segment[] {
  if (isResults(message)) return message.content.flatMap((part) => (part.type === 'tool_result' ? [resultSegment(part)] : []));
  if (message.role === 'user') return [];
  const calls = message.content.flatMap((part) =>
    part.type === 'tool_call' ? [callSegment(part.id, part.name, part.input)] : [],
  );
  return [...partSegments(message.id, message.content), ...calls];
}

function partSegments(id: string, content: readonly Part[]): readonly Segment[] {
  return content.flatMap((part, index): Segment[] => {
    return part.type === 'text' || part.type === 'reasoning'
      ? [{ key: `${id}/${index}`, kind: part.type, text: readable(part.text) }]
      : [];
  });
}

function callSegment(id: string, name: string, input: Json): Segment {
  return note(`call/${id}`, `→ ${name} ${readable(input, previewLength)}`);
}

function progressSegments(id: string, name: string, progress: Json): readonly Segment[] {
  if (progress === null) return [];
  if (typeof progress === 'string') return [{ key: `progress/${id}`, kind: 'note', text: progress }];
  const text = readable(progress, previewLength);
  return [note(`progress/${id}/${text}`, `· ${name} ${text}`)];
}

function resultSegment(result: ToolResultPart): Segment {
  const text = result.content
    .map((part) => (part.type === 'text' ? readable(part.text, previewLength) : `[${part.type}]`))
    .join(' ');
  return note(`result/${result.callId}`, `${result.error ? '✗' : '✓'} ${text}`);
}

/** A line of its own, cut. */
function note(key: string, text: string): Segment {
  const line = text.replaceAll(/\s+/g, ' ').slice(0, lineLength);
  return { key, kind: 'note', text: `${line}\n` };
}

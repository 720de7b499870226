import type { Json } from '../../core/json.ts';
import type { ToolResultPart } from '../../core/message.ts';

/** The one thing about a call that says most: its first short text input; empty when there is none. */
export function callTarget(input: Readonly<Record<string, unknown>> | null): string {
  for (const [name, value] of Object.entries(input ?? {})) {
    if (typeof value === 'string' && value.trim() !== '') return oneLine(value);
    if (typeof value === 'number') return `${name} ${value}`;
  }
  return '';
}

/** A markdown text in one line of plain words. */
export function plainLine(text: string): string {
  return oneLine(text.replaceAll(/[`*_#>|]+/g, ''));
}

/** A text in one line, cut at 90 characters. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}

/** A call's input for reading, as names and values; a value that is no text is JSON. `raw` is what came of it while it is not whole. */
export function inputFields(
  input: Readonly<Record<string, unknown>> | null,
  raw: string,
): readonly (readonly [name: string, value: string])[] {
  if (input === null || (Object.keys(input).length === 0 && raw !== '' && raw !== '{}')) return raw === '' ? [] : [['', raw]];
  return Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, null, 2)]);
}

/** A result for reading: its texts, and a word for each picture or document. */
export function resultText(result: ToolResultPart): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}: ${part.mediaType}]`)).join('\n');
}

/** A tool's progress for reading: a text as it is, `3 of 20 seconds` for a count, anything else as `key value` pairs. */
export function progressText(progress: Json): string {
  if (progress === null) return '';
  if (progressShare(progress) !== null) {
    const [[, done] = [], [unit, all] = []] = Object.entries(progress);
    return `${String(done)} of ${String(all)} ${String(unit)}`;
  }
  if (typeof progress !== 'object') return String(progress);
  if (Array.isArray(progress)) return JSON.stringify(progress);
  return Object.entries(progress)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

/** How far a tool is, from 0 to 1, where its progress says so as `{x, y}` with x counting up to y; null otherwise. */
export function progressShare(progress: Json): number | null {
  if (progress === null || typeof progress !== 'object' || Array.isArray(progress)) return null;
  const [done, all, ...others] = Object.values(progress);
  if (typeof done !== 'number' || typeof all !== 'number' || others.length > 0 || all <= 0) return null;
  return Math.min(1, Math.max(0, done / all));
}

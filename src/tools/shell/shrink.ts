import { type Filter, filterFor } from './shrink/filters.ts';

/** The most of an output that a model reads, in characters, filtered or not (SHRINK-07). */
const shrinkCap = 12_000;

/** An output as a model reads it. The counts are in tokens, null where no filter was at work (SHRINK-10). */
export interface Shrunk {
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** What shrinks. All of it may be left out. */
export interface ShrinkInit {
  /** Finds the filter for a command; null: it is left alone (SHRINK-08). */
  readonly filters?: (command: string) => Filter | null;
  /** Counts the tokens of a text. */
  readonly tokens?: (text: string) => number;
  readonly cap?: number;
}

/** Colours and other commands to a terminal. */
const escapes = new RegExp(String.raw`\u001B(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\))`, 'g');

/**
 * Shortens the output of a command for a model, which the note at the end tells (SHRINK-01 to SHRINK-07). Only a single known command is touched, so that a pipe
 * is the way to the raw output. Nothing is changed where that saves nothing, and where a filter does not know the output.
 */
export function shrink(
  command: string,
  output: string,
  { filters = filterFor, tokens = estimated, cap = shrinkCap }: ShrinkInit = {},
): Shrunk {
  const filter = output.trim() === '' ? null : filters(command);
  const text = filter === null ? null : attempt(filter, output);
  if (text === null) return { text: capped(output, cap), before: null, after: null };
  const [before, after] = [tokens(output), tokens(text)];
  if (after >= before) return { text: capped(output, cap), before: null, after: null };
  return { text: `${capped(text, cap)}\n[output compressed from ${before} to ${after} tokens]`, before, after };
}

/** What a filter makes of an output, of each side of a hole where the middle was cut out of it (SHELL-07); null where it knows none of them. */
function attempt(filter: Filter, output: string): string | null {
  const parts = output.replace(escapes, '').split(/(?<=^|\n)(\[\d+ bytes cut\])(?=\n|$)/);
  const shrunk = parts.map((part, at) => (at % 2 === 1 ? part : filtered(filter, part)));
  if (shrunk.every((part, at) => at % 2 === 1 || part === null)) return null;
  return shrunk.map((part, at) => part ?? parts[at]?.trim() ?? '').join('\n');
}

/** A filter that throws has met an output that it does not know (SHRINK-04). */
function filtered(filter: Filter, output: string): string | null {
  try {
    return filter(output.replace(/^\n/, '')).trimEnd();
  } catch {
    return null;
  }
}

/** Four bytes of UTF-8 are about a token. */
function estimated(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

/** Without the middle of what is longer than `cap` characters: the start says what it is, and the end how it went. Cut at code points. */
function capped(text: string, cap: number): string {
  const points = [...text];
  if (points.length <= cap) return text;
  const head = Math.ceil(cap / 2);
  const tail = cap - head;
  return `${points.slice(0, head).join('')}\n[${points.length - cap} characters cut]\n${tail === 0 ? '' : points.slice(-tail).join('')}`;
}

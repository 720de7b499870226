import { excerptOf } from './excerpt.ts';

/** A line that matches: its index from 0, and where. */
export interface Hit {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The hits of a file as they are shown: its path, then `12: text` for a line that matches and `13- text` for one beside it, `--` where lines between are left out.
 * Each is at most `length` characters of the line.
 */
export function blockOf(
  path: string,
  lines: readonly string[],
  hits: readonly Hit[],
  context: number,
  length: number,
): readonly string[] {
  const block = [path];
  const at = new Map(hits.map((hit) => [hit.line, hit]));
  let next = 0;
  for (const { line } of hits) {
    const from = Math.max(next, line - context);
    if (context > 0 && next > 0 && from > next) block.push('--');
    const to = Math.min(lines.length, line + context + 1);
    for (let index = from; index < to; index += 1) {
      const hit = at.get(index);
      const text = excerptOf(lines[index] ?? '', hit?.start ?? 0, hit?.end ?? 0, length);
      block.push(`${index + 1}${hit === undefined ? '-' : ':'} ${text}`);
    }
    next = Math.max(next, to);
  }
  return block;
}

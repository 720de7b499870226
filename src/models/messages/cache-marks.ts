import type { MessagesTurn, UserBlock } from './request.ts';

/** The mark itself. */
export const cacheMark = { cache_control: { type: 'ephemeral' } } as const;

/**
 * How many of the user's pieces are marked. The API takes four marks, one stands on the system text or the tools. The last
 * piece may be a reminder that the next request has no more: the marks before it still stand where the next one looks.
 */
const markedEnds = 3;

/**
 * The messages with the last of `ends`, blocks of theirs, marked. A mark says where to cache and nothing else: the prompt
 * means the same with and without (ANT-12).
 */
export function withMarks(turns: readonly MessagesTurn[], ends: readonly UserBlock[]): readonly MessagesTurn[] {
  const marked = new Set(ends.slice(-markedEnds));
  return turns.map((turn) => {
    if (turn.role === 'assistant') return turn;
    return { ...turn, content: turn.content.map((block) => (marked.has(block) ? { ...block, ...cacheMark } : block)) };
  });
}

import type { Token } from 'marked';
import { blockTokens } from './markdown.ts';
import { mend } from './mend.ts';

/** A text cut into blocks, ready to grow. The first `stable` tokens, made of the first `length` characters, change no more. */
export interface Blocks {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly stable: number;
  readonly length: number;
}

/** The blocks of no text. */
export const noBlocks: Blocks = { text: '', tokens: [], stable: 0, length: 0 };

/**
 * The blocks of a text, those of `before` kept (the same objects) as far as it only grew. What comes after can still merge with the
 * last two blocks (a list that goes on, a table's line of dashes), so these are read again each time. `live` holds back
 * half-typed marks. The result for a whole text does not depend on the pieces it came in.
 */
export function growBlocks(before: Blocks, source: string, live: boolean): Blocks {
  const text = source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source;
  const keep = text.startsWith(before.text.slice(0, before.length)) ? before : noBlocks;
  const rest = text.slice(keep.length);
  const fresh = blockTokens(live ? mend(rest) : rest);
  // A definition changes links anywhere in the text.
  if (fresh.some(defines)) return { text, tokens: blockTokens(live ? mend(text) : text), stable: 0, length: 0 };
  const tokens = [...keep.tokens.slice(0, keep.stable), ...fresh];
  const settled = settledCount(fresh);
  const raw = fresh
    .slice(0, settled)
    .map((token) => token.raw)
    .join('');
  if (!rest.startsWith(raw)) return { text, tokens, stable: keep.stable, length: keep.length };
  return { text, tokens, stable: keep.stable + settled, length: keep.length + raw.length };
}

function settledCount(tokens: readonly Token[]): number {
  let open = 2;
  let at = tokens.length;
  while (at > 0 && open > 0) {
    at -= 1;
    if (tokens[at]?.type !== 'space') open -= 1;
  }
  return at;
}

/** Definitions stand at the top or inside a list or quote; one inside must be looked for too. */
function defines(token: Token): boolean {
  if (token.type === 'def') return true;
  return /\[[^\]]+\]:/.test(token.raw) && (token.type === 'list' || token.type === 'blockquote');
}

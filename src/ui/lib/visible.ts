import { pictureOf } from './ansi.ts';

/** A piece of a text as a person should see it: as it is, or the name of a character that would not show or would move what is around it. */
export interface VisiblePart {
  readonly text: string;
  readonly hidden: boolean;
}

/** Control and format characters, and blanks and line ends, but for those that show; four letters without a shape. */
const unseen = /(?![ \n\t])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\u3164\uffa0\u115f\u1160]/gu;

/** The text in pieces, every unseen character as a piece of its own: `␍` for CR, `U+202E` for what has no picture. */
export function visibleParts(text: string): readonly VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const match of text.matchAll(unseen)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), hidden: false });
    parts.push({ text: nameOf(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hidden: false });
  return parts;
}

function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return pictureOf(char);
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

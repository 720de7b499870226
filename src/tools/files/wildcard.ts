/** One thing that a wildcard matches in a name: a character, any one character, any number of them, or one of a set. */
type Piece =
  | { readonly type: 'character'; readonly character: string }
  | { readonly type: 'any' }
  | { readonly type: 'star' }
  | { readonly type: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** A pattern for one name of a path: `*`, `?`, `[a-z]`, `[!a]`, `[[:alpha:]]`, and `\` before a character that means itself. */
interface Name {
  readonly pieces: readonly Piece[];
  /** The only name that it matches, where that is so. */
  readonly literal: string | null;
}

/** A pattern for a path, name by name; `**` stands for any number of names. */
export type PathPattern = readonly (Name | '**')[];

const classes: { readonly [name: string]: readonly (readonly [string, string])[] } = {
  alnum: [
    ['0', '9'],
    ['A', 'Z'],
    ['a', 'z'],
  ],
  alpha: [
    ['A', 'Z'],
    ['a', 'z'],
  ],
  blank: [
    [' ', ' '],
    ['\t', '\t'],
  ],
  digit: [['0', '9']],
  lower: [['a', 'z']],
  punct: [
    ['!', '/'],
    [':', '@'],
    ['[', '`'],
    ['{', '~'],
  ],
  space: [
    [' ', ' '],
    ['\t', '\r'],
  ],
  upper: [['A', 'Z']],
  xdigit: [
    ['0', '9'],
    ['A', 'F'],
    ['a', 'f'],
  ],
};

/**
 * The pattern that a text stands for, with `/` between names. At the end `**` means everything below, so at least one name. Null for a text that matches nothing,
 * as git has it: a set that is not closed, a `\` before nothing.
 */
export function pathPattern(text: string): PathPattern | null {
  const parts: (Name | '**')[] = [];
  const names = text.split('/');
  for (const [at, part] of names.entries()) {
    if (part === '**') {
      if (parts.at(-1) !== '**') parts.push('**');
      if (at === names.length - 1) parts.push({ pieces: [{ type: 'star' }], literal: null });
      continue;
    }
    const pieces = piecesOf(part);
    if (pieces === null) return null;
    const literal = pieces.every((piece) => piece.type === 'character');
    parts.push({
      pieces,
      literal: literal ? pieces.map((piece) => (piece.type === 'character' ? piece.character : '')).join('') : null,
    });
  }
  return parts;
}

/** Whether a path, in its names, is one that the pattern means. Linear in the path for each name of the pattern, whatever they hold (FILES-11). */
export function matchesPath(pattern: PathPattern, names: readonly string[]): boolean {
  return wild(
    pattern,
    names,
    (part) => part === '**',
    (part, name) => part !== '**' && matchesName(part, name),
  );
}

function matchesName({ pieces, literal }: Name, name: string): boolean {
  if (literal !== null) return literal === name;
  return wild(pieces, [...name], (piece) => piece.type === 'star', matchesCharacter);
}

/** The classic walk over a pattern with stars: only the last star is ever gone back to, so nothing is tried more than once for each. */
function wild<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isStar: (part: P) => boolean,
  matches: (part: P, one: T) => boolean,
): boolean {
  let [p, t] = [0, 0];
  let [star, retry] = [-1, 0];
  while (t < text.length) {
    const [part, one] = [pattern[p], text[t]];
    if (part !== undefined && isStar(part)) {
      [star, retry] = [p, t];
      p += 1;
    } else if (part !== undefined && one !== undefined && matches(part, one)) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      retry += 1;
      [p, t] = [star + 1, retry];
    } else return false;
  }
  return pattern.slice(p).every(isStar);
}

function matchesCharacter(piece: Piece, character: string): boolean {
  switch (piece.type) {
    case 'character':
      return piece.character === character;
    case 'set':
      return piece.negated !== piece.ranges.some(([from, to]) => from <= character && character <= to);
    case 'any':
    case 'star':
      return true;
  }
}

function piecesOf(text: string): readonly Piece[] | null {
  const characters = [...text];
  const pieces: Piece[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '[') {
      const set = setAt(characters, at);
      if (set === null) return null;
      pieces.push(set.piece);
      at = set.end;
    } else if (character === '\\') {
      at += 1;
      const escaped = characters[at];
      if (escaped === undefined) return null;
      pieces.push({ type: 'character', character: escaped });
    } else if (character === '*') {
      if (pieces.at(-1)?.type !== 'star') pieces.push({ type: 'star' });
    } else pieces.push(character === '?' ? { type: 'any' } : { type: 'character', character });
  }
  return pieces;
}

/** The set that begins at `[`, and where its `]` is. A `]` right at its start means itself. */
function setAt(characters: readonly string[], open: number): { readonly piece: Piece; readonly end: number } | null {
  let at = open + 1;
  const negated = characters[at] === '!' || characters[at] === '^';
  if (negated) at += 1;
  const ranges: (readonly [string, string])[] = [];
  for (let first = true; at < characters.length; first = false) {
    if (characters[at] === ']' && !first) return { piece: { type: 'set', negated, ranges }, end: at };
    const named = /^\[:([a-z]+):\]/.exec(characters.slice(at, at + 12).join(''));
    if (named !== null) {
      const ofClass = Object.hasOwn(classes, named[1] ?? '') ? classes[named[1] ?? ''] : undefined;
      if (ofClass === undefined) return null;
      ranges.push(...ofClass);
      at += named[0].length;
      continue;
    }
    const from = characterAt(characters, at);
    if (from === null) return null;
    at = from.next;
    const isRange = characters[at] === '-' && characters[at + 1] !== undefined && characters[at + 1] !== ']';
    const to = isRange ? characterAt(characters, at + 1) : from;
    if (to === null) return null;
    at = to.next;
    ranges.push([from.character, to.character]);
  }
  return null;
}

function characterAt(characters: readonly string[], at: number): { readonly character: string; readonly next: number } | null {
  const escaped = characters[at] === '\\';
  const character = characters[escaped ? at + 1 : at];
  return character === undefined ? null : { character, next: at + (escaped ? 2 : 1) };
}

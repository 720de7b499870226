import {
  answerPieces,
  byteToken,
  closingPieces,
  emojiBytes,
  jsonPieces,
  thinkClose,
  thinkOpen,
  thoughtPieces,
  tokenKind,
  toolCallClose,
  toolCallOpen,
  turnEnd,
  turnStart,
  valueWord,
  vocabulary,
  type Token,
} from './vocabulary.ts';

/**
 * What the model wants to write after a token: the next tokens by falling preference, as logits.
 *
 * Most tokens share a state with others of their sort. A grammar, a tool-call format or a logit bias
 * removes candidates, and the next best one is taken, which is how the same table writes prose and JSON.
 */
interface State {
  readonly tokens: readonly string[];
  readonly next: Readonly<Record<string, number>>;
}

const favourite = 20;

/** Logit of a tool-call tag at the start of an answer: below prose, unless a bias lifts it. */
const toolCallLogit = 12;

/** Logit bias that makes a tool call beat prose at the start of an answer, and nowhere else. */
export const toolCallBias = 14;

/** Logit of a token that its state does not name. */
export function defaultLogit(token: Token): number {
  return token.kind === tokenKind.normal ? 0 : -20;
}

const startOfAnswer = { [answerPieces[0]]: favourite, [toolCallOpen]: toolCallLogit, '{"': 10, '{': 8, '[': 7, '"': 6 };

/** A character ends a prompt's prefix (prose goes on) or a JSON name (punctuation is all the grammar allows). */
const afterCharacter = {
  [answerPieces[2]]: favourite,
  '":▁"': 17,
  '":"': 16.5,
  '":▁': 16,
  '":': 15,
  '"]': 14.5,
  '"}}': 14,
  '"}': 13,
  '",▁"': 12,
  '","': 11.5,
  '",▁': 11,
  '",': 10.5,
  ']': 9.5,
  '}}': 9,
  '}': 8,
  ',▁"': 7,
  ',"': 6.5,
  ',': 6,
  '"': 4,
};

const closers = {
  [toolCallClose]: favourite,
  [turnEnd]: 18,
  '}}': 17,
  '}': 16,
  ']}}': 15,
  ']}': 14,
  ']': 13,
  ',▁"': 12,
  ',"': 11,
  ',▁': 10,
  ',': 9,
};

/** All states; every token of the vocabulary is in exactly one. */
export const states: readonly State[] = buildStates();

function buildStates(): State[] {
  const named: State[] = [...proseStates(), ...thoughtStates(), ...jsonStates()];
  const taken = new Set(named.flatMap((state) => state.tokens));
  const rest = vocabulary.filter((token) => !taken.has(token.text));
  const characters = rest.filter((token) => token.kind === tokenKind.normal);
  const others = rest.filter((token) => token.kind !== tokenKind.normal);
  return [
    ...named,
    { tokens: characters.map((token) => token.text), next: afterCharacter },
    { tokens: others.map((token) => token.text), next: startOfAnswer },
  ];
}

function proseStates(): State[] {
  const emoji = emojiBytes.map(byteToken);
  return chain([...answerPieces, ...emoji, ...closingPieces], { [turnEnd]: favourite, [answerPieces[0]]: 5 });
}

function thoughtStates(): State[] {
  return chain([thinkOpen, ...thoughtPieces], { [thinkClose]: favourite });
}

function jsonStates(): State[] {
  const endingWith = (end: string): string[] => jsonPieces.filter((piece) => piece.endsWith(end) && !closing(piece));
  return [
    { tokens: [toolCallOpen], next: { '{"': favourite, '{': 16 } },
    { tokens: [toolCallClose, turnEnd], next: { [turnEnd]: favourite, [turnStart]: -30 } },
    { tokens: ['"', ...endingWith('"')], next: { [valueWord]: favourite, '"}}': 14, '"}': 13, '",▁"': 12, '"': 4 } },
    {
      tokens: [valueWord],
      next: { '"]': 21, '"}}': favourite, '"}': 19, '",▁"': 17, '","': 16, '",▁': 14, '",': 13, '"': 12 },
    },
    { tokens: [':', '":', '":▁'], next: { '"': 19, '{': 17, '[': 16, '7': 15, ...digits(14) } },
    { tokens: ['{'], next: { '}}': favourite, '}': 18, '"': 16 } },
    { tokens: ['['], next: { ']}}': favourite, ']}': 19, ']': 18, '"': 16, '{': 15, '7': 14 } },
    { tokens: [',', ',▁', '",', '",▁'], next: { '"': 19, '{': 17, '[': 16, '7': 15, ...digits(14) } },
    { tokens: ['}', ']', ...jsonPieces.filter(closing)], next: closers },
  ];
}

function closing(piece: string): boolean {
  return piece.endsWith('}') || piece.endsWith(']');
}

function digits(logit: number): Record<string, number> {
  return Object.fromEntries(Array.from('123456890', (digit) => [digit, logit]));
}

/** Each piece leads to the next one; the last one leads to `end`. */
function chain(pieces: readonly string[], end: Readonly<Record<string, number>>): State[] {
  return pieces.map((piece, index) => {
    const following = pieces[index + 1];
    return { tokens: [piece], next: following === undefined ? end : { [following]: favourite } };
  });
}

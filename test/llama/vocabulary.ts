/** GGUF token kinds (llama.cpp's LLAMA_TOKEN_TYPE values). */
export const tokenKind = { normal: 1, unknown: 2, control: 3, userDefined: 4, byte: 6 } as const;

type TokenKind = (typeof tokenKind)[keyof typeof tokenKind];

/** One vocabulary entry; its id is its index in the vocabulary. `▁` stands for a space. */
export interface Token {
  readonly text: string;
  readonly kind: TokenKind;
}

/** Declared as the begin-of-text token; the template never uses it. */
export const beginOfText = '<s>';
/** Declared as the end-of-text token; turns end with `turnEnd` instead. */
export const endOfText = '</s>';
/** Opens a message; its role and a newline follow. */
export const turnStart = '<|im_start|>';
/** Closes a message and so ends generation. */
export const turnEnd = '<|im_end|>';
/** Opens a tool call and triggers its grammar. */
export const toolCallOpen = '<tool_call>';
/** Closes a tool call. */
export const toolCallClose = '</tool_call>';
/** Opens the reasoning. */
export const thinkOpen = '<think>';
/** Closes the reasoning. */
export const thinkClose = '</think>';

/** The name llama.cpp knows the token of one byte by. */
export function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** JSON punctuation that may be written in one token, each with all its prefixes in the list. */
export const jsonPieces = [
  '{"',
  '":',
  '":▁',
  '":▁"',
  '":"',
  '"}',
  '"}}',
  '}}',
  '",',
  '",▁',
  '",▁"',
  '","',
  ',▁',
  ',▁"',
  ',"',
  '"]',
  ']}',
  ']}}',
] as const;

/** The only string a free JSON string value holds. */
export const valueWord = 'north';

/** The visible answer up to the emoji, one piece per token. No piece may occur twice in all the prose. */
export const answerPieces = [
  'The',
  '▁harness',
  '▁keeps',
  '▁every',
  '▁step',
  '▁of',
  '▁this',
  '▁run',
  '▁in',
  '▁one',
  '▁durable',
  '▁log,',
  '▁so',
  '▁that',
  '▁a',
  '▁crash',
  '▁costs',
  '▁no',
  '▁work.',
  '▁When',
  '▁power',
  '▁returns,',
  '▁it',
  '▁reads',
  '▁what',
  '▁was',
  '▁done,',
  '▁drops',
  '▁half-made',
  '▁pieces,',
  '▁and',
  '▁goes',
  '▁on',
  '▁from',
  '▁there.',
  '▁Caf\u00e9s',
  '▁close,',
  '▁threads',
  '▁wait',
  '▁',
] as const;

/** Written by byte tokens, so that one character spans several tokens. */
export const emojiBytes = [0xf0, 0x9f, 0xa7, 0xb5] as const;

/** What follows the emoji and ends the answer. */
export const closingPieces = ['▁until', '▁someone', '▁answers.'] as const;

/** The reasoning, written between the think tags. */
export const thoughtPieces = [
  'First',
  '▁weigh',
  '▁which',
  '▁tools',
  '▁fit,',
  '▁then',
  '▁check',
  '▁their',
  '▁inputs,',
  '▁act.',
] as const;

/** Every token, in id order. */
export const vocabulary: readonly Token[] = buildVocabulary();

const idsByText = new Map(vocabulary.map((token, id) => [token.text, id]));

/** The id of the token with exactly this text; throws when there is none. */
export function tokenId(text: string): number {
  const id = idsByText.get(text);
  if (id === undefined) throw new Error(`no token ${JSON.stringify(text)}`);
  return id;
}

function buildVocabulary(): Token[] {
  const tokens: Token[] = [{ text: '<unk>', kind: tokenKind.unknown }];
  const add = (kind: TokenKind, texts: Iterable<string>): void => {
    for (const text of texts) {
      if (!tokens.some((token) => token.text === text)) tokens.push({ text, kind });
    }
  };
  add(tokenKind.control, [beginOfText, endOfText]);
  add(
    tokenKind.byte,
    Array.from({ length: 256 }, (_, byte) => byteToken(byte)),
  );
  add(tokenKind.control, [turnStart, turnEnd]);
  add(tokenKind.userDefined, [toolCallOpen, toolCallClose, thinkOpen, thinkClose]);
  add(
    tokenKind.normal,
    Array.from({ length: 0x7e - 0x20 }, (_, index) => String.fromCharCode(0x21 + index)),
  );
  // Trap: earlier tokens merge first, so prose must precede JSON or the space after a comma joins the comma.
  add(tokenKind.normal, ['▁', ...withPrefixes([...answerPieces, ...closingPieces, ...thoughtPieces])]);
  add(tokenKind.normal, [...jsonPieces, valueWord]);
  return tokens;
}

/**
 * The pieces and all their beginnings, shorter ones first. The tokenizer only joins two tokens into a
 * third, so without them an answer sent back as a prompt would not become the tokens it was made of.
 */
function withPrefixes(pieces: readonly string[]): string[] {
  const prefixes = pieces.flatMap((piece) => {
    const characters = Array.from(piece);
    return characters.map((_, index) => characters.slice(0, index + 1).join(''));
  });
  return prefixes.filter((prefix) => Array.from(prefix).length > 1).sort((a, b) => a.length - b.length);
}

import { Lexer, type Token, type Tokens } from 'marked';
import { decodeEntities } from './entities.ts';
import { safeHref } from './links.ts';

/** A piece of a rendered text: plain text, or an element of the fixed list below. There is no HTML string on the way. */
export type MdNode = string | MdElement;

/** The elements that markdown may become. `chip` shows an address that is not followed; `code_block` is a fence. */
export type MdTag =
  | 'p'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'hr'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'
  | 'strong'
  | 'em'
  | 'del'
  | 'code'
  | 'br'
  | 'a'
  | 'chip'
  | 'checkbox'
  | 'code_block'
  | 'text';

/** An element. Of its attributes only those named here exist, so no text can add another. */
export interface MdElement {
  readonly tag: MdTag;
  readonly children: readonly MdNode[];
  /** An address that has passed `safeHref`. */
  readonly href?: string;
  /** An address as written: shown, never followed. */
  readonly address?: string;
  readonly align?: 'left' | 'center' | 'right';
  readonly start?: number;
  readonly checked?: boolean;
  readonly lang?: string;
  /** A fence whose closing line has not come. */
  readonly open?: boolean;
}

/** The block tokens of a text (GFM). Line ends are `\n` already, or made so. */
export function blockTokens(text: string): readonly Token[] {
  return new Lexer({ gfm: true }).lex(text);
}

/** One block as a tree; null for what shows nothing. Raw HTML becomes the text it is written as. */
export function renderBlock(token: Token): MdNode | null {
  switch (token.type) {
    case 'paragraph':
      return element('p', inline(token.tokens));
    case 'heading':
      return element(headings[Math.min((token as Tokens.Heading).depth, headings.length) - 1] ?? 'h6', inline(token.tokens));
    case 'code':
      return codeBlock(token as Tokens.Code);
    case 'blockquote':
      return element('blockquote', blocks(token.tokens));
    case 'list':
      return list(token as Tokens.List);
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return element('hr', []);
    case 'html':
      return element('p', [token.raw.trimEnd()]);
    case 'text':
      return element('text', token.tokens === undefined ? [plain(token)] : inline(token.tokens));
    case 'checkbox':
      return { ...element('checkbox', []), checked: (token as Tokens.Checkbox).checked };
    case 'space':
    case 'def':
      return null;
    default:
      return element('p', [token.raw]);
  }
}

// The page's own headings come first, so a reply's begin at the third level.
const headings = ['h3', 'h4', 'h5', 'h6'] as const;

function element(tag: MdTag, children: readonly MdNode[]): MdElement {
  return { tag, children };
}

function blocks(tokens: readonly Token[] | undefined): readonly MdNode[] {
  return (tokens ?? []).flatMap((token) => renderBlock(token) ?? []);
}

function codeBlock(token: Tokens.Code): MdElement {
  const lang = (token.lang ?? '').trim().split(/\s+/)[0] ?? '';
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  const closed = fence === undefined || new RegExp(`\\n {0,3}${fence[0] ?? ''}{${fence.length},}\\s*$`).test(token.raw);
  return { tag: 'code_block', children: [token.text], lang, open: !closed };
}

function list(token: Tokens.List): MdElement {
  const items = token.items.map((item) => element('li', blocks(item.tokens)));
  if (!token.ordered) return element('ul', items);
  return typeof token.start === 'number' && token.start !== 1
    ? { ...element('ol', items), start: token.start }
    : element('ol', items);
}

function table(token: Tokens.Table): MdElement {
  const cell =
    (tag: 'th' | 'td') =>
    (from: Tokens.TableCell): MdElement => {
      const made = element(tag, inline(from.tokens));
      return from.align === null ? made : { ...made, align: from.align };
    };
  const head = element('thead', [element('tr', token.header.map(cell('th')))]);
  const rows = token.rows.map((row) => element('tr', row.map(cell('td'))));
  return element('table', rows.length === 0 ? [head] : [head, element('tbody', rows)]);
}

function inline(tokens: readonly Token[] | undefined): readonly MdNode[] {
  return (tokens ?? []).map(renderInline);
}

function renderInline(token: Token): MdNode {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return element(token.type, inline(token.tokens));
    case 'codespan':
      return element('code', [(token as Tokens.Codespan).text]);
    case 'br':
      return element('br', []);
    case 'link':
      return link(token as Tokens.Link);
    case 'image':
      return image(token as Tokens.Image);
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? element('br', []) : token.raw;
    case 'text':
      return token.tokens === undefined ? plain(token) : element('text', inline(token.tokens));
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'checkbox':
      return { ...element('checkbox', []), checked: (token as Tokens.Checkbox).checked };
    default:
      return token.raw;
  }
}

function plain(token: Token): string {
  return decodeEntities(token.raw);
}

function link(token: Tokens.Link): MdElement {
  const href = safeHref(token.href);
  if (href === null) return { tag: 'chip', children: inline(token.tokens), address: token.href };
  return { tag: 'a', children: inline(token.tokens), href };
}

/** A remote image would tell its host who reads what, so it is an address until a reader opens it. */
function image(token: Tokens.Image): MdElement {
  const href = safeHref(token.href);
  const chip: MdElement = {
    tag: 'chip',
    children: [token.text === '' ? 'Image' : `Image: ${decodeEntities(token.text)}`],
    address: token.href,
  };
  return href === null ? chip : { ...chip, href };
}

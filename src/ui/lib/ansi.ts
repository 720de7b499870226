/** A piece of a program's output with the names of its looks, of a fixed list; '' for plain text. */
export interface AnsiSpan {
  readonly text: string;
  readonly classes: string;
}

/** How text looks from here on. */
interface Look {
  colour: number | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

const plain: Readonly<Look> = { colour: null, bold: false, dim: false, italic: false, underline: false };

/** A string sequence (a title, a link) that has not ended after so many characters is no sequence: it must not swallow what comes after it. */
const longestString = 4096;

/** Behind an ESC: CSI in its whole form. The parameters and the final byte are read. */
const csi = /\[([0-?]*)[ -/]*([@-~])/y;
/** Behind an ESC: intermediate bytes and a final one, as in `ESC ( B`. */
const short = /[ -/]*[0-~]/y;
/** Behind an ESC: what may go on. */
const begun = /(?:\[[0-?]*[ -/]*|[ -/]*)$/y;

/**
 * A program's output as spans, never markup: colours and weights (SGR) become names of classes, all other escape sequences are left out, a
 * lone carriage return begins the line anew, and other control characters show as their pictures. A sequence that has only begun is held back.
 * Takes time linear in the length of the text.
 */
export function ansiSpans(text: string): readonly AnsiSpan[] {
  const out = new Out();
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '\u001b') {
      at = out.escape(text, at);
    } else if (isPrintable(char)) {
      const end = printableEnd(text, at);
      out.print(text.slice(at, end));
      at = end;
    } else {
      out.control(char, text.charAt(at + 1));
      at += 1;
    }
  }
  return out.spans();
}

function printableEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isPrintable(text.charAt(end))) end += 1;
  return end;
}

function isPrintable(char: string): boolean {
  return char >= ' ' && !(char >= '\u007f' && char <= '\u009f');
}

/** Lines that have ended, and the one that may still begin anew. */
class Out {
  readonly #done: AnsiSpan[] = [];
  #line: AnsiSpan[] = [];
  #look: Readonly<Look> = plain;
  #restart = false;

  print(text: string): void {
    if (this.#restart) this.#line = [];
    this.#restart = false;
    push(this.#line, text, classesOf(this.#look));
  }

  control(char: string, next: string): void {
    if (char === '\n') this.#endLine();
    else if (char === '\t') this.print('\t');
    else if (char === '\r') this.#restart = next !== '\n';
    else if (char === '\b') this.#eraseOne();
    else if (char !== '\u0007') this.print(pictureOf(char));
  }

  /** Reads the sequence that begins at `at`; gives where the text goes on. */
  escape(text: string, at: number): number {
    const inside = at + 1;
    csi.lastIndex = inside;
    const [whole, parameters = '', final = ''] = csi.exec(text) ?? [];
    if (whole !== undefined) {
      if (final === 'm') this.#look = withCodes(this.#look, parameters);
      return inside + whole.length;
    }
    if (inside < text.length && ']PX^_'.includes(text.charAt(inside))) return stringEnd(text, at);
    begun.lastIndex = inside;
    if (begun.test(text)) return text.length;
    short.lastIndex = inside;
    return inside + (short.exec(text)?.[0].length ?? 0);
  }

  spans(): readonly AnsiSpan[] {
    for (const span of this.#line) push(this.#done, span.text, span.classes);
    return this.#done;
  }

  #endLine(): void {
    for (const span of this.#line) push(this.#done, span.text, span.classes);
    push(this.#done, '\n', '');
    this.#line = [];
    this.#restart = false;
  }

  #eraseOne(): void {
    const last = this.#line.pop();
    if (last === undefined) return;
    const text = last.text.replace(/(?:[\uD800-\uDBFF][\uDC00-\uDFFF]|[^])$/, '');
    if (text !== '') this.#line.push({ ...last, text });
  }
}

/** Spans of the same look are one; a line end takes the look of what it follows. */
function push(spans: AnsiSpan[], text: string, classes: string): void {
  const last = spans.at(-1);
  if (last !== undefined && (last.classes === classes || text === '\n')) {
    spans[spans.length - 1] = { text: last.text + text, classes: last.classes };
  } else {
    spans.push({ text, classes });
  }
}

/** Where a string sequence ends: behind BEL or `ESC \`. One that may still come whole is held back; one that is too long loses its ESC only. */
function stringEnd(text: string, at: number): number {
  for (let end = at + 2; end < text.length && end - at <= longestString; end += 1) {
    if (text[end] === '\u0007') return end + 1;
    if (text[end] === '\u001b') return text[end + 1] === '\\' ? end + 2 : text[end + 1] === undefined ? text.length : end;
  }
  return text.length - at <= longestString ? text.length : at + 1;
}

function withCodes(look: Readonly<Look>, parameters: string): Readonly<Look> {
  const codes = parameters.split(/[;:]/).map(Number);
  const next = { ...look };
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const indexed = codes[at + 1] === 5;
      const index = codes[at + 2] ?? 0;
      if (code === 38) next.colour = indexed && index < 16 ? index : null;
      at += indexed ? 2 : 4;
    } else {
      Object.assign(next, changeOf(code));
    }
  }
  return next;
}

/** What a code changes. Backgrounds are left out: the page's own colours must stay readable. */
function changeOf(code: number): Partial<Look> {
  if (code >= 30 && code <= 37) return { colour: code - 30 };
  if (code >= 90 && code <= 97) return { colour: code - 82 };
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { bold: true };
    case 2:
      return { dim: true };
    case 3:
      return { italic: true };
    case 4:
      return { underline: true };
    case 22:
      return { bold: false, dim: false };
    case 23:
      return { italic: false };
    case 24:
      return { underline: false };
    case 39:
      return { colour: null };
    default:
      return {};
  }
}

function classesOf({ colour, bold, dim, italic, underline }: Readonly<Look>): string {
  const names = [
    colour === null ? '' : `ansi-${colour % 8}`,
    bold ? 'ansi-bold' : '',
    dim ? 'ansi-dim' : '',
    italic ? 'ansi-italic' : '',
    underline ? 'ansi-underline' : '',
  ];
  return names.filter((name) => name !== '').join(' ');
}

/** The picture of a control character: ␀ for NUL, ␡ for DEL, � for one of the second set, which have none. */
export function pictureOf(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0x80) return '\ufffd';
  return code === 0x7f ? '\u2421' : String.fromCharCode(0x2400 + code);
}

/** The end of a text: at most `characters` of it, from a line's beginning on where it has one. */
export function tailOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const cut = text.slice(-characters);
  const line = cut.indexOf('\n');
  return line >= 0 && line < cut.length - 1 ? cut.slice(line + 1) : cut;
}

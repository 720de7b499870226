/**
 * The text of a reply that still streams in, with the half-typed marks at its end held back or closed: an open `**` is closed, half a
 * link shows its words, and a line that could yet become a heading, a rule or a table waits. Only the end is touched, so what a
 * reader has seen does not change its shape when the next letters come.
 */
export function mend(text: string): string {
  const fence = openFence(text);
  if (fence !== null) return text.replace(fence.char === '`' ? /\n {0,3}`+$/ : /\n {0,3}~+$/, '\n');
  const held = holdTable(text.replace(halfLine, '$1'));
  const start = lastSegment(held);
  return held.slice(0, start) + closeInline(held.slice(start));
}

/** A last line that says nothing yet: the start of a heading, list item, quote, rule, fence or task box. */
const halfLine = /(^|\n)[ \t]*(?:#{1,6}|[-+*]|\d{1,9}[.)]?|>|=+|-{2,}|\*{2,}|_{2,}|`{1,2}|~{1,2}|[-+*][ \t]+\[[ xX]?\]?)[ \t]*$/;

function openFence(text: string): { readonly char: string } | null {
  let open: { char: string; length: number } | null = null;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(?:[-+*>]|\d{1,9}[.)])?\s*(`{3,}|~{3,})(.*)$/.exec(line);
    if (mark?.[1] === undefined) continue;
    const [char = '', length, rest = ''] = [mark[1][0], mark[1].length, mark[2]];
    if (open === null) {
      if (char === '~' || !rest.includes('`')) open = { char, length };
    } else if (char === open.char && length >= open.length && rest.trim() === '') {
      open = null;
    }
  }
  return open;
}

/** A table without its line of dashes yet would show as a line of bars first. */
function holdTable(text: string): string {
  const start = text.lastIndexOf('\n\n') + 1;
  const lines = text
    .slice(start)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const first = lines[0];
  if (first === undefined || !first.trimStart().startsWith('|') || lines.length > 2) return text;
  const cells = (line: string): number => line.split('|').filter((cell) => cell.trim() !== '').length;
  const dashes = lines[1];
  const whole =
    dashes !== undefined && /^[\s|:-]+$/.test(dashes) && cells(dashes) >= cells(first) && /[-:]\s*\|?\s*$/.test(dashes);
  return whole ? text : text.slice(0, start);
}

/** Where the inline text that may be unfinished begins: the last block, item or line with a mark of its own. */
function lastSegment(text: string): number {
  const paragraph = text.lastIndexOf('\n\n') + 1;
  const line = text.lastIndexOf('\n') + 1;
  return /^\s*(?:[-+*]|\d{1,9}[.)]|#{1,6}|>|\|)/.test(text.slice(line)) ? line : paragraph;
}

interface Mark {
  readonly text: string;
  readonly at: number;
}

function closeInline(segment: string): string {
  const open: Mark[] = [];
  let bracket = -1;
  let at = 0;
  while (at < segment.length) {
    const char = segment[at] ?? '';
    if (char === '\\') {
      at += 2;
      continue;
    }
    if (char === '`') {
      const run = runOf(segment, at);
      const close = findRun(segment, at + run, run);
      if (close < 0) return closeMarks(closeCode(segment, at, run), open);
      at = close + run;
      continue;
    }
    if (char === '[') bracket = at;
    if (char === ']' && bracket >= 0 && segment[at + 1] === '(') {
      const end = segment.indexOf(')', at);
      if (end < 0) return closeMarks(halfLink(segment, bracket, at), open);
      bracket = -1;
      at = end + 1;
      continue;
    }
    if (char === '*' || char === '_' || char === '~') {
      const run = runOf(segment, at);
      toggle(open, segment, at, run);
      at += run;
      continue;
    }
    at += 1;
  }
  return closeMarks(segment, open);
}

function runOf(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

function findRun(text: string, from: number, length: number): number {
  for (let at = text.indexOf('`', from); at >= 0;) {
    const run = runOf(text, at);
    if (run === length) return at;
    at = text.indexOf('`', at + run);
  }
  return -1;
}

function closeCode(segment: string, at: number, run: number): string {
  const inside = segment.slice(at + run);
  return inside.trim() === '' ? segment.slice(0, at) : segment.replace(/`+$/, '') + '`'.repeat(run);
}

/** `[words](half-an-addr` shows its words; half an image shows nothing. */
function halfLink(segment: string, bracket: number, end: number): string {
  const image = segment[bracket - 1] === '!';
  return image ? segment.slice(0, bracket - 1) : segment.slice(0, bracket) + segment.slice(bracket + 1, end);
}

function toggle(open: Mark[], text: string, at: number, run: number): void {
  const mark = text.slice(at, at + run);
  const before = text[at - 1];
  const after = text[at + run];
  const word = /[\p{L}\p{N}]/u;
  if (mark[0] === '_' && before !== undefined && after !== undefined && word.test(before) && word.test(after)) return;
  if (mark[0] === '~' && run !== 2) return;
  const canClose = before !== undefined && !/\s/.test(before);
  const known = open.findLastIndex((candidate) => candidate.text === mark);
  if (canClose && known >= 0) {
    open.splice(known);
  } else if (run <= 3 && (after === undefined || !/\s/.test(after))) {
    open.push({ text: mark, at });
  }
}

function closeMarks(segment: string, open: readonly Mark[]): string {
  let text = segment;
  let marks = [...open];
  // A run at the very end opens nothing yet, or is half of a closing mark.
  for (let last = marks.at(-1); last !== undefined && last.at + last.text.length >= text.length; last = marks.at(-1)) {
    text = text.slice(0, last.at);
    marks = marks.slice(0, -1);
  }
  if (marks.length === 0) return text;
  return (
    text.trimEnd() +
    marks
      .reverse()
      .map((mark) => mark.text)
      .join('')
  );
}

import { plainLine, spokenLine } from './alike.ts';
import { shownLine } from './shown-line.ts';

/** How many lines of the file a hint shows. */
const shown = 20;

/** A way in which a text may differ from the file and still be meant, the most alike first. */
const ways: readonly { readonly of: (line: string) => string; readonly differs: string }[] = [
  { of: (line) => line.trimEnd(), differs: 'with other white space at the ends of lines' },
  { of: plainLine, differs: 'with other quotation marks, dashes, spaces or composed characters' },
  { of: spokenLine, differs: 'with other white space: indentation, tabs or blanks' },
  {
    of: (line) => spokenLine(line.replace(/^\s*\d+\s*(?:[:|\u2192]|-(?=\s)|\t)/, '')),
    differs: 'without the line numbers that you put before it',
  },
  { of: (line) => spokenLine(plainLine(line)).toLowerCase(), differs: 'with other capitals, quotation marks or white space' },
];

/**
 * Where a text that is not in the file is almost there: a sentence for the model, with the lines as the file has them, so that they can be copied. `text` is the
 * file's, `\n` its line ends. Null when nothing resembles it.
 */
export function nearest(text: string, search: string): string | null {
  const lines = text.split('\n');
  const wanted = withoutBlankEnds(search.split('\n'));
  const [first] = wanted;
  if (first === undefined)
    return 'The search text is nothing but white space and is not in the file like this: add the lines around the place.';
  for (const { of, differs } of ways) {
    const sought = wanted.map(of);
    const compared = lines.map(of);
    const found = compared.findIndex((_, at) => standsAt(compared, sought, at));
    if (found >= 0)
      return `It is at ${span(found, wanted.length)} ${differs}. There the file has:\n${excerpt(lines, found, wanted.length)}`;
  }
  return anchored(lines, wanted);
}

/** The text may begin and end inside a line. */
function standsAt(lines: readonly string[], sought: readonly string[], at: number): boolean {
  const last = sought.length - 1;
  return sought.every((part, index) => {
    const line = lines[at + index];
    if (line === undefined || part === '') return line === part;
    if (last === 0) return line.includes(part);
    if (index === 0) return line.endsWith(part);
    return index === last ? line.startsWith(part) : line === part;
  });
}

/** The most telling line of the text that the file has, and what stands around it there. */
function anchored(lines: readonly string[], wanted: readonly string[]): string | null {
  const spoken = lines.map(spokenLine);
  const candidates = wanted
    .map((line, index) => ({ index, line: spokenLine(line) }))
    .filter(({ line }) => line.length > 3)
    .toSorted((a, b) => b.line.length - a.line.length);
  for (const { index, line } of candidates) {
    const found = spoken.indexOf(line);
    if (found < 0) continue;
    const from = Math.max(0, found - index);
    return `Only some of its lines are there: line ${found + 1} is ${JSON.stringify(shownLine(line))}. There the file has:\n${excerpt(lines, from, wanted.length)}`;
  }
  return null;
}

function excerpt(lines: readonly string[], from: number, length: number): string {
  const part = lines.slice(from, from + Math.min(length, shown)).map(shownLine);
  return length > shown ? `${part.join('\n')}\n…` : part.join('\n');
}

function span(from: number, length: number): string {
  return length === 1 ? `line ${from + 1}` : `lines ${from + 1}-${from + length}`;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const filled = lines.flatMap((line, at) => (line.trim() === '' ? [] : [at]));
  const [first] = filled;
  return first === undefined ? [] : lines.slice(first, (filled.at(-1) ?? first) + 1);
}

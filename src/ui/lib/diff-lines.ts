/** A line of a diff. Numbers count from 1; null where the line is not on that side, or where they are not known. `marked` is what differs from its pair, as a range. */
export interface DiffLine {
  readonly kind: 'same' | 'add' | 'remove' | 'note';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
  readonly marked: readonly [from: number, to: number] | null;
}

/** One place of a file that changes. `at` says where, as far as it is known. */
export interface DiffHunk {
  readonly at: string;
  readonly lines: readonly DiffLine[];
}

const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads a unified diff of one file. What stands before its first hunk is left out. */
export function readDiff(diff: string): readonly DiffHunk[] {
  const hunks: { at: string; lines: DiffLine[] }[] = [];
  let before = 0;
  let after = 0;
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const [, from, to] = header.exec(line) ?? [];
    if (from !== undefined && to !== undefined) {
      before = Number(from);
      after = Number(to);
      hunks.push({ at: line, lines: [] });
      continue;
    }
    const into = hunks.at(-1)?.lines;
    if (into === undefined) continue;
    const text = line.slice(1);
    if (line.startsWith('+')) into.push({ kind: 'add', before: null, after: after++, text, marked: null });
    else if (line.startsWith('-')) into.push({ kind: 'remove', before: before++, after: null, text, marked: null });
    else if (line.startsWith('\\')) into.push({ kind: 'note', before: null, after: null, text: text.trim(), marked: null });
    else into.push({ kind: 'same', before: before++, after: after++, text, marked: null });
  }
  return hunks.map(({ at, lines }) => ({ at, lines: withMarks(lines) }));
}

/** A hunk whose place in the file is not known: `old` is replaced by `now`, and what both begin and end with is kept. */
export function replacement(old: string, now: string): DiffHunk {
  const [a, b] = [linesOf(old), linesOf(now)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const lines = [
    ...a.slice(0, head).map((text) => lineOf('same', text)),
    ...a.slice(head, a.length - tail).map((text) => lineOf('remove', text)),
    ...b.slice(head, b.length - tail).map((text) => lineOf('add', text)),
    ...a.slice(a.length - tail).map((text) => lineOf('same', text)),
  ];
  return { at: '', lines: withMarks(lines) };
}

/** A line whose place is not known. */
export function lineOf(kind: DiffLine['kind'], text: string): DiffLine {
  return { kind, before: null, after: null, text, marked: null };
}

/** The lines of a text; a last line break begins no further line. */
export function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** How many lines some hunks add and remove. */
export function countsOf(hunks: readonly DiffHunk[]): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    added: lines.filter(({ kind }) => kind === 'add').length,
    removed: lines.filter(({ kind }) => kind === 'remove').length,
  };
}

/** Where as many lines are removed as are added next, each pair has what differs in it marked. */
export function withMarks(lines: readonly DiffLine[]): readonly DiffLine[] {
  const marked = [...lines];
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, 'remove');
    const added = runOf(lines, at + removed, 'add');
    if (removed > 0 && removed === added) {
      for (let index = at; index < at + removed; index += 1) {
        const [old, now] = [lines[index], lines[index + removed]];
        const ranges = old === undefined || now === undefined ? null : differing(old.text, now.text);
        if (old === undefined || now === undefined || ranges === null) continue;
        marked[index] = { ...old, marked: ranges[0] };
        marked[index + removed] = { ...now, marked: ranges[1] };
      }
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

type Range = readonly [from: number, to: number];

/** What differs between two lines, as one range in each; null when they have too little in common for it to tell anything. Never cuts a character in two. */
function differing(old: string, now: string): readonly [Range, Range] | null {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  if (isLow(old, head) || isLow(now, head)) head -= 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  if (isLow(old, old.length - tail) || isLow(now, now.length - tail)) tail -= 1;
  if ((head + tail) * 3 < Math.max(old.length, now.length)) return null;
  return [
    [head, old.length - tail],
    [head, now.length - tail],
  ];
}

/** Whether the second half of a surrogate pair stands here. */
function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}

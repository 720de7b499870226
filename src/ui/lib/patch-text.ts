import { type DiffHunk, type DiffLine, lineOf, withMarks } from './diff-lines.ts';

/** What a patch says of one file. Paths are as given. */
export interface PatchSection {
  readonly what: 'add' | 'delete' | 'update';
  readonly path: string;
  readonly moveTo: string | null;
  readonly hunks: readonly DiffHunk[];
}

const begin = '*** Begin Patch';
const end = '*** End Patch';
const kinds = [
  ['*** Add File:', 'add'],
  ['*** Delete File:', 'delete'],
  ['*** Update File:', 'update'],
] as const;
const move = '*** Move to:';

/** Reads a patch in the envelope of Codex, for showing it (FILES-05); null for what is none: then its text is to be shown as it is. Nothing of the text is left out. */
export function readPatch(text: string): readonly PatchSection[] | null {
  const lines = text.trim().split('\n');
  const plain = lines[0]?.endsWith('\r') === true ? lines.map((line) => line.replace(/\r$/, '')) : lines;
  if (plain[0]?.trim() !== begin || plain.at(-1)?.trim() !== end) return null;
  const sections: Draft[] = [];
  for (const line of plain.slice(1, -1)) {
    const section = sections.at(-1);
    const opened = sectionOf(section === undefined || section.what === 'delete' ? line.trim() : line);
    if (opened !== null) sections.push({ ...opened, moveTo: null, hunks: [] });
    else if (section === undefined || section.what === 'delete') {
      if (line.trim() !== '') return null;
    } else addLine(section, line);
  }
  return sections.map((section) => ({
    ...section,
    hunks: section.hunks.map(({ at, lines }) => ({ at, lines: withMarks(lines) })),
  }));
}

interface Draft {
  readonly what: PatchSection['what'];
  readonly path: string;
  moveTo: string | null;
  readonly hunks: { readonly at: string; readonly lines: DiffLine[] }[];
}

function addLine(section: Draft, line: string): void {
  const { what, hunks, moveTo } = section;
  if (what === 'update' && hunks.length === 0 && moveTo === null && line.trim().startsWith(move)) {
    section.moveTo = line.trim().slice(move.length).trim();
  } else if (what === 'update' && line.startsWith('@@')) {
    hunks.push({ at: line, lines: [] });
  } else {
    if (hunks.length === 0) hunks.push({ at: '', lines: [] });
    hunks.at(-1)?.lines.push(hunkLine(line));
  }
}

function sectionOf(line: string): { readonly what: PatchSection['what']; readonly path: string } | null {
  const found = kinds.find(([mark]) => line.startsWith(mark));
  return found === undefined ? null : { what: found[1], path: line.slice(found[0].length).trim() };
}

function hunkLine(line: string): DiffLine {
  if (line.startsWith('+')) return lineOf('add', line.slice(1));
  if (line.startsWith('-')) return lineOf('remove', line.slice(1));
  if (line.startsWith(' ') || line === '') return lineOf('same', line.slice(1));
  return lineOf('note', line);
}

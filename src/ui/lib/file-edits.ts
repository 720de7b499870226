import { isObject, type Json } from '../../core/json.ts';
import { countsOf, type DiffHunk, lineOf, linesOf, readDiff, replacement } from './diff-lines.ts';
import { type PatchSection, readPatch } from './patch-text.ts';

/**
 * A change of one file, for showing it. `source`: `done` is what a tool reported of its change; `asked` is made from the request alone, so the
 * place in the file and what was there before are as the request has them. `added` and `removed` count lines; null where they are not known.
 */
export interface FileEdit {
  readonly path: string;
  readonly from: string | null;
  readonly what: 'edited' | 'written' | 'created' | 'deleted' | 'moved';
  readonly added: number | null;
  readonly removed: number | null;
  readonly hunks: readonly DiffHunk[];
  readonly source: 'done' | 'asked';
}

/** The tools whose calls change files by their input. */
export const editTools: ReadonlySet<string> = new Set(['edit_file', 'write_file', 'apply_patch']);

/** What a call would change, read from its name and input alone; null when it is no edit or its input is not as the tool's: then the input is to be shown as it is. */
export function editsAsked(name: string, input: Readonly<Record<string, unknown>> | null): readonly FileEdit[] | null {
  const { path, search, replace, content, patch } = input ?? {};
  if (name === 'edit_file' && isText(path) && isText(search) && isText(replace))
    return [asked(path, null, 'edited', [replacement(search, replace)])];
  if (name === 'write_file' && isText(path) && isText(content))
    return [asked(path, null, 'written', [{ at: '', lines: linesOf(content).map((line) => lineOf('add', line)) }])];
  if (name !== 'apply_patch' || !isText(patch)) return null;
  return readPatch(patch)?.map(sectionEdit) ?? null;
}

/** The changes that the result of an edit reports (`value.changes`); null when it reports none. */
export function editsDone(value: Json): readonly FileEdit[] | null {
  if (!isObject(value) || !Array.isArray(value.changes)) return null;
  return value.changes.flatMap((change: Json) =>
    isObject(change) && isText(change.path) ? [doneEdit(change, change.path)] : [],
  );
}

function doneEdit({ from, before, after, added, removed, diff }: Readonly<Record<string, unknown>>, path: string): FileEdit {
  const what = after === null ? 'deleted' : before === null ? 'created' : isText(from) ? 'moved' : 'edited';
  return {
    path,
    from: isText(from) ? from : null,
    what,
    added: typeof added === 'number' ? added : null,
    removed: typeof removed === 'number' ? removed : null,
    hunks: isText(diff) ? readDiff(diff) : [],
    source: 'done',
  };
}

function sectionEdit({ what, path, moveTo, hunks }: PatchSection): FileEdit {
  const verb = what === 'add' ? 'created' : what === 'delete' ? 'deleted' : moveTo === null ? 'edited' : 'moved';
  const edit = asked(moveTo ?? path, moveTo === null ? null : path, verb, hunks);
  return what === 'delete' ? { ...edit, removed: null } : edit;
}

function asked(path: string, from: string | null, what: FileEdit['what'], hunks: readonly DiffHunk[]): FileEdit {
  const { added, removed } = countsOf(hunks);
  return { path, from, what, added, removed: what === 'written' ? null : removed, hunks, source: 'asked' };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

import type { FileEntry } from '../../tools/index.ts';
import type { CommandChange } from '../save.ts';

/** What stands at a path after a command: null where it stands as it did. */
export type After =
  | { readonly kind: 'folder' }
  | { readonly kind: 'file'; readonly written: { readonly bytes: Uint8Array; readonly executable: boolean } | null }
  | { readonly kind: 'link'; readonly target: string | null };

/**
 * The changes that lead from the entries before a command to what stands after it, deletions first; each goes by what the command saw. `others` are the paths that
 * somebody else has written meanwhile: no folder above one of them is deleted.
 */
export function changesOf(
  before: readonly FileEntry[],
  after: ReadonlyMap<string, After>,
  others: readonly string[],
): readonly CommandChange[] {
  const files = before.filter(({ kind }) => kind !== 'folder');
  const revs = new Map(files.map(({ path, rev }) => [path, rev]));
  const folders = new Set(before.flatMap(({ path, kind }) => (kind === 'folder' ? [...above(path), path] : above(path))));
  const gone = files.filter(({ path }) => (after.get(path)?.kind ?? 'folder') === 'folder');
  const goneFolders = [...folders].filter((path) => {
    return after.get(path)?.kind !== 'folder' && !others.some((other) => other.startsWith(`${path}/`));
  });
  const filled = new Set([...after.keys()].flatMap(above));
  return [
    ...gone.map(({ path, rev }): CommandChange => ({ type: 'delete', path, ifRev: rev })),
    ...goneFolders.toSorted((a, b) => b.length - a.length).map((path): CommandChange => ({ type: 'delete', path })),
    ...[...after].flatMap(([path, now]) => madeAt(path, now, revs.get(path) ?? null, folders.has(path) || filled.has(path))),
  ];
}

/** `isThere`: a folder that was there, or that comes with what is in it. */
function madeAt(path: string, now: After, ifRev: number | null, isThere: boolean): readonly CommandChange[] {
  switch (now.kind) {
    case 'folder':
      return isThere ? [] : [{ type: 'folder', path }];
    case 'link':
      return now.target === null ? [] : [{ type: 'link', path, target: now.target, ifRev }];
    case 'file':
      return now.written === null ? [] : [{ type: 'write', path, ...now.written, ifRev }];
  }
}

/** The folders above a path. */
function above(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

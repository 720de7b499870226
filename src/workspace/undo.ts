import type { FileOutcome } from '../tools/index.ts';
import { changesOf, forget, newestOf, readChange } from './journal.ts';
import { folderNode, isSame, type Node } from './node.ts';
import { outcomeOf, Refusal } from './problem.ts';
import { readTotals } from './rows.ts';
import type { State, Tree } from './tree.ts';

/** What is to be undone: the newest change of a path, or all of a turn. */
export type UndoTarget = { readonly path: string } | { readonly turn: number };

/** The changes that a target means, newest first. Refuses where there is none, and a turn of which the journal forgot some: a part of a turn is never undone. */
export function undoable(sql: SqlStorage, what: UndoTarget): readonly number[] {
  if ('turn' in what) {
    const changes = changesOf(sql, what.turn);
    if (changes.length === 0) throw new Refusal('not_found', '', `There is no change of turn ${what.turn} that can be undone.`);
    if (what.turn <= readTotals(sql).forgottenTurn) {
      const why = 'its oldest changes are forgotten, since much was changed after them';
      throw new Refusal('not_found', '', `Turn ${what.turn} cannot be undone as a whole: ${why}. Undo its files one by one.`);
    }
    return changes;
  }
  const newest = newestOf(sql, what.path);
  if (newest === null) throw new Refusal('not_found', what.path, `There is no change of ${what.path} that can be undone.`);
  return [newest];
}

/**
 * Takes a change back: what it made goes, what it removed or replaced is there again (FILES-09). Refuses with `file_changed` where a file is not as the
 * change left it. The journal forgets the change; gives the paths of files and links that it was about, and the bodies that it kept.
 */
export function undoChange(
  sql: SqlStorage,
  tree: Tree,
  id: number,
): { readonly paths: readonly string[]; readonly bodies: readonly string[] } {
  const { states } = readChange(sql, id);
  const files = [...states].filter(([, state]) => !isFolder(state));
  const folders = [...states].filter(([, state]) => isFolder(state));
  for (const [path, { after }] of files) checkUnchanged(path, tree.at(path), after);
  for (const [path, { before }] of files) if (before === null) tree.remove(path);
  for (const [path, { before }] of folders.toReversed()) if (before === null) removeEmpty(tree, path);
  for (const [path, { before }] of folders) if (before !== null) restore(path, () => tree.makeFolder(path));
  for (const [path, { before }] of files) if (before !== null) restore(path, () => tree.put(path, before));
  const bodies = files.flatMap(([, { after }]) => (after === null ? [] : [after.hash]));
  return { paths: files.map(([path]) => path), bodies: [...forget(sql, id), ...bodies] };
}

function isFolder({ before, after }: State): boolean {
  return (before ?? after)?.kind === 'folder';
}

function checkUnchanged(path: string, now: Node | null, after: Node | null): void {
  if (!isSame(now, after)) throw changed(path);
}

/** A folder that came with the change goes with it, unless something else is in it now. */
function removeEmpty(tree: Tree, path: string): void {
  const there = tree.at(path);
  if (there !== null && there.rev > 0 && isSame(there, folderNode)) tree.remove(path);
}

/** What stood there may find its place taken: by a file where a folder was, or the other way round. */
function restore(path: string, act: () => void): void {
  const done: FileOutcome<void> = outcomeOf(act);
  if (!done.ok) throw changed(path);
}

function changed(path: string): Refusal {
  return new Refusal('file_changed', path, `${path} has changed since, so this cannot be undone: nothing was.`);
}

import { resolvePath } from '../tools/index.ts';
import { linkTarget } from './links.ts';
import { isSame, nodeOf, parentOf } from './node.ts';
import { Refusal, valueOf } from './problem.ts';
import { filesBelow } from './rows.ts';
import type { States, Tree } from './tree.ts';

/** A change whose paths are resolved, and whose body is known by its hash. */
export type ReadyChange =
  | {
      readonly type: 'put';
      readonly path: string;
      readonly kind: 'file' | 'link';
      readonly hash: string;
      readonly size: number;
      /** Null: as it was, or not. */
      readonly executable: boolean | null;
      /** Where a link leads. */
      readonly target: string | null;
      readonly ifRev: number | null | undefined;
    }
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'delete'; readonly path: string; readonly ifRev: number | undefined }
  | { readonly type: 'move'; readonly path: string; readonly to: string; readonly ifRev: number | undefined };

/** Makes one change; gives what it did, path by path, which is nothing where all was so already. What is refused is thrown, as a Refusal. */
export function apply(sql: SqlStorage, tree: Tree, change: ReadyChange, now: number): States {
  if (change.path === '' || (change.type === 'move' && change.to === '')) {
    throw new Refusal('path_refused', '', 'This is the root of the workspace: name what is in it.');
  }
  if (change.type !== 'folder' && change.ifRev !== undefined) checkRevision(tree, change.path, change.ifRev);
  return tree.recorded(change.path, () => {
    switch (change.type) {
      case 'put':
        return put(tree, change, now);
      case 'folder':
        return tree.makeFolder(change.path);
      case 'delete':
        return remove(tree, change.path);
      case 'move':
        return move(sql, tree, change.path, change.to);
    }
  });
}

function checkRevision(tree: Tree, path: string, ifRev: number | null): void {
  const there = tree.at(path);
  if ((there?.rev ?? null) === ifRev) return;
  const what = ifRev === null ? 'stands there already' : there === null ? 'is gone' : 'has changed since it was read';
  throw new Refusal('file_changed', path, `${path} ${what}: read it again.`);
}

function put(
  tree: Tree,
  { path, kind, hash, size, executable, target }: Extract<ReadyChange, { type: 'put' }>,
  now: number,
): void {
  if (target !== null && !linkTarget(parentOf(path) ?? '', target).ok) {
    throw new Refusal(
      'path_refused',
      path,
      `A link at ${path} cannot lead there: its target is relative, and inside the workspace.`,
    );
  }
  const there = tree.at(path);
  const was = there?.kind === 'file' && there.executable;
  const node = { kind, hash, size, executable: kind === 'file' && (executable ?? was), modified: now };
  if (!isSame(there, node)) tree.put(path, node);
}

function remove(tree: Tree, path: string): void {
  const there = tree.at(path);
  if (there === null) throw nothing(path);
  if (there.kind === 'folder') tree.removeAll(path);
  else tree.remove(path);
}

/** A folder takes along what is in it. Nothing is ever replaced. */
function move(sql: SqlStorage, tree: Tree, from: string, to: string): void {
  const there = tree.at(from);
  if (there === null) throw nothing(from);
  const taken = tree.at(to);
  if (taken !== null) throw new Refusal('exists', to, `There is a ${taken.kind} at ${to}: a move replaces nothing.`);
  if (to.startsWith(`${from}/`)) throw new Refusal('path_refused', to, `${from} cannot be moved into itself.`);
  if (there.kind !== 'folder') {
    tree.remove(from);
    tree.put(to, nodeOf(there));
    return;
  }
  const moved = filesBelow(sql, from).map((entry) => ({ entry, path: valueOf(resolvePath(to + entry.path.slice(from.length))) }));
  tree.removeAll(from);
  tree.makeFolder(to);
  for (const { entry, path } of moved) {
    if (entry.kind === 'folder') tree.makeFolder(path);
    else tree.put(path, nodeOf(entry));
  }
}

function nothing(path: string): Refusal {
  return new Refusal('not_found', path, `There is nothing at ${path}.`);
}

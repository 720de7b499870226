import { type FileEntry, type FolderPage, folderOf, nameOf } from './file-entry.ts';

/** A folder as far as it is known. `entries` is null until its first page came, `pages` counts those that are shown, `failure` is why the last one did not come. */
export interface Folder {
  readonly entries: readonly FileEntry[] | null;
  readonly rev: number;
  readonly cursor: string | null;
  readonly pages: number;
  readonly failure: string | null;
}

/** The files as this tab knows them: folders by path ('' is the root), and which are open. */
export interface Tree {
  readonly folders: ReadonlyMap<string, Folder>;
  readonly open: ReadonlySet<string>;
}

/** What happens to it. `came` replaces what is known of a folder, `more` adds the next page to it. */
export type TreeInput =
  | { readonly type: 'open' | 'close' | 'gone'; readonly path: string }
  | { readonly type: 'came'; readonly path: string; readonly page: FolderPage; readonly pages: number }
  | { readonly type: 'more'; readonly path: string; readonly after: string; readonly page: FolderPage }
  | { readonly type: 'failed'; readonly path: string; readonly detail: string };

const unknown: Folder = { entries: null, rev: -1, cursor: null, pages: 0, failure: null };

/** Nothing known, the root open. */
export const freshTree: Tree = { folders: new Map([['', unknown]]), open: new Set(['']) };

/** The next state. Pages of an older revision than what is shown change nothing; answers about a folder that is not there any more do not bring it back. */
export function treeAfter(tree: Tree, input: TreeInput): Tree {
  const { path } = input;
  const folder = tree.folders.get(path);
  switch (input.type) {
    case 'open':
      return {
        folders: folder === undefined ? withFolder(tree, path, unknown) : tree.folders,
        open: new Set([...tree.open, path]),
      };
    case 'close':
      return path === '' ? tree : { ...tree, open: without(tree.open, (one) => one === path) };
    case 'gone':
      return path === '' ? freshTree : forget(tree, path);
    case 'failed':
      return folder === undefined ? tree : { ...tree, folders: withFolder(tree, path, { ...folder, failure: input.detail }) };
    case 'came': {
      const { page, pages } = input;
      if (folder === undefined || page.rev < folder.rev) return tree;
      const next = { entries: sorted(page.entries), rev: page.rev, cursor: page.cursor, pages, failure: null };
      return prune({ ...tree, folders: withFolder(tree, path, next) }, path, page);
    }
    case 'more': {
      const { page } = input;
      if (folder === undefined || folder.entries === null) return tree;
      if (folder.cursor !== input.after || page.rev < folder.rev) return tree;
      const entries = sorted([...folder.entries, ...page.entries]);
      const next = { entries, rev: page.rev, cursor: page.cursor, pages: folder.pages + 1, failure: null };
      return { ...tree, folders: withFolder(tree, path, next) };
    }
  }
}

/** Folders below that a whole list does not name any more are forgotten. */
function prune(tree: Tree, path: string, page: FolderPage): Tree {
  if (page.cursor !== null) return tree;
  const there = new Set(page.entries.filter((entry) => entry.kind === 'folder').map((entry) => entry.path));
  const lost = [...tree.folders.keys()].filter((known) => known !== '' && folderOf(known) === path && !there.has(known));
  return lost.reduce(forget, tree);
}

function forget(tree: Tree, path: string): Tree {
  const isBelow = (one: string): boolean => one === path || one.startsWith(`${path}/`);
  return {
    folders: new Map([...tree.folders].filter(([one]) => !isBelow(one))),
    open: without(tree.open, isBelow),
  };
}

/** Folders first, then by name as people sort them. */
function sorted(entries: readonly FileEntry[]): readonly FileEntry[] {
  const rank = (entry: FileEntry): number => (entry.kind === 'folder' ? 0 : 1);
  return entries.toSorted(
    (a, b) => rank(a) - rank(b) || collator.compare(nameOf(a.path), nameOf(b.path)) || (a.path < b.path ? -1 : 1),
  );
}

const collator = new Intl.Collator(undefined, { numeric: true });

function withFolder(tree: Tree, path: string, folder: Folder): ReadonlyMap<string, Folder> {
  return new Map([...tree.folders, [path, folder]]);
}

function without(open: ReadonlySet<string>, leaves: (path: string) => boolean): ReadonlySet<string> {
  return new Set([...open].filter((one) => !leaves(one)));
}

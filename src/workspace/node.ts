import type { FileEntry } from '../tools/index.ts';

/** What stands at a path, without where and since which revision. The journal keeps it as JSON. */
export type Node = Pick<FileEntry, 'kind' | 'hash' | 'size' | 'executable' | 'modified'>;

/** A folder. What is in it says that it is there; its row, while it is empty, holds no more. */
export const folderNode: Node = { kind: 'folder', hash: '', size: 0, executable: false, modified: 0 };

/** The node of an entry. */
export function nodeOf({ kind, hash, size, executable, modified }: Node): Node {
  return { kind, hash, size, executable, modified };
}

/** True when both are nothing, or have the same content and mode. When they were written does not matter. */
export function isSame(a: Node | null, b: Node | null): boolean {
  return a === null || b === null ? a === b : a.kind === b.kind && a.hash === b.hash && a.executable === b.executable;
}

/** The folder that a path is in; null for the root. */
export function parentOf(path: string): string | null {
  if (path === '') return null;
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The folders above a path but the root, the topmost first. */
export function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** The path of a name in a folder. */
export function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

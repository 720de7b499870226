/** What stands at a path of the session's files, as the server tells it (docs/wire.md, files). Sizes in bytes, times in ms since 1970. */
export interface FileEntry {
  /** From the root, `/` between names. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** The revision that wrote it. */
  readonly rev: number;
  /** SHA-256 of its bytes; empty for a folder. */
  readonly hash: string;
  readonly size: number;
  readonly executable: boolean;
  readonly modified: number;
}

/** A page of what stands directly in a folder. `rev` is the revision of all files, `cursor` what the next page begins with. */
export interface FolderPage {
  readonly path: string;
  readonly rev: number;
  readonly entries: readonly FileEntry[];
  readonly cursor: string | null;
}

/** The last name of a path; empty for the root. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder in which something stands; '' is the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** A path below a folder; '' is the root. */
export function pathIn(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

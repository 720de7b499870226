import type { FileEntry } from '../tools/index.ts';
import { folderNode, foldersAbove, isSame, type Node, nodeOf, parentOf } from './node.ts';
import { Refusal } from './problem.ts';
import { dropFile, dropGone, filesBelow, hasBelow, putFile, putGone, readFile } from './rows.ts';

/** What a change found and left at a path; null is nothing. */
export interface State {
  readonly before: Node | null;
  readonly after: Node | null;
}

/** How many rows, and bytes of files, there are more than before. */
export interface Growth {
  readonly files: number;
  readonly bytes: number;
}

/** What a change did, path by path. */
export type States = ReadonlyMap<string, State>;

/** What stands at a path, a folder with something in it too; null for nothing. */
export function entryAt(sql: SqlStorage, path: string): FileEntry | null {
  const row = path === '' ? null : readFile(sql, path);
  if (row !== null) return row;
  return path === '' || hasBelow(sql, path) ? { path, rev: 0, ...folderNode } : null;
}

/**
 * The files as a disk would have them, on rows: to write a file makes its folders, and a folder stays when the last thing in it goes. All within one
 * transaction, which is one revision. What is refused is thrown, as a Refusal.
 */
export class Tree {
  readonly #sql: SqlStorage;
  readonly #check: (growth: Growth, path: string) => void;
  /** The revision that all of this is written under. */
  readonly rev: number;
  #states = new Map<string, State>();
  #files = 0;
  #bytes = 0;
  #touched = false;

  /** `check` hears how much there is more than before, after each change, and what that was about; it throws what is too much. */
  constructor(sql: SqlStorage, rev: number, check: (growth: Growth, path: string) => void) {
    this.#sql = sql;
    this.#check = check;
    this.rev = rev;
  }

  /** How many rows, and bytes of files, there are more than before. */
  get growth(): Growth {
    return { files: this.#files, bytes: this.#bytes };
  }

  /** True once anything was written. */
  get touched(): boolean {
    return this.#touched;
  }

  /** Does `act`, which is about a path, and gives what that did. */
  recorded(path: string, act: () => void): States {
    this.#states = new Map();
    act();
    this.#check(this.growth, path);
    return new Map([...this.#states].filter(([, { before, after }]) => !isSame(before, after)));
  }

  /** What stands at a path, a folder with something in it too; null for nothing. */
  at(path: string): FileEntry | null {
    return entryAt(this.#sql, path);
  }

  /** Puts a file or a link in the place of whatever file or link stands there, and makes its folders. */
  put(path: string, node: Node): void {
    this.#makeRoom(path);
    const before = this.at(path);
    if (before?.kind === 'folder') throw new Refusal('is_folder', path, `There is a folder at ${path}: move or delete it first.`);
    this.#write(path, node);
    this.#note(path, before, node);
  }

  /** Makes a folder, unless there is one. */
  makeFolder(path: string): void {
    const there = this.at(path);
    if (there?.kind === 'folder') return;
    if (there !== null) throw new Refusal('exists', path, `There is a ${there.kind} at ${path}: move or delete it first.`);
    this.#makeRoom(path);
    this.#write(path, folderNode);
    this.#note(path, null, folderNode);
  }

  /** Removes a file, a link or an empty folder. */
  remove(path: string): void {
    const before = readFile(this.#sql, path);
    if (before === null) throw new Error('Only what has a row can be removed by itself.');
    this.#erase(before);
    this.#note(path, before, null);
    putGone(this.#sql, path, this.rev);
    this.#keepFolder(parentOf(path) ?? '');
  }

  /** Removes whatever stands at a path, and below it. */
  removeAll(path: string): void {
    for (const entry of filesBelow(this.#sql, path)) {
      for (const folder of foldersAbove(entry.path)) if (folder.startsWith(`${path}/`)) this.#note(folder, folderNode, null);
      this.#erase(entry);
      this.#note(entry.path, entry, null);
    }
    const own = readFile(this.#sql, path);
    if (own !== null) this.#erase(own);
    this.#note(path, own ?? folderNode, null);
    putGone(this.#sql, path, this.rev);
    this.#keepFolder(parentOf(path) ?? '');
  }

  /** Makes the folders above a path, and takes the rows of those that are no longer empty. */
  #makeRoom(path: string): void {
    for (const folder of foldersAbove(path)) {
      const there = this.at(folder);
      if (there === null) this.#note(folder, null, folderNode);
      else if (there.kind === 'file') throw new Refusal('exists', path, `${folder} is a file, so nothing can be in it.`);
      else if (there.kind === 'link') {
        throw new Refusal('path_refused', path, `${folder} is a link: use the path of the folder that it leads to.`);
      } else if (there.rev > 0) {
        this.#erase(there);
        // It was empty until now: a copy that has something in it must hear of that.
        putGone(this.#sql, folder, this.rev);
      }
    }
  }

  /** A folder whose last file went stays, empty. */
  #keepFolder(path: string): void {
    if (path !== '' && this.at(path) === null) this.#write(path, folderNode);
  }

  #write(path: string, node: Node): void {
    const before = readFile(this.#sql, path);
    putFile(this.#sql, { path, rev: this.rev, ...node });
    // A copy puts a file in the place of all that it has there, but a folder around it: it must still hear what is gone.
    if (node.kind !== 'folder') dropGone(this.#sql, path);
    this.#files += before === null ? 1 : 0;
    this.#bytes += node.size - (before?.size ?? 0);
    this.#touched = true;
  }

  #erase({ path, size }: FileEntry): void {
    dropFile(this.#sql, path);
    this.#files -= 1;
    this.#bytes -= size;
    this.#touched = true;
  }

  #note(path: string, before: Node | null, after: Node | null): void {
    const first = this.#states.get(path);
    const was = first === undefined ? before && nodeOf(before) : first.before;
    this.#states.set(path, { before: was, after });
  }
}

import type { FileEntry } from '../tools/index.ts';
import { folderNode } from './node.ts';
import { filesBelow } from './rows.ts';

/** What stands directly in a folder, in order; `next` asks for the next page, null on the last. */
export interface FolderPage {
  readonly entries: readonly FileEntry[];
  readonly next: string | null;
}

/** A page of what stands directly in a folder. Of what is deeper one row is read for each of its folders. `from` is the `next` of the page before, or ''. */
export function childrenOf(sql: SqlStorage, folder: string, from: string, limit: number): FolderPage {
  const entries: FileEntry[] = [];
  const prefix = folder === '' ? '' : `${folder}/`;
  let next = from;
  for (;;) {
    const first = filesBelow(sql, folder, next, 1)[0];
    if (first === undefined) return { entries, next: null };
    if (entries.length === limit) return { entries, next };
    const slash = first.path.indexOf('/', prefix.length);
    const path = slash < 0 ? first.path : first.path.slice(0, slash);
    entries.push(slash < 0 ? first : { path, rev: 0, ...folderNode });
    // No name has a control character; what is in a folder comes before `0`, which follows `/`.
    next = slash < 0 ? `${path}\u0001` : `${path}0`;
  }
}

import {
  type FileEntry,
  type FileOutcome,
  type FileRange,
  resolvePath,
  type TrackedWorkspace,
  type WorkspaceChanges,
} from '../tools/index.ts';
import { readBody } from './bodies.ts';
import { childrenOf, type FolderPage } from './children.ts';
import { listChanges, type ListedChange } from './journal.ts';
import { follow, targetOf } from './links.ts';
import { folderNode, joined, parentOf } from './node.ts';
import type { BucketObject, Objects } from './objects.ts';
import { packed } from './pack.ts';
import { outcomeOf, refused, valueOf } from './problem.ts';
import { filesBelow, filesSince, goneSince, readSeen, readTotals } from './rows.ts';
import { entryAt } from './tree.ts';

/** What files are read from. */
export interface ReaderInit {
  readonly sql: SqlStorage;
  readonly objects: Objects;
  /** Whether the session has tables; one that was never used has none, and no files. */
  readonly exists: () => boolean;
  /** The number of the conversation, which `seen` is about. */
  readonly thread: () => number;
}

/** A file that is being read: the part that was asked for. */
export interface OpenFile {
  readonly entry: FileEntry;
  readonly range: FileRange;
  readonly stream: ReadableStream<Uint8Array>;
}

/** The session's files, to be read. */
export class WorkspaceReader implements Omit<TrackedWorkspace, 'change' | 'undo' | 'saw'> {
  readonly #init: ReaderInit;

  constructor(init: ReaderInit) {
    this.#init = init;
  }

  /** The revision that the files are at; 0 before the first. */
  get rev(): number {
    return this.#init.exists() ? readTotals(this.#init.sql).rev : 0;
  }

  async stat(path: string): Promise<FileOutcome<FileEntry | null>> {
    return outcomeOf(() => this.#locate(path));
  }

  /** What stands at the path itself: a link is not followed. */
  async statItself(path: string): Promise<FileOutcome<FileEntry | null>> {
    return outcomeOf(() => this.#at(valueOf(resolvePath(path))));
  }

  async read(path: string, range?: FileRange): Promise<FileOutcome<{ readonly entry: FileEntry; readonly bytes: Uint8Array }>> {
    const found = outcomeOf(() => this.#find(path, range));
    if (!found.ok) return found;
    const { entry, part } = found.value;
    return { ok: true, value: { entry, bytes: await this.#bytes(entry, part) } };
  }

  /** A file, or a part of it, as a stream. */
  async open(path: string, range?: FileRange): Promise<FileOutcome<OpenFile>> {
    const found = outcomeOf(() => this.#find(path, range));
    if (!found.ok) return found;
    const { entry, part } = found.value;
    const object = await this.#object(entry, part);
    return { ok: true, value: { entry, range: part, stream: object?.body ?? streamOf(await this.#bytes(entry, part)) } };
  }

  /** What is in a folder, at any depth, as the bytes of a zip archive. */
  async pack(folder: string): Promise<FileOutcome<ReadableStream<Uint8Array>>> {
    return outcomeOf(() => {
      const real = this.#folder(folder);
      const entries = this.#init.exists() ? filesBelow(this.#init.sql, real) : [];
      return packed(real, entries, (entry, part) => this.#bytes(entry, part));
    });
  }

  async list(
    folder: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<FileOutcome<readonly FileEntry[]>> {
    return outcomeOf(() => {
      const real = this.#folder(folder);
      // No name has a control character, so this comes right after the path itself.
      const from = after === null ? '' : `${after}\u0001`;
      return this.#init.exists() ? filesBelow(this.#init.sql, real, from, limit) : [];
    });
  }

  /** A page of what stands directly in a folder; `from` is the `next` of the page before, or ''. */
  async children(folder: string, from: string, limit: number): Promise<FileOutcome<FolderPage>> {
    return outcomeOf(() => {
      const real = this.#folder(folder);
      return this.#init.exists() ? childrenOf(this.#init.sql, real, from, limit) : { entries: [], next: null };
    });
  }

  async seen(path: string): Promise<number | null> {
    const resolved = outcomeOf(() => realPath(this.#init, path));
    return resolved.ok && this.#init.exists() ? readSeen(this.#init.sql, resolved.value, this.#init.thread()) : null;
  }

  async changesSince(rev: number): Promise<WorkspaceChanges> {
    const { sql, exists } = this.#init;
    if (!exists()) return { rev: 0, entries: [], gone: [], whole: rev > 0 };
    const totals = readTotals(sql);
    const whole = rev < totals.forgotten || rev > totals.rev;
    return {
      rev: totals.rev,
      entries: whole ? filesBelow(sql, '') : filesSince(sql, rev),
      gone: whole ? [] : goneSince(sql, rev),
      whole,
    };
  }

  async target(path: string): Promise<FileOutcome<string>> {
    return outcomeOf(() => {
      const resolved = valueOf(resolvePath(path));
      const folder = realPath(this.#init, parentOf(resolved) ?? '');
      const entry = this.#at(joined(folder, resolved.slice(resolved.lastIndexOf('/') + 1)));
      if (entry?.kind !== 'link') return valueOf(refused('not_found', path, `There is no link at ${path}.`));
      return targetOf(this.#init.sql, entry.hash);
    });
  }

  /** The journal, newest change first: `limit` changes at most, those before one. Not yet undone, and not yet forgotten. */
  journal(before: number | null, limit: number): readonly ListedChange[] {
    return this.#init.exists() ? listChanges(this.#init.sql, before, limit) : [];
  }

  async #bytes(entry: FileEntry, part: FileRange): Promise<Uint8Array> {
    const object = await this.#object(entry, part);
    if (object !== null) return new Uint8Array(await object.arrayBuffer());
    const body = part.length === 0 ? null : readBody(this.#init.sql, entry.hash);
    return body !== null && 'bytes' in body ? body.bytes.subarray(part.offset, part.offset + part.length) : new Uint8Array();
  }

  /** A part of a body that stands in R2; null for one that is in its row, and for no bytes at all. */
  async #object({ hash }: FileEntry, { offset, length }: FileRange): Promise<BucketObject | null> {
    const body = length === 0 ? null : readBody(this.#init.sql, hash);
    return body !== null && 'object' in body ? this.#init.objects.read(body.object, offset, length) : null;
  }

  #find(path: string, range: FileRange | undefined): { readonly entry: FileEntry; readonly part: FileRange } {
    const entry = this.#locate(path);
    if (entry === null) return valueOf(refused('not_found', path, `There is no file at ${path}.`));
    if (entry.kind === 'folder') return valueOf(refused('is_folder', entry.path, `${path} is a folder: list it instead.`));
    const offset = Math.min(range?.offset ?? 0, entry.size);
    return { entry, part: { offset, length: Math.min(range?.length ?? entry.size, entry.size - offset) } };
  }

  #folder(path: string): string {
    const entry = this.#locate(path);
    if (entry === null) return valueOf(refused('not_found', path, `There is no folder at ${path}.`));
    if (entry.kind !== 'folder') return valueOf(refused('not_found', path, `${path} is a file and no folder.`));
    return entry.path;
  }

  #locate(path: string): FileEntry | null {
    return this.#at(realPath(this.#init, path));
  }

  #at(path: string): FileEntry | null {
    return this.#init.exists() ? entryAt(this.#init.sql, path) : rootAlone(path);
  }
}

/** The path that a path stands for: resolved, and every link on the way followed. Throws a Refusal. */
export function realPath({ sql, exists }: Pick<ReaderInit, 'sql' | 'exists'>, path: string): string {
  const resolved = valueOf(resolvePath(path));
  return exists() ? valueOf(follow(sql, resolved)) : resolved;
}

/** What stands at a path of a workspace that was never used. */
function rootAlone(path: string): FileEntry | null {
  return path === '' ? { path, rev: 0, ...folderNode } : null;
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
    },
  });
}

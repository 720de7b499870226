import type { FileEntry, FileRange } from '../tools/index.ts';
import type { FolderPage, ListedChange, OpenFile } from '../workspace/index.ts';
import type { Actor } from './protocol/index.ts';

/** The hashes of which one must stand there, `*` for any; null: no condition. */
export type Hashes = readonly string[] | '*' | null;

/** What must hold of a path before it is changed (RFC 9110, 13.1). */
export interface Conditions {
  readonly match: Hashes;
  readonly noneMatch: Hashes;
}

/** What the Worker asks of a session's files. Bodies are streams; who changes something is said. */
export interface FileRequests {
  /** What stands at a path, links followed; null for nothing. */
  readonly stat: { readonly path: string };
  /** A page of what stands directly in a folder; `from` is the `next` of the page before, or ''. */
  readonly list: { readonly path: string; readonly from: string; readonly limit: number };
  /** A file, or a part of it. */
  readonly open: { readonly path: string; readonly range: FileRange | null };
  readonly write: {
    readonly path: string;
    readonly body: ReadableStream<Uint8Array>;
    /** Null: as it was, or not. */
    readonly executable: boolean | null;
    readonly conditions: Conditions;
    readonly actor: Actor;
  };
  readonly delete: { readonly path: string; readonly conditions: Conditions; readonly actor: Actor };
  /** The journal, newest change first, those before one. */
  readonly journal: { readonly before: number | null; readonly limit: number };
  /** A folder as a zip archive. */
  readonly pack: { readonly path: string };
  /** Puts what is in a zip archive below a folder: all of it, or nothing. */
  readonly unpack: { readonly path: string; readonly body: ReadableStream<Uint8Array>; readonly actor: Actor };
}

/** What they are answered with. */
export interface FileAnswers {
  readonly stat: FileEntry | null;
  readonly list: FolderPage & { readonly path: string; readonly rev: number };
  readonly open: OpenFile;
  readonly write: { readonly entry: FileEntry; readonly created: boolean };
  readonly delete: null;
  /** `next` asks for the next page as its `before`; null on the last. */
  readonly journal: { readonly changes: readonly ListedChange[]; readonly next: number | null };
  readonly pack: ReadableStream<Uint8Array>;
  readonly unpack: { readonly written: number };
}

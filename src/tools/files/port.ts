/**
 * What stands at a path of the workspace. Folders are implied by what is in them; one that is empty has an entry of its own.
 * A `link` is a symbolic link: its bytes are its target, relative and inside the workspace.
 */
export interface FileEntry {
  /** Relative to the root, `/` between names, no leading one: the form that `resolvePath` gives. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** The workspace's revision that wrote it. */
  readonly rev: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
  /** May the file be run (mode 0755), or not (0644)? */
  readonly executable: boolean;
  /** When it was written, in ms since 1970. */
  readonly modified: number;
}

/** A part of a file, in bytes. */
export interface FileRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * One change. `ifRev` is what must stand there: the revision of the entry, null for nothing; absent, anything may. A move takes along what is below a folder
 * and never replaces anything. A delete of a folder deletes what is below it.
 */
export type FileChange =
  | {
      readonly type: 'write';
      readonly path: string;
      readonly bytes: Uint8Array;
      /** Absent: as it was, or not. */
      readonly executable?: boolean;
      readonly ifRev?: number | null;
    }
  | { readonly type: 'link'; readonly path: string; readonly target: string; readonly ifRev?: number | null }
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'delete'; readonly path: string; readonly ifRev?: number }
  | { readonly type: 'move'; readonly from: string; readonly to: string; readonly ifRev?: number };

/** Who makes a change: the call of a tool, or a person. The journal keeps it, and undo goes by it (FILES-08). */
export interface FileCause {
  readonly call: string | null;
  readonly turn: number | null;
}

/** Why a change, or a read, was refused. The message is for the model and for people: it names the path and says what to do. */
export interface FileProblem {
  readonly code:
    | 'path_refused' // not a path inside the workspace (FILES-02)
    | 'not_found'
    | 'is_folder'
    | 'exists'
    | 'file_changed' // `ifRev` does not hold, or undo found another content
    | 'too_large'
    | 'quota_exceeded';
  readonly path: string;
  readonly message: string;
}

/** A value, or why there is none. */
export type FileOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: FileProblem };

/**
 * The session's files: a port, which `src/workspace` implements on rows and R2. Every path that is handed in is resolved first (`resolvePath`); a link is followed
 * by `read` and `stat`, never out of the workspace.
 */
export interface Workspace {
  /** What stands at the path; null for nothing. */
  stat(path: string): Promise<FileOutcome<FileEntry | null>>;
  /** The bytes of a file, or a part of them. `entry` is what they were read of. */
  read(path: string, range?: FileRange): Promise<FileOutcome<{ readonly entry: FileEntry; readonly bytes: Uint8Array }>>;
  /** Every file, link and empty folder below a folder (the root is ''), in the order of their paths by code point, `limit` at most, those after `after`. */
  list(
    folder: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<FileOutcome<readonly FileEntry[]>>;
  /** Makes all changes in one transaction, or none. Gives the entries that stand now where something was written. */
  change(changes: readonly FileChange[], cause: FileCause): Promise<FileOutcome<readonly FileEntry[]>>;
  /** Undoes the newest journalled change of a path, or all changes of a turn, newest first. Gives the paths that changed. Refuses with `file_changed` where a file is not as that change left it. */
  undo(what: { readonly path: string } | { readonly turn: number }): Promise<FileOutcome<readonly string[]>>;
  /** The revision of a file that the model has seen last in this conversation, or null (the stale-read check). */
  seen(path: string): Promise<number | null>;
  /** The model has now seen this revision. */
  saw(path: string, rev: number): Promise<void>;
}

/** What changed since a revision. Apply `gone` first: at or below each of these nothing was left at some time since. Then `entries`, each in the place of whatever stands there. */
export interface WorkspaceChanges {
  /** The revision that the workspace is at now. */
  readonly rev: number;
  readonly entries: readonly FileEntry[];
  readonly gone: readonly string[];
  /** True: deletions that far back are forgotten. `entries` is then all there is, and everything else is gone. */
  readonly whole: boolean;
}

/** A workspace that tells what changed, for a copy that is kept elsewhere. */
export interface TrackedWorkspace extends Workspace {
  /** What changed after this revision; 0: everything, since the beginning. */
  changesSince(rev: number): Promise<WorkspaceChanges>;
  /** Where the link at a path leads, as it says so itself. Refuses anything that is no link (`not_found`). */
  target(path: string): Promise<FileOutcome<string>>;
}

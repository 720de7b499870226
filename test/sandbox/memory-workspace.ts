import type {
  FileChange,
  FileEntry,
  FileOutcome,
  FileProblem,
  TrackedWorkspace,
  WorkspaceChanges,
} from '../../src/tools/index.ts';
import { byCodePoint } from '../tools/files/memory-workspace.ts';

interface Stored {
  readonly entry: FileEntry;
  readonly bytes: Uint8Array;
  readonly target: string;
}

/** A workspace in memory with the rules that drivers rely on: revisions, conditions, all or nothing, folders as on a disk. */
export class MemoryWorkspace implements TrackedWorkspace {
  /** The changes that were made, call by call. */
  readonly made: (readonly FileChange[])[] = [];
  /** Paths that are refused, and how. */
  readonly refuse = new Map<string, FileProblem['code']>();
  #files = new Map<string, Stored>();
  #gone: { readonly path: string; readonly rev: number }[] = [];
  #rev = 0;

  /** Writes a file as another writer would. */
  async put(path: string, content: string | Uint8Array, executable = false): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    await this.change([{ type: 'write', path, bytes, executable }]);
  }

  /** The text of a file; null where none stands. */
  text(path: string): string | null {
    const stored = this.#files.get(path);
    return stored?.entry.kind === 'file' ? new TextDecoder().decode(stored.bytes) : null;
  }

  /** The paths of all entries, folders with a slash, links with their target, programs with a star. */
  paths(): readonly string[] {
    return [...this.#files.values()]
      .map(({ entry: { path, kind, executable }, target }) => {
        if (kind === 'folder') return `${path}/`;
        return kind === 'link' ? `${path} -> ${target}` : `${path}${executable ? '*' : ''}`;
      })
      .toSorted();
  }

  async stat(path: string): Promise<FileOutcome<FileEntry | null>> {
    return { ok: true, value: this.#files.get(path)?.entry ?? null };
  }

  async read(path: string): Promise<FileOutcome<{ readonly entry: FileEntry; readonly bytes: Uint8Array }>> {
    const stored = this.#files.get(path);
    return stored?.entry.kind === 'file' ? { ok: true, value: stored } : problem('not_found', path);
  }

  async target(path: string): Promise<FileOutcome<string>> {
    const stored = this.#files.get(path);
    return stored?.entry.kind === 'link' ? { ok: true, value: stored.target } : problem('not_found', path);
  }

  async list(): Promise<FileOutcome<readonly FileEntry[]>> {
    const entries = [...this.#files.values()].map(({ entry }) => entry);
    return { ok: true, value: entries.toSorted((a, b) => byCodePoint(a.path, b.path)) };
  }

  async changesSince(rev: number): Promise<WorkspaceChanges> {
    return {
      rev: this.#rev,
      entries: [...this.#files.values()].map(({ entry }) => entry).filter((entry) => entry.rev > rev),
      gone: this.#gone.filter((gone) => gone.rev > rev).map(({ path }) => path),
      whole: false,
    };
  }

  async change(changes: readonly FileChange[]): Promise<FileOutcome<readonly FileEntry[]>> {
    const before = { files: new Map(this.#files), gone: [...this.#gone], rev: this.#rev };
    const written: FileEntry[] = [];
    this.#rev += 1;
    for (const change of changes) {
      const failed = this.#apply(change, written);
      if (failed === null) continue;
      [this.#files, this.#gone, this.#rev] = [before.files, before.gone, before.rev];
      return failed;
    }
    this.made.push(changes);
    return { ok: true, value: written };
  }

  async undo(): Promise<FileOutcome<readonly string[]>> {
    return problem('not_found', '');
  }

  async seen(): Promise<number | null> {
    return null;
  }

  async saw(): Promise<void> {}

  #apply(change: FileChange, written: FileEntry[]): ReturnType<typeof problem> | null {
    if (change.type === 'move') throw new Error('No driver moves.');
    const { path } = change;
    const code = this.refuse.get(path);
    if (code !== undefined) return problem(code, path);
    const stored = this.#files.get(path);
    if ('ifRev' in change && change.ifRev !== undefined && (stored?.entry.rev ?? null) !== change.ifRev)
      return problem('file_changed', path);
    if (change.type === 'delete') {
      for (const other of this.#files.keys()) if (other === path || other.startsWith(`${path}/`)) this.#files.delete(other);
      this.#gone.push({ path, rev: this.#rev });
      this.#keepFolder(path);
      return null;
    }
    for (const folder of above(path)) if (this.#files.get(folder)?.entry.kind === 'folder') this.#files.delete(folder);
    const bytes = change.type === 'write' ? change.bytes : new Uint8Array(0);
    const entry: FileEntry = {
      path,
      kind: change.type === 'write' ? 'file' : change.type,
      rev: this.#rev,
      hash: '',
      size: bytes.length,
      executable: (change.type === 'write' ? change.executable : undefined) ?? stored?.entry.executable ?? false,
      modified: 0,
    };
    this.#files.set(path, { entry, bytes, target: change.type === 'link' ? change.target : '' });
    written.push(entry);
    return null;
  }

  /** The folder that the last of its files leaves stays, empty. */
  #keepFolder(path: string): void {
    const folder = above(path).at(-1);
    if (folder === undefined || [...this.#files.keys()].some((other) => other === folder || other.startsWith(`${folder}/`)))
      return;
    const entry: FileEntry = { path: folder, kind: 'folder', rev: this.#rev, hash: '', size: 0, executable: false, modified: 0 };
    this.#files.set(folder, { entry, bytes: new Uint8Array(0), target: '' });
  }
}

function above(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function problem(code: FileProblem['code'], path: string): { readonly ok: false; readonly problem: FileProblem } {
  return { ok: false, problem: { code, path, message: `${path}: ${code}.` } };
}

import type { BufferEncoding, FileContent, FsStat, IFileSystem, InMemoryFs } from 'just-bash/browser';
import type { FileEntry, TrackedWorkspace, WorkspaceChanges } from '../../tools/index.ts';
import type { CommandChange } from '../save.ts';
import { type After, changesOf } from './changes.ts';
import { pause } from './pause.ts';

/** Where a command sees the workspace. */
export const root = '/workspace';

/** After so many calls others are let run. */
const workLimit = 50;

/** So many entries are gone through at a time. */
const stride = 1000;

type Encoding = BufferEncoding | { readonly encoding?: BufferEncoding | null };

/** The changes of a command, or why there are none. */
export type CommandChanges =
  | { readonly ok: true; readonly value: readonly CommandChange[] }
  | { readonly ok: false; readonly reason: string };

/**
 * The file system of one command: the workspace below `root`, and the rest in memory. Files that the command does not change are read from the workspace each
 * time and never held; what it changes is held until `changes`. Every few calls it lets others run, since a loop in a script is nothing but such calls.
 */
export class CommandFiles implements IFileSystem {
  readonly #inner: InMemoryFs;
  readonly #workspace: TrackedWorkspace;
  readonly #readLimit: number;
  readonly #rev: number;
  readonly #before: readonly FileEntry[];
  /** The entries that stand as they did, by their absolute paths. */
  readonly #untouched: Map<string, FileEntry>;
  /** Programs take whatever they cannot read for a file that is not there. */
  readonly #unread = new Set<string>();
  /** What is in each folder, while nothing changes: the file system beneath would look at every path for it. */
  #names: ReadonlyMap<string, readonly string[]> | null = null;
  #work = 0;
  #closed = false;

  private constructor(inner: InMemoryFs, workspace: TrackedWorkspace, { rev, entries }: WorkspaceChanges, readLimit: number) {
    this.#inner = inner;
    this.#workspace = workspace;
    this.#readLimit = readLimit;
    this.#rev = rev;
    this.#before = entries;
    this.#untouched = new Map(entries.map((entry) => [`${root}/${entry.path}`, entry]));
  }

  /** The workspace as it is now, on top of an empty file system. No file of it that is larger than `readLimit` bytes can be read. */
  static async open(inner: InMemoryFs, workspace: TrackedWorkspace, readLimit: number): Promise<CommandFiles> {
    const start = await workspace.changesSince(0);
    for (const folder of [root, '/tmp', '/dev']) await inner.mkdir(folder, { recursive: true });
    await inner.writeFile('/dev/null', '');
    for (const [at, entry] of start.entries.entries()) {
      if (at % stride === 0) await pause();
      const place = `${root}/${entry.path}`;
      if (entry.kind === 'folder') await inner.mkdir(place, { recursive: true });
      else if (entry.kind === 'link') await inner.symlink(await targetOf(workspace, entry), place);
      else {
        const mode = entry.executable ? 0o755 : 0o644;
        inner.writeFileLazy(place, () => load(workspace, entry), { mode, mtime: new Date(entry.modified) });
      }
    }
    return new CommandFiles(inner, workspace, start, readLimit);
  }

  /** The files that the command would have read and that are too large. */
  get unread(): readonly string[] {
    return [...this.#unread];
  }

  /** From now on every call fails: what still runs ends. */
  close(): void {
    this.#closed = true;
  }

  /** What the command changed in the workspace; or why that cannot be told, and then nothing of it is to be saved. */
  async changes(): Promise<CommandChanges> {
    const after = new Map<string, After>();
    for (const [at, place] of this.#inner.getAllPaths().entries()) {
      if (at % stride === 0) await pause();
      if (!place.startsWith(`${root}/`)) continue;
      const now = await this.#after(place).catch(() => null);
      const path = place.slice(root.length + 1);
      if (now === null) return { ok: false, reason: `${path} is too large for this shell to copy or to move` };
      after.set(path, now);
    }
    const others = (await this.#workspace.changesSince(this.#rev)).entries.map(({ path }) => path);
    return { ok: true, value: changesOf(this.#before, after, others) };
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const encoding = typeof options === 'string' ? options : (options?.encoding ?? 'utf8');
    const entry = encoding === 'utf8' || encoding === 'utf-8' ? await this.#entryAt(path) : await this.#none();
    if (entry === null) return this.#inner.readFile(path, encoding);
    return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(await this.#read(entry));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const entry = await this.#entryAt(path);
    return entry === null ? this.#inner.readFileBuffer(path) : this.#read(entry);
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const place = await this.#touch(path);
    await this.#changing(this.#inner.writeFile(place, content, encodingOf(options)));
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const place = await this.#touch(path);
    await this.#changing(this.#inner.appendFile(place, content, encodingOf(options)));
  }

  async exists(path: string): Promise<boolean> {
    await this.#tick();
    return this.#inner.exists(path);
  }

  async stat(path: string): Promise<FsStat> {
    const entry = await this.#entryAt(path);
    return entry === null ? this.#inner.stat(path) : statOf(entry);
  }

  async lstat(path: string): Promise<FsStat> {
    await this.#tick();
    const entry = this.#untouched.get(path);
    return entry?.kind === 'file' ? statOf(entry) : this.#inner.lstat(path);
  }

  async mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void> {
    await this.#tick();
    await this.#changing(this.#inner.mkdir(path, options));
  }

  async readdir(path: string): Promise<string[]> {
    await this.#tick();
    const folder = await this.#real(path);
    return [...(this.#namesIn(folder) ?? (await this.#inner.readdir(path)))];
  }

  async readdirWithFileTypes(path: string): ReturnType<InMemoryFs['readdirWithFileTypes']> {
    await this.#tick();
    const folder = await this.#real(path);
    const names = this.#namesIn(folder);
    if (names === null) return this.#inner.readdirWithFileTypes(path);
    return Promise.all(
      names.map(async (name) => {
        const place = `${folder === '/' ? '' : folder}/${name}`;
        const { isFile, isDirectory, isSymbolicLink } = await this.#kindOf(place);
        return { name, isFile, isDirectory, isSymbolicLink };
      }),
    );
  }

  async rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void> {
    await this.#tick();
    await this.#changing(this.#inner.rm(path, options));
    this.#forget(path);
  }

  async cp(from: string, to: string, options?: { readonly recursive?: boolean }): Promise<void> {
    await this.#touch(to);
    this.#forget(to);
    await this.#changing(this.#inner.cp(from, to, options));
  }

  async mv(from: string, to: string): Promise<void> {
    await this.#tick();
    this.#forget(from);
    this.#forget(to);
    await this.#changing(this.#inner.mv(from, to));
  }

  async chmod(path: string, mode: number): Promise<void> {
    await this.#inner.chmod(await this.#touch(path), mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    await this.#tick();
    await this.#changing(this.#inner.symlink(target, path));
  }

  async link(from: string, to: string): Promise<void> {
    await this.#tick();
    await this.#changing(this.#inner.link(from, to));
  }

  async readlink(path: string): Promise<string> {
    await this.#tick();
    return this.#inner.readlink(path);
  }

  async realpath(path: string): Promise<string> {
    await this.#tick();
    return this.#inner.realpath(path);
  }

  async utimes(path: string, accessed: Date, modified: Date): Promise<void> {
    await this.#tick();
    await this.#inner.utimes(path, accessed, modified);
  }

  resolvePath(base: string, path: string): string {
    return this.#inner.resolvePath(base, path);
  }

  getAllPaths(): string[] {
    return this.#inner.getAllPaths();
  }

  async #tick(): Promise<void> {
    this.#work += 1;
    if (this.#work >= workLimit) {
      this.#work = 0;
      await pause();
    }
    if (this.#closed) throw new Error('EIO: the command has ended');
  }

  /** What is in folders may be another now. */
  async #changing(act: Promise<void>): Promise<void> {
    try {
      await act;
    } finally {
      this.#names = null;
    }
  }

  async #none(): Promise<null> {
    await this.#tick();
    return null;
  }

  /** The path that a path comes to, links followed; itself where nothing is there. */
  #real(path: string): Promise<string> {
    return this.#inner.realpath(path).catch(() => path);
  }

  /** The entry of the workspace that a path still comes to; null where it is another file by now. */
  async #entryAt(path: string): Promise<FileEntry | null> {
    await this.#tick();
    const entry = this.#untouched.get(await this.#real(path));
    return entry?.kind === 'file' ? entry : null;
  }

  /** The names in a folder, in order; null for one that is empty, or none. */
  #namesIn(folder: string): readonly string[] | null {
    this.#names ??= namesByFolder(this.#inner.getAllPaths());
    return this.#names.get(folder) ?? null;
  }

  async #kindOf(place: string): Promise<Pick<FsStat, 'isFile' | 'isDirectory' | 'isSymbolicLink'>> {
    const kind = this.#untouched.get(place)?.kind;
    if (kind === undefined) return this.#inner.lstat(place);
    return { isFile: kind === 'file', isDirectory: kind === 'folder', isSymbolicLink: kind === 'link' };
  }

  /** What a path comes to, which is about to change. */
  async #touch(path: string): Promise<string> {
    await this.#tick();
    const place = await this.#real(path);
    this.#untouched.delete(place);
    return place;
  }

  /** A path, and what was below it, is something else now. */
  #forget(path: string): void {
    for (const other of this.#untouched.keys()) if (other === path || other.startsWith(`${path}/`)) this.#untouched.delete(other);
  }

  async #read(entry: FileEntry): Promise<Uint8Array> {
    if (entry.size > this.#readLimit) {
      this.#unread.add(entry.path);
      throw new Error(`EFBIG: file too large, open '${entry.path}'`);
    }
    return load(this.#workspace, entry);
  }

  async #after(place: string): Promise<After> {
    const kind = this.#untouched.get(place)?.kind;
    if (kind === 'folder') return { kind };
    if (kind === 'link') return { kind, target: null };
    if (kind === 'file') return { kind, written: null };
    const { isDirectory, isSymbolicLink, mode } = await this.#inner.lstat(place);
    if (isDirectory) return { kind: 'folder' };
    if (isSymbolicLink) return { kind: 'link', target: await this.#inner.readlink(place) };
    return { kind: 'file', written: { bytes: await this.#inner.readFileBuffer(place), executable: (mode & 0o100) !== 0 } };
  }
}

function namesByFolder(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const path of paths.toSorted()) {
    const slash = path.lastIndexOf('/');
    if (path === '/') continue;
    const folder = path.slice(0, slash) || '/';
    const known = names.get(folder);
    if (known === undefined) names.set(folder, [path.slice(slash + 1)]);
    else known.push(path.slice(slash + 1));
  }
  return names;
}

async function load(workspace: TrackedWorkspace, { path }: FileEntry): Promise<Uint8Array> {
  const read = await workspace.read(path);
  if (!read.ok) throw new Error(`EIO: ${read.problem.message}`);
  return read.value.bytes;
}

async function targetOf(workspace: TrackedWorkspace, { path }: FileEntry): Promise<string> {
  const target = await workspace.target(path);
  if (!target.ok) throw new Error(`EIO: ${target.problem.message}`);
  return target.value;
}

function statOf({ size, executable, modified }: FileEntry): FsStat {
  const mode = executable ? 0o755 : 0o644;
  return { isFile: true, isDirectory: false, isSymbolicLink: false, mode, size, mtime: new Date(modified) };
}

function encodingOf(options: Encoding | undefined): BufferEncoding {
  return typeof options === 'string' ? options : (options?.encoding ?? 'utf8');
}

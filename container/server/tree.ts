import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileRecord, recordBytes, recordsEnd, type RecordHead } from '../../src/sandbox/wire/index.ts';

/** How much a pull may bring. */
export interface TreeLimits {
  /** Bytes of one file. */
  readonly file: number;
  /** Bytes of all files of one pull. */
  readonly all: number;
  /** Paths of one pull. */
  readonly paths: number;
}

const defaultLimits: TreeLimits = { file: 26_214_400, all: 209_715_200, paths: 20_000 };

/** Folders that stay in the box: what programs install or make, which they can make again. */
const leftInBox: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__', 'target', '.cache']);

/** What stands at a path, as far as the system tells without reading it: equal prints, equal content. */
type Prints = Map<string, string>;

/** The print of every folder. */
const folder = 'folder';

/** What a pull brings. Once it has arrived, `mark` is to be settled. */
export interface Changes {
  readonly mark: number;
  readonly records: AsyncIterable<Uint8Array>;
}

/** The files below a folder, and what of them the other side knows. */
export class Tree {
  readonly #root: string;
  readonly #limits: TreeLimits;
  #known: Prints = new Map();
  /** What no pull takes, by its print when that was told. */
  #refused: Prints = new Map();
  #pulled: { readonly mark: number; readonly prints: Prints } = { mark: 0, prints: new Map() };

  constructor(root: string, limits: TreeLimits = defaultLimits) {
    this.#root = root;
    this.#limits = limits;
  }

  /**
   * Makes the files what the records say; what a record names replaces what stands there. What stands there and the other side has not seen, as a process
   * may have written it since the last pull, is moved aside, and where it would be deleted it stays.
   */
  async apply(records: AsyncIterable<FileRecord>): Promise<void> {
    for await (const { head, bytes } of records) {
      if (head.op === 'only') await this.#keepOnly(new Set(head.paths), head.anew);
      else if (head.op === 'delete') await this.#remove(head.path);
      else if (head.op !== 'skipped') {
        await this.#put(head, bytes);
        await this.#note(head.path);
      }
    }
  }

  /** What has changed since the other side last knew. */
  async changes(): Promise<Changes> {
    const prints = await this.#scan();
    const mark = this.#pulled.mark + 1;
    this.#pulled = { mark, prints };
    return { mark, records: this.#records(prints) };
  }

  /** The other side has what a pull brought. */
  settle(mark: number): void {
    if (mark === this.#pulled.mark) this.#known = this.#pulled.prints;
  }

  async *#records(prints: Prints): AsyncGenerator<Uint8Array, void, undefined> {
    for (const [path, print] of [...this.#known].toReversed()) {
      const now = prints.get(path);
      if (now === undefined || (now === folder) !== (print === folder)) yield recordBytes({ op: 'delete', path });
    }
    const folders = foldersOf(prints.keys());
    const changed = [...prints.keys()].filter((path) => this.#known.get(path) !== prints.get(path) && !folders.has(path));
    let [left, paths] = [this.#limits.all, this.#limits.paths];
    for (const path of changed) {
      const record = await this.#record(path, left, paths);
      if (record === null) {
        this.#leave(path, prints);
        continue;
      }
      const { head, bytes } = record;
      left -= bytes.length;
      paths -= 1;
      yield recordBytes(head, bytes);
      // It comes with the next pull, but for what no pull takes.
      if (head.op !== 'skipped') continue;
      if (head.reason === this.#tooLarge) this.#refused.set(path, prints.get(path) ?? '');
      else this.#leave(path, prints);
    }
    yield recordsEnd;
  }

  /** What the other side knows of a path stays what it was. */
  #leave(path: string, prints: Prints): void {
    const print = this.#known.get(path);
    if (print === undefined) prints.delete(path);
    else prints.set(path, print);
  }

  /** Null for what is gone by now, since a process may run meanwhile. */
  async #record(path: string, left: number, paths: number): Promise<FileRecord | null> {
    const skipped = (reason: string): FileRecord => ({ head: { op: 'skipped', path, reason }, bytes: none });
    const place = join(this.#root, path);
    const entry = await lstat(place).catch(() => null);
    if (entry === null) return null;
    if (paths <= 0) return skipped(`more than ${this.#limits.paths} files changed`);
    if (entry.isSymbolicLink()) {
      const target = await readlink(place).catch(() => null);
      return target === null ? null : { head: { op: 'link', path, target }, bytes: none };
    }
    if (entry.isDirectory()) return { head: { op: 'folder', path }, bytes: none };
    if (entry.size > this.#limits.file) return skipped(this.#tooLarge);
    if (entry.size > left) return skipped(`the files that changed are more than ${this.#limits.all} bytes`);
    const bytes = await readFile(place).catch(() => null);
    if (bytes === null) return skipped('it cannot be read');
    return { head: { op: 'write', path, size: bytes.length, executable: (entry.mode & 0o100) !== 0 }, bytes };
  }

  get #tooLarge(): string {
    return `it is larger than ${this.#limits.file} bytes`;
  }

  /** Every file, link and folder, a folder before what is in it. Other things, such as sockets, are no files. */
  async #scan(top = ''): Promise<Prints> {
    const prints = new Map<string, string>();
    const look = async (within: string): Promise<void> => {
      const entries = await readdir(join(this.#root, within), { withFileTypes: true }).catch(() => null);
      if (entries === null) {
        // What cannot be looked into is taken to be as it was.
        for (const [path, print] of this.#known) if (path.startsWith(`${within}/`)) prints.set(path, print);
        return;
      }
      for (const entry of entries) {
        const path = within === '' ? entry.name : `${within}/${entry.name}`;
        if (entry.isDirectory()) {
          if (leftInBox.has(entry.name)) continue;
          prints.set(path, folder);
          await look(path);
        } else if (entry.isFile() || entry.isSymbolicLink()) {
          const print = await this.#print(path);
          if (print !== null) prints.set(path, print);
        }
      }
    };
    await look(top);
    return prints;
  }

  async #print(path: string): Promise<string | null> {
    const entry = await lstat(join(this.#root, path), { bigint: true }).catch(() => null);
    if (entry === null) return null;
    if (entry.isDirectory()) return folder;
    return [entry.ino, entry.size, entry.mtimeNs, entry.ctimeNs, entry.mode].join(':');
  }

  async #put(head: Extract<RecordHead, { readonly op: 'write' | 'link' | 'folder' }>, bytes: Uint8Array): Promise<void> {
    await this.#makeFolder(dirname(head.path));
    const place = join(this.#root, head.path);
    if (head.op === 'folder') return this.#makeFolder(head.path);
    await this.#makeWay(head.path);
    if (head.op === 'link') await symlink(head.target, place);
    else {
      await writeFile(place, bytes);
      await chmod(place, head.executable ? 0o755 : 0o644);
    }
  }

  /** Makes a folder and those above it; a file or a link in the way goes, so that nothing is written through a link. */
  async #makeFolder(path: string): Promise<void> {
    if (path === '.') return;
    await this.#makeFolder(dirname(path));
    const place = join(this.#root, path);
    const entry = await lstat(place).catch(() => null);
    if (entry?.isDirectory() === true) return;
    if (entry !== null) await this.#makeWay(path);
    await mkdir(place);
  }

  /** The other side knows what stands at the path now, since that comes from there; what else a command has left, it does not. */
  async #note(path: string): Promise<void> {
    this.#forget(path);
    const print = await this.#print(path);
    if (print === null || staysInBox(path)) return;
    for (const above of foldersOf([path])) this.#known.set(above, folder);
    this.#known.set(path, print);
  }

  async #keepOnly(paths: ReadonlySet<string>, anew: boolean): Promise<void> {
    if (anew) this.#refused.clear();
    const folders = foldersOf(paths);
    const there = await this.#scan();
    // Of a box that is filled anew nobody has asked for anything.
    if (anew) this.#known = there;
    for (const path of [...there.keys()].toReversed()) {
      if (paths.has(path) || folders.has(path)) continue;
      await this.#remove(path);
    }
  }

  /** Deletes what stands at a path, but for what is unseen. */
  async #remove(path: string): Promise<void> {
    const isReached = await this.#isFolder(dirname(path));
    if (!isReached || !(await this.#hasUnseen(path))) {
      if (isReached) await rm(join(this.#root, path), { recursive: true, force: true });
      this.#forget(path);
      return;
    }
    for (const below of [...(await this.#scan(path)).keys()].toReversed()) await this.#remove(below);
  }

  /** Frees a path for what is put there. */
  async #makeWay(path: string): Promise<void> {
    const place = join(this.#root, path);
    if (!(await this.#hasUnseen(path))) return rm(place, { recursive: true, force: true });
    for (let n = 1; ; n += 1) {
      const aside = `${place}.unsaved-${n}`;
      if ((await lstat(aside).catch(() => null)) === null) return rename(place, aside);
    }
  }

  /** True when something stands at or below a path that the other side has not seen. */
  async #hasUnseen(path: string): Promise<boolean> {
    const print = await this.#print(path);
    if (print === null) return false;
    if (print !== folder) return this.#isUnseen(path, print);
    return [...(await this.#scan(path))].some(([below, now]) => now !== folder && this.#isUnseen(below, now));
  }

  #isUnseen(path: string, print: string): boolean {
    return !staysInBox(path) && (this.#known.get(path) !== print || this.#refused.get(path) === print);
  }

  #forget(path: string): void {
    for (const other of this.#known.keys()) if (other === path || other.startsWith(`${path}/`)) this.#known.delete(other);
  }

  /** A folder, and no link to one, at any place above. */
  async #isFolder(path: string): Promise<boolean> {
    if (path === '.') return true;
    const entry = await lstat(join(this.#root, path)).catch(() => null);
    return entry?.isDirectory() === true && (await this.#isFolder(dirname(path)));
  }
}

const none = new Uint8Array(0);

/** True below a folder that stays in the box. */
function staysInBox(path: string): boolean {
  const above = path.split('/').slice(0, -1);
  return above.some((name) => leftInBox.has(name));
}

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at));
  return folders;
}

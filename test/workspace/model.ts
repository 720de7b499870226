import type { FileChange } from '../../src/tools/index.ts';

/** What a disk has: files by path, with their text, and folders. A `*` begins an executable's, `->` a link's. */
interface Disk {
  readonly files: Map<string, string>;
  readonly folders: Set<string>;
}

interface Done {
  readonly change: FileChange;
  readonly turn: number | null;
  readonly before: Disk;
  readonly after: Disk;
}

/** A workspace without rows: what it should do, said as simply as can be, on paths that are resolved already. */
export class Model {
  #disk: Disk = { files: new Map(), folders: new Set() };
  #journal: Done[] = [];

  /** All that stands there, as `tree` of the support tells it. */
  tree(): Record<string, string> {
    const { files, folders } = this.#disk;
    const empty = [...folders].filter((folder) => !this.#hasBelow(folder)).map((folder) => [folder, 'dir'] as const);
    return Object.fromEntries([...files, ...empty]);
  }

  /** Makes all changes, or none; true when they are made. */
  change(changes: readonly FileChange[], turn: number | null): boolean {
    const [disk, journal] = [this.#disk, this.#journal.slice()];
    for (const change of changes) {
      const before = this.#disk;
      this.#disk = { files: new Map(before.files), folders: new Set(before.folders) };
      if (this.#apply(change)) {
        if (!isSame(before, this.#disk)) this.#journal.push({ change, turn, before, after: this.#disk });
        continue;
      }
      [this.#disk, this.#journal] = [disk, journal];
      return false;
    }
    return true;
  }

  /** Undoes the newest change of a path, or all of a turn; true when it is done. */
  undo(what: { readonly path: string } | { readonly turn: number }): boolean {
    const wanted =
      'path' in what
        ? this.#journal.filter((done) => isAbout(done, what.path)).slice(-1)
        : this.#journal.filter((done) => done.turn === what.turn);
    const disk = this.#disk;
    for (const done of wanted.toReversed()) {
      if (this.#takeBack(done)) continue;
      this.#disk = disk;
      return false;
    }
    this.#journal = this.#journal.filter((done) => !wanted.includes(done));
    return wanted.length > 0;
  }

  #apply(change: FileChange): boolean {
    const { files, folders } = this.#disk;
    switch (change.type) {
      case 'write': {
        const old = files.get(change.path);
        const executable = change.executable ?? old?.startsWith('* ') ?? false;
        return this.#put(change.path, `${executable ? '* ' : ''}${new TextDecoder().decode(change.bytes)}`);
      }
      case 'link':
        return this.#put(change.path, `-> ${change.target}`);
      case 'folder':
        return !files.has(change.path) && this.#makeFolders(`${change.path}/x`);
      case 'delete':
        if (!files.has(change.path) && !folders.has(change.path)) return false;
        for (const path of this.#within(change.path)) {
          files.delete(path);
          folders.delete(path);
        }
        return true;
      case 'move': {
        const { from, to } = change;
        if (!files.has(from) && !folders.has(from)) return false;
        if (files.has(to) || folders.has(to) || to.startsWith(`${from}/`) || !this.#makeFolders(to)) return false;
        for (const path of this.#within(from)) {
          const text = files.get(path);
          if (text !== undefined) files.set(to + path.slice(from.length), text);
          else folders.add(to + path.slice(from.length));
          files.delete(path);
          folders.delete(path);
        }
        return true;
      }
    }
  }

  #put(path: string, text: string): boolean {
    if (this.#disk.folders.has(path) || !this.#makeFolders(path)) return false;
    this.#disk.files.set(path, text);
    return true;
  }

  #makeFolders(path: string): boolean {
    const names = path.split('/').slice(0, -1);
    const above = names.map((_, index) => names.slice(0, index + 1).join('/'));
    if (above.some((folder) => this.#disk.files.has(folder))) return false;
    for (const folder of above) this.#disk.folders.add(folder);
    return true;
  }

  #takeBack({ before, after }: Done): boolean {
    const now: Disk = { files: new Map(this.#disk.files), folders: new Set(this.#disk.folders) };
    const changed = [...new Set([...before.files.keys(), ...after.files.keys()])].filter(
      (path) => before.files.get(path) !== after.files.get(path),
    );
    for (const path of changed) {
      if (now.files.get(path) !== after.files.get(path)) return false;
      if (after.files.get(path) === undefined && now.folders.has(path)) return false;
    }
    for (const path of changed) now.files.delete(path);
    const came = [...after.folders]
      .filter((folder) => !before.folders.has(folder))
      .sort()
      .reverse();
    for (const folder of came) if (!hasBelow(now, folder)) now.folders.delete(folder);
    const went = [...before.folders].filter((folder) => !after.folders.has(folder)).sort();
    this.#disk = now;
    for (const folder of went) if (now.files.has(folder) || !this.#makeFolders(`${folder}/x`)) return false;
    for (const path of changed) {
      const text = before.files.get(path);
      if (text !== undefined && !this.#put(path, text)) return false;
    }
    return true;
  }

  #within(path: string): string[] {
    return [...this.#disk.files.keys(), ...this.#disk.folders].filter((other) => other === path || other.startsWith(`${path}/`));
  }

  #hasBelow(path: string): boolean {
    return hasBelow(this.#disk, path);
  }
}

function hasBelow({ files, folders }: Disk, path: string): boolean {
  return [...files.keys(), ...folders].some((other) => other.startsWith(`${path}/`));
}

function isSame(a: Disk, b: Disk): boolean {
  const has = (disk: Disk, other: Disk): boolean =>
    [...disk.files].every(([path, text]) => other.files.get(path) === text) &&
    [...disk.folders].every((at) => other.folders.has(at));
  return has(a, b) && has(b, a);
}

/** True for a change that names the path, and for one that changed a file there. */
function isAbout({ change, before, after }: Done, path: string): boolean {
  const named = change.type === 'move' ? [change.from, change.to] : [change.path];
  return named.includes(path) || before.files.get(path) !== after.files.get(path);
}

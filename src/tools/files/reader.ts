import { changedMeanwhile } from './current.ts';
import { fileLimits } from './limits.ts';
import type { FileEntry, Workspace } from './port.ts';
import type { Checked } from './refuse.ts';

/** Reads a file piece by piece, all of one revision; what was read last is kept. */
export class FileReader {
  readonly #files: Workspace;
  readonly #entry: FileEntry;
  #start = 0;
  #piece: Uint8Array = new Uint8Array();

  constructor(files: Workspace, entry: FileEntry) {
    this.#files = files;
    this.#entry = entry;
  }

  /** The bytes from `offset` on, at most `length` of them, which is at most a piece; fewer at the end of the file. */
  async bytes(offset: number, length: number): Promise<Checked<Uint8Array>> {
    const { path, rev, size } = this.#entry;
    const end = Math.min(size, offset + length);
    if (end <= offset) return { ok: true, value: new Uint8Array() };
    if (offset < this.#start || end > this.#start + this.#piece.length) {
      const read = await this.#files.read(path, { offset, length: Math.min(fileLimits.pieceBytes, size - offset) });
      if (!read.ok) return read;
      if (read.value.entry.rev !== rev) return changedMeanwhile(path);
      [this.#start, this.#piece] = [offset, read.value.bytes];
    }
    return { ok: true, value: this.#piece.subarray(offset - this.#start, end - this.#start) };
  }

  /** Where the `count`-th line end after `from` ends; null when there is none. */
  async after(from: number, count: number): Promise<Checked<number | null>> {
    let [at, left] = [from, count];
    while (left > 0 && at < this.#entry.size) {
      const piece = await this.bytes(at, fileLimits.pieceBytes);
      if (!piece.ok) return piece;
      let feed = -1;
      do feed = piece.value.indexOf(10, feed + 1);
      while (feed >= 0 && (left -= 1) > 0);
      at += feed < 0 ? piece.value.length : feed + 1;
    }
    return { ok: true, value: left > 0 ? null : at };
  }
}

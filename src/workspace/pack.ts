import { Zip, ZipDeflate } from 'fflate';
import type { FileEntry, FileRange } from '../tools/index.ts';

/** How much of a file is read, and packed, at once. */
const piece = 1024 * 1024;

/** Unix modes, in the upper half of a zip entry's attributes. */
const modes = { file: 0o100644, executable: 0o100755, folder: 0o040755, link: 0o120777 } as const;

/** The earliest time that a zip archive can hold, with a day for the zones, in ms. */
const earliest = Date.UTC(1980, 0, 2);

/**
 * The entries below `folder` as a zip archive, with modes, links and empty folders. It is made as it is read: no more than a piece of one file is held. A file
 * that changes meanwhile is packed as it was, or the stream breaks off.
 */
export function packed(
  folder: string,
  entries: readonly FileEntry[],
  read: (entry: FileEntry, part: FileRange) => Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  const pieces = packing(folder, entries, read);
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) {
        controller.close();
        controller.byobRequest?.respond(0);
      } else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return();
    },
  });
}

async function* packing(
  folder: string,
  entries: readonly FileEntry[],
  read: (entry: FileEntry, part: FileRange) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let made: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    made.push(bytes);
  });
  const taken = function* (): Generator<Uint8Array, void, undefined> {
    const ready = made;
    made = [];
    yield* ready.filter((bytes) => bytes.length > 0);
  };
  for (const entry of entries) {
    const file = fileOf(folder, entry);
    zip.add(file);
    for (let offset = 0; offset < entry.size; offset += piece) {
      file.push(await read(entry, { offset, length: Math.min(piece, entry.size - offset) }));
      yield* taken();
    }
    file.push(new Uint8Array(), true);
    yield* taken();
  }
  zip.end();
  yield* taken();
}

function fileOf(folder: string, { path, kind, executable, modified }: FileEntry): ZipDeflate {
  const name = folder === '' ? path : path.slice(folder.length + 1);
  const mode = kind === 'file' && executable ? modes.executable : modes[kind];
  const file = new ZipDeflate(kind === 'folder' ? `${name}/` : name, { level: 1 });
  file.os = 3;
  file.attrs = mode << 16;
  file.mtime = Math.max(modified, earliest);
  return file;
}

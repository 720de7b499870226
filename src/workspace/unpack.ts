import { Inflate } from 'fflate';
import { type FileChange, type FileProblem, resolvePath } from '../tools/index.ts';
import { workspaceLimits } from './limits.ts';
import { type ArchiveEntry, directoryOf } from './zip.ts';

/** Why an archive is not taken: it cannot be read, or one of its files is refused. */
export type ArchiveProblem = FileProblem | { readonly code: 'archive_refused'; readonly path: string; readonly message: string };

/** The changes that an archive comes to, or why it is not taken. Then nothing of it is. */
export type Unpacked =
  | { readonly ok: true; readonly value: readonly FileChange[] }
  | { readonly ok: false; readonly problem: ArchiveProblem };

/** Thrown to leave an archive alone. */
class Refused extends Error {
  readonly problem: ArchiveProblem;

  constructor(problem: ArchiveProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * The changes that put what is in a zip archive below a folder. Everything is checked before anything is unpacked: where each file would go (no way leads out
 * of the folder's workspace), that no two go to one place, how many there are, how large they say that they are, alone, together, and beside their size in the archive.
 * A file that unpacks to more than it said is not read further.
 */
export function unpack(bytes: Uint8Array, folder: string): Unpacked {
  try {
    const entries = directoryOf(bytes);
    if (entries === null)
      throw unreadable('It is no zip archive, is broken, or is of a kind that is not read (zip64, several parts).');
    checkSizes(entries);
    const paths = new Set<string>();
    return { ok: true, value: entries.flatMap((entry) => changeOf(entry, folder, paths)) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem };
    throw error;
  }
}

function checkSizes(entries: readonly ArchiveEntry[]): void {
  const { files, unpacked, file, ratio } = workspaceLimits;
  if (entries.length > files) throw tooLarge('', `The archive has more than ${files} entries.`);
  const sum = entries.reduce((total, { size }) => total + size, 0);
  if (sum > unpacked) throw tooLarge('', `The archive would unpack to more than ${unpacked} bytes: bring it in parts.`);
  for (const { name, size, data } of entries) {
    if (size > file) throw tooLarge(name, `${name} would have more than ${file} bytes.`);
    if (size > Math.max(data.length, 1024) * ratio)
      throw tooLarge(name, `${name} would unpack to more than ${ratio} times its size.`);
  }
}

function changeOf(entry: ArchiveEntry, folder: string, paths: Set<string>): readonly FileChange[] {
  if (entry.name.startsWith('/')) throw pathRefused(entry.name, `The archive names an absolute path.`);
  const inside = resolvePath(entry.name);
  const whole = resolvePath(folder === '' ? entry.name : `${folder}/${entry.name}`);
  if (!inside.ok) throw new Refused(inside.problem);
  if (!whole.ok) throw new Refused(whole.problem);
  const path = whole.value;
  if (inside.value === '') return [];
  if (entry.kind === 'folder') return [{ type: 'folder', path }];
  if (paths.has(path)) throw pathRefused(path, `The archive has two files for ${path}.`);
  paths.add(path);
  const bytes = unpackEntry(entry);
  if (entry.kind === 'link') return [{ type: 'link', path, target: new TextDecoder().decode(bytes) }];
  return [{ type: 'write', path, bytes, executable: entry.executable }];
}

/** How much is inflated at once: what comes of it, 1,032 times as much at the most, is held in memory before it is counted. */
const slice = 8192;

function unpackEntry({ name, method, data, size, crc }: ArchiveEntry): Uint8Array {
  const bytes = method === 'stored' ? data : inflated(name, data, size);
  if (bytes.length !== size || crc32(bytes) !== crc) throw unreadable(`${name} is broken in the archive.`);
  return bytes;
}

function inflated(name: string, data: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  const inflate = new Inflate((chunk) => {
    if (at + chunk.length > size) throw tooLarge(name, `${name} unpacks to more than it says.`);
    bytes.set(chunk, at);
    at += chunk.length;
  });
  try {
    for (let from = 0; from < data.length; from += slice)
      inflate.push(data.subarray(from, from + slice), from + slice >= data.length);
  } catch (error) {
    throw error instanceof Refused ? error : unreadable(`${name} is broken in the archive.`);
  }
  return bytes.subarray(0, at);
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The checksum of zip archives (ISO 3309). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

function unreadable(message: string): Refused {
  return new Refused({ code: 'archive_refused', path: '', message });
}

function tooLarge(path: string, message: string): Refused {
  return new Refused({ code: 'too_large', path, message });
}

function pathRefused(path: string, message: string): Refused {
  return new Refused({ code: 'path_refused', path, message });
}

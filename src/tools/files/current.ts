import { fileLimits } from './limits.ts';
import { missing } from './missing.ts';
import { resolvePath } from './path.ts';
import type { FileEntry, Workspace } from './port.ts';
import { isBinary, type Raw, rawOf } from './raw.ts';
import { type Checked, refuse, type Refused } from './refuse.ts';
import { sizeText } from './size.ts';

/** A file that is about to be changed, as it is now. */
export interface Current {
  readonly entry: FileEntry;
  readonly raw: Raw;
}

/** What stands at a path as the model gives it: the path in its one form, and the entry, null for nothing. A link's entry is that of its target. */
export async function lookUp(
  files: Workspace,
  given: string,
): Promise<Checked<{ readonly path: string; readonly entry: FileEntry | null }>> {
  const path = resolvePath(given);
  if (!path.ok) return path;
  const found = await files.stat(path.value);
  return found.ok ? { ok: true, value: { path: path.value, entry: found.value } } : found;
}

/**
 * A text file that the model may change: it is there, not too large, and the model has seen it as it is now, so that it does not write over what it does not know.
 */
export async function currentText(files: Workspace, given: string): Promise<Checked<Current>> {
  const found = await lookUp(files, given);
  if (!found.ok) return found;
  const { path, entry } = found.value;
  if (entry === null) return { ok: false, problem: await missing(files, path) };
  const fresh = await seenAsItIs(files, entry);
  if (!fresh.ok) return fresh;
  if (entry.size > fileLimits.editBytes) {
    return refuse(
      'too_large',
      path,
      `${path} has ${sizeText(entry.size)}: files above ${sizeText(fileLimits.editBytes)} are not edited.`,
    );
  }
  const read = await files.read(entry.path);
  if (!read.ok) return read;
  if (read.value.entry.rev !== entry.rev) return changedMeanwhile(path);
  if (isBinary(read.value.bytes)) return refuse('not_text', path, `${path} is a binary file, which cannot be edited as text.`);
  return { ok: true, value: { entry, raw: rawOf(read.value.bytes) } };
}

/** The stale-read check: whether the model has seen this revision of the file. */
export async function seenAsItIs(files: Workspace, entry: FileEntry): Promise<Checked<FileEntry>> {
  const { path } = entry;
  if (entry.kind === 'folder') return refuse('is_folder', path, `${path === '' ? '.' : path} is a folder, not a file.`);
  const seen = await files.seen(path);
  if (seen === entry.rev) return { ok: true, value: entry };
  return seen === null
    ? refuse('not_read', path, `You have not read ${path} in this conversation: read it with read_file, then change it.`)
    : refuse('file_changed', path, `${path} has changed since you read it: read it again with read_file, then change it.`);
}

/** A racing writer came first. */
export function changedMeanwhile(path: string): Refused {
  return refuse('file_changed', path, `${path} changed meanwhile: read it again with read_file, then make the change anew.`);
}

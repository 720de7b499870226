/** A file that was dropped or chosen, with its path below what was dropped. */
export interface DroppedFile {
  readonly path: string;
  readonly file: File;
}

/** How many files of dropped folders are taken at most: each is a command, of which a participant has 300 a minute. A project with more is brought in as an archive. */
export const dropLimit = 200;

/** The files of a drop, those in folders with their paths. `cut`: there were more than `dropLimit`. The items must be read at once, in the event's own task. */
export async function droppedFiles(
  data: DataTransfer,
): Promise<{ readonly files: readonly DroppedFile[]; readonly cut: boolean }> {
  const items = [...data.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: DroppedFile[] = [];
  for (const { entry, file } of items) {
    if (entry !== null) await gather(entry, '', found);
    else if (file !== null) found.push({ path: file.name, file });
  }
  return { files: found.slice(0, dropLimit), cut: found.length > dropLimit };
}

async function gather(entry: FileSystemEntry, folder: string, found: DroppedFile[]): Promise<void> {
  if (found.length > dropLimit) return;
  const path = `${folder}${entry.name}`;
  if (isFile(entry)) {
    found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
  } else if (isFolder(entry)) {
    const reader = entry.createReader();
    // It gives some at a time, and none when there are no more.
    for (let batch = await read(reader); batch.length > 0; batch = await read(reader)) {
      for (const inner of batch) await gather(inner, `${path}/`, found);
    }
  }
}

function read(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

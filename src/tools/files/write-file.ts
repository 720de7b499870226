import * as z from 'zod';
import { type Call, errorResult, type Result, textResult, type Tool, tool } from '../../core/index.ts';
import { type Change, commit } from './commit.ts';
import { lookUp, seenAsItIs } from './current.ts';
import { fileLimits } from './limits.ts';
import { linesOf } from './lines.ts';
import type { FileEntry, Workspace } from './port.ts';
import { type Raw, rawOf } from './raw.ts';
import { refusal } from './refuse.ts';
import { counted, sizeText } from './size.ts';

/**
 * The tool `write_file {path, content}`: makes a file, or replaces all of one that the model has seen as it is. Idempotent: what is there already is not written
 * again.
 */
export function writeFileTool(files: Workspace): Tool {
  return tool({
    name: 'write_file',
    description:
      'Writes a whole file: makes a new one, with the folders it needs, or replaces all that is in it. To change a part of a file use edit_file. ' +
      'A file that exists and that you have not read in this conversation, or that has changed since, is refused, because you would write over what you do not know: read it first. ' +
      `Refused too: a path outside the project, a folder, and more than ${sizeText(fileLimits.editBytes)}. ` +
      'The content is written as given: end the last line with a line break. The user may be asked and may refuse.',
    input: z.strictObject({
      path: z.string().describe('The file, relative to the root of the project.'),
      content: z.string().max(fileLimits.editBytes).describe('All of the text that is to be in the file.'),
    }),
    hints: { idempotent: true },
    async call({ path: given, content }, call) {
      const bytes = new TextEncoder().encode(content);
      const found = await lookUp(files, given);
      if (!found.ok) return refusal(found.problem);
      const { path, entry } = found.value;
      if (bytes.length > fileLimits.editBytes) {
        return errorResult(
          `This text has ${sizeText(bytes.length)}; a file written by this tool has at most ${sizeText(fileLimits.editBytes)}: split it.`,
        );
      }
      const size = `${counted(linesOf(rawOf(bytes)).length, 'line')}, ${sizeText(bytes.length)}`;
      if (entry === null) {
        const change = { type: 'write', path, bytes, ifRev: null } as const;
        return commit(
          files,
          call,
          [change],
          [{ path, from: null, before: null, after: rawOf(bytes) }],
          `Created ${path} (${size}).`,
        );
      }
      return overwrite(files, call, entry, bytes, size);
    },
  });
}

async function overwrite(files: Workspace, call: Call, entry: FileEntry, bytes: Uint8Array, size: string): Promise<Result> {
  const { path } = entry;
  const old = await contentOf(files, entry);
  const raw = rawOf(bytes);
  if (old === raw) {
    await files.saw(path, entry.rev);
    return textResult(`${path} holds this already: nothing was written.`, { value: { changes: [] } });
  }
  const fresh = await seenAsItIs(files, entry);
  if (!fresh.ok) return refusal(fresh.problem);
  const change = { type: 'write', path, bytes, ifRev: entry.rev } as const;
  const of: Change = { path, from: null, before: { hash: entry.hash, raw: old }, after: raw };
  const ends = old !== null && old.includes('\r\n') && !raw.includes('\r\n') ? ' Its lines ended in CRLF and end in LF now.' : '';
  return commit(files, call, [change], [of], `Wrote ${path} (${size}).${ends}`);
}

/** What a file holds; null for one that is too large to compare or has just changed, and for a folder. */
async function contentOf(files: Workspace, entry: FileEntry): Promise<Raw | null> {
  if (entry.size > fileLimits.editBytes) return null;
  const read = await files.read(entry.path);
  return read.ok && read.value.entry.rev === entry.rev ? rawOf(read.value.bytes) : null;
}

import * as z from 'zod';
import { type Json, type Result, textResult, type Tool, tool } from '../../core/index.ts';
import { lookUp } from './current.ts';
import { fileLimits } from './limits.ts';
import { isImage, mediaTypeOf } from './media.ts';
import { missing } from './missing.ts';
import { type Page, pageOf } from './page.ts';
import type { FileEntry, Workspace } from './port.ts';
import { isBinary, rawOf } from './raw.ts';
import { FileReader } from './reader.ts';
import { type Checked, refusal, refuse } from './refuse.ts';
import { counted, sizeText } from './size.ts';

const input = z.strictObject({
  path: z.string().describe('The file, relative to the root of the project.'),
  offset: z.int().min(1).optional().describe('The number of the first line to read, from 1.'),
  limit: z.int().min(1).max(fileLimits.readLines).optional().describe(`How many lines to read, at most ${fileLimits.readLines}.`),
  skip: z
    .int()
    .min(0)
    .optional()
    .describe('Bytes of the first line to leave out: only for a line that was cut, with the number that was named.'),
});
type Input = z.infer<typeof input>;

/**
 * The tool `read_file {path, offset?, limit?, skip?}`: the text as it is, without line numbers, so that it can be copied into an edit; what was left out and how to
 * read on stands after it in brackets (FILES-10). An image is a part of the result. What was read counts as seen.
 */
export function readFileTool(files: Workspace): Tool {
  return tool({
    name: 'read_file',
    description:
      `Reads a text file of the project, at most ${fileLimits.readLines} lines and ${sizeText(fileLimits.readBytes)} at a time, by whole lines. The text is given exactly, without line numbers. ` +
      'After it, in brackets, stands what was left out and the call that reads on. ' +
      `An image of up to ${sizeText(fileLimits.imageBytes)} is shown. Of any other binary file only the type and the size are told, because its bytes are no text. ` +
      'Refused: a path outside the project, a folder (use list_dir), and an offset behind the end of the file.',
    input,
    hints: { readOnly: true, idempotent: true },
    async call(asked) {
      const found = await lookUp(files, asked.path);
      if (!found.ok) return refusal(found.problem);
      const { path, entry } = found.value;
      if (entry === null) return refusal(await missing(files, path));
      if (entry.kind === 'folder')
        return refusal({ code: 'is_folder', path, message: `${path === '' ? '.' : path} is a folder: list it with list_dir.` });
      const read = await readEntry(files, entry, asked);
      if (!read.ok) return refusal(read.problem);
      await files.saw(entry.path, entry.rev);
      return read.value;
    },
  });
}

async function readEntry(files: Workspace, entry: FileEntry, asked: Input): Promise<Checked<Result>> {
  const reader = new FileReader(files, entry);
  const head = await reader.bytes(0, fileLimits.pieceBytes);
  if (!head.ok) return head;
  const mediaType = mediaTypeOf(head.value);
  if (mediaType !== null || isBinary(head.value)) return { ok: true, value: binary(entry, mediaType, head.value) };
  return textPage(reader, entry, asked);
}

function binary(entry: FileEntry, mediaType: string | null, head: Uint8Array): Result {
  const { path, size } = entry;
  const type = mediaType ?? 'application/octet-stream';
  const summary = `${path} is a binary file: ${type}, ${sizeText(size)}.`;
  const value: Json = { path, size, mediaType: type };
  if (!isImage(mediaType)) return textResult(summary, { value });
  if (size > fileLimits.imageBytes)
    return textResult(`${summary} It is too large to be shown; ${sizeText(fileLimits.imageBytes)} would do.`, { value });
  const shown = textResult(`${path}: ${type}, ${sizeText(size)}.`, { value });
  return { ...shown, content: [...shown.content, { type: 'image', mediaType, data: btoa(rawOf(head)) }] };
}

async function textPage(
  reader: FileReader,
  entry: FileEntry,
  { offset = 1, limit = fileLimits.readLines, skip = 0 }: Input,
): Promise<Checked<Result>> {
  const { path, size } = entry;
  const start = await reader.after(0, offset - 1);
  if (!start.ok) return start;
  if (start.value === null || (start.value === size && offset > 1))
    return refuse('not_found', path, await beyond(reader, entry, offset));
  if (skip > 0) {
    const next = await reader.after(start.value, 1);
    if (!next.ok) return next;
    const length = (next.value ?? size) - start.value;
    if (skip >= length)
      return refuse(
        'not_found',
        path,
        `Line ${offset} of ${path} has ${counted(length, 'byte')}: skip ${skip} is behind its end.`,
      );
  }
  const from = start.value + skip;
  const part = await reader.bytes(from, fileLimits.readBytes + 4);
  if (!part.ok) return part;
  const bom = from === 0 && part.value[0] === 0xef && part.value[1] === 0xbb && part.value[2] === 0xbf ? 3 : 0;
  const page = pageOf(part.value.subarray(bom), from + part.value.length < size, { lines: limit, bytes: fileLimits.readBytes });
  const total = size <= fileLimits.pieceBytes ? await lineCount(reader, size) : null;
  const notes = notesOf(entry, page, { offset, from: skip, to: skip + bom + page.bytes, total });
  const value: Json = { path, size, from: offset, to: offset + page.lines - 1, lines: total };
  const text = { type: 'text', text: page.text } as const;
  const told = notes.map((note) => ({ type: 'text', text: `[${note}]` }) as const);
  return { ok: true, value: { ...textResult('', { value }), content: page.text === '' ? told : [text, ...told] } };
}

interface Place {
  /** The number of the first line. */
  readonly offset: number;
  /** Bytes of that line, where the page holds a piece of it. */
  readonly from: number;
  readonly to: number;
  /** Lines of the file, where they were counted. */
  readonly total: number | null;
}

/** What the model must know beside the text, a sentence each. */
function notesOf({ path, size }: FileEntry, page: Page, { offset, from, to, total }: Place): readonly string[] {
  if (size === 0) return ['The file is empty.'];
  const notes: string[] = [];
  const last = offset + page.lines - 1;
  const whole = total === null ? `a file of ${sizeText(size)}` : counted(total, 'line');
  if (page.cut) {
    const next = JSON.stringify({ path, offset, skip: to });
    notes.push(
      `Line ${offset} of ${whole} is too long: this is its part from byte ${from} to ${to}. To read on: read_file ${next}`,
    );
  } else if (page.more) {
    notes.push(`Lines ${offset}-${last} of ${whole}. To read on: read_file ${JSON.stringify({ path, offset: last + 1 })}`);
  } else if (offset > 1 || from > 0) notes.push(`Lines ${offset}-${last} of ${whole}, to the end.`);
  if (page.crlf !== 'none') notes.push(`${page.crlf === 'all' ? 'The lines end' : 'Some lines end'} in CRLF. Edits keep that.`);
  if (page.damaged)
    notes.push(
      'Some bytes are no UTF-8 and are shown as U+FFFD. Edits leave them as they are: do not put that character into a search text.',
    );
  if (!page.more && !page.text.endsWith('\n')) notes.push('The last line has no line break at its end.');
  return notes;
}

async function beyond(reader: FileReader, { path, size }: FileEntry, offset: number): Promise<string> {
  const total = size <= fileLimits.pieceBytes ? await lineCount(reader, size) : null;
  return `${path} ${total === null ? 'ends before that' : `has ${counted(total, 'line')}`}: offset ${offset} is behind its end.`;
}

async function lineCount(reader: FileReader, size: number): Promise<number | null> {
  const all = await reader.bytes(0, size);
  if (!all.ok) return null;
  let lines = 0;
  for (let feed = all.value.indexOf(10); feed >= 0; feed = all.value.indexOf(10, feed + 1)) lines += 1;
  return all.value.length > 0 && all.value.at(-1) !== 10 ? lines + 1 : lines;
}

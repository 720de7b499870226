import * as z from 'zod';
import { errorResult, type Tool, tool } from '../../core/index.ts';
import { commit } from './commit.ts';
import { currentText } from './current.ts';
import { fileLimits } from './limits.ts';
import { lineAt } from './lines.ts';
import { nearest } from './near.ts';
import type { Workspace } from './port.ts';
import { bytesOf, type Raw, rawText, textOfRaw } from './raw.ts';
import { refusal } from './refuse.ts';
import { replaceOnce } from './replace.ts';
import { sizeText } from './size.ts';

/** How many places of an ambiguous text are named. */
const named = 10;
/** A replacement shorter than this, in characters, stands in a file by chance. */
const telling = 12;

/**
 * The tool `edit_file {path, search, replace}`: replaces the one place where a text stands (FILES-04, WORK-04 to WORK-09). The rest of the file stays as it is,
 * byte for byte, and line breaks follow the file's (FILES-12).
 */
export function editFileTool(files: Workspace): Tool {
  return tool({
    name: 'edit_file',
    description:
      'Replaces one exact piece of a text file by another. Read the file first: a file that you have not read in this conversation, or that has changed since, is refused, ' +
      'because you would change what you do not know. The search text is compared exactly, indentation included, and must stand in the file once: it is refused when it is missing ' +
      'and when it stands there several times, because it is then not clear which place you mean. The replacement is taken literally; an empty one deletes. ' +
      `Line ends, a byte order mark and everything around stay as they are. Binary files and files above ${sizeText(fileLimits.editBytes)} are refused. ` +
      'It makes no new file: write_file does. The user may be asked and may refuse.',
    input: z.strictObject({
      path: z.string().describe('The file, relative to the root of the project.'),
      search: z
        .string()
        .min(1, 'must not be empty: give the text to replace; write_file writes a whole file')
        .max(fileLimits.patchLength)
        .describe('The text to replace, exactly as it is in the file, with enough lines around it to be the only such place.'),
      replace: z.string().max(fileLimits.patchLength).describe('The text to put in its place.'),
    }),
    hints: {},
    async call({ path: given, search, replace }, call) {
      if (search === replace) return errorResult('search and replace are the same, so there is nothing to change.');
      const current = await currentText(files, given);
      if (!current.ok) return refusal(current.problem);
      const { entry, raw } = current.value;
      const { path } = entry;
      const replaced = replaceOnce(raw, search, replace);
      if (!replaced.ok) {
        const { places, searched } = replaced;
        return errorResult(places.length === 0 ? notFound(path, searched, search, replace) : ambiguous(path, searched, places));
      }
      const change = { type: 'write', path, bytes: bytesOf(replaced.raw), ifRev: entry.rev } as const;
      const of = { path, from: null, before: { hash: entry.hash, raw }, after: replaced.raw };
      return commit(files, call, [change], [of], `Edited ${path}.`);
    },
  });
}

function ambiguous(path: string, searched: Raw, places: readonly number[]): string {
  const lines = places.slice(0, named).map((place) => lineAt(searched, place));
  const more = places.length > named ? ', …' : '';
  return `The search text appears ${places.length} times in ${path} (lines ${lines.join(', ')}${more}): add the lines before or after it until it stands there once.`;
}

function notFound(path: string, searched: Raw, search: string, replace: string): string {
  const start = `The search text was not found in ${path}.`;
  const done = replace.trim().length < telling ? -1 : searched.indexOf(rawText(replace.replaceAll('\r\n', '\n')));
  if (done >= 0)
    return `${start} The replacement is there already, at line ${lineAt(searched, done)}: the edit may have been made before.`;
  const hint = nearest(textOfRaw(searched).replaceAll('\r\n', '\n'), search);
  return `${start} ${hint ?? 'Nothing in the file resembles it: read the file again and copy the text exactly, indentation included.'}`;
}

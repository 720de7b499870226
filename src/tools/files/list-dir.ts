import * as z from 'zod';
import { errorResult, textResult, type Tool, tool } from '../../core/index.ts';
import { Ignored } from './ignored.ts';
import { fileLimits } from './limits.ts';
import type { FileEntry, Workspace } from './port.ts';
import { type Checked, refusal } from './refuse.ts';
import { counted, sizeText } from './size.ts';
import { endOf, placeOf } from './walk.ts';

/** The tool `list_dir {path?}`: what stands directly in a folder, also what a `.gitignore` leaves out, which is marked. */
export function listDirTool(files: Workspace): Tool {
  return tool({
    name: 'list_dir',
    description:
      `Lists what stands directly in a folder of the project: folders with / at their end, files with their size, at most ${fileLimits.listed} of them. What a .gitignore leaves out is listed and marked. ` +
      'It does not go into the folders below: use glob for that. Refused: a path outside the project, and a file.',
    input: z.strictObject({
      path: z.string().optional().describe('The folder, relative to the root of the project. Left out: the root.'),
    }),
    hints: { readOnly: true, idempotent: true },
    async call({ path: given }) {
      const place = await placeOf(files, given);
      if (!place.ok) return refusal(place.problem);
      const { path, file } = place.value;
      if (file !== null) return errorResult(`${path} is a file (${sizeText(file.size)}): read it with read_file.`);
      const found = await childrenOf(files, path);
      if (!found.ok) return refusal(found.problem);
      const { children, more } = found.value;
      const judge = await new Ignored(files, path).inFolder(path);
      const lines = children.map(({ name, entry }) => {
        const left = judge?.(name, entry === null) === true ? '  (left out by .gitignore)' : '';
        return `${entry === null ? `${name}/` : `${name}  ${entry.kind === 'link' ? 'link' : sizeText(entry.size)}`}${left}`;
      });
      if (lines.length === 0) lines.push('[The folder is empty.]');
      if (more)
        lines.push(`[Only the first ${counted(fileLimits.listed, 'entry', 'entries')} are listed: use glob with a pattern.]`);
      const value = children.map(({ name, entry }) => ({ name, kind: entry?.kind ?? 'folder', size: entry?.size ?? null }));
      return textResult(lines.join('\n'), { value: { path, entries: value } });
    },
  });
}

interface Child {
  readonly name: string;
  /** Null for a folder. */
  readonly entry: FileEntry | null;
}

/** What stands directly in a folder. The rest of each folder below it is passed over. */
async function childrenOf(
  files: Workspace,
  folder: string,
): Promise<Checked<{ readonly children: readonly Child[]; readonly more: boolean }>> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const children: Child[] = [];
  for (let after: string | null = null; ;) {
    const page = await files.list(folder, { after, limit: fileLimits.walkPage });
    if (!page.ok) return page;
    for (const entry of page.value) {
      const [name = '', below] = entry.path.slice(prefix.length).split('/');
      after = entry.path;
      if (below !== undefined && children.at(-1)?.name === name) continue;
      if (children.length === fileLimits.listed) return { ok: true, value: { children, more: true } };
      children.push({ name, entry: below === undefined && entry.kind !== 'folder' ? entry : null });
    }
    if (page.value.length === 0) return { ok: true, value: { children, more: false } };
    const last = children.at(-1);
    if (last?.entry === null) after = endOf(`${prefix}${last.name}/`);
  }
}

import { Cancelled, type Call, type Clock } from '../../core/index.ts';
import { lookUp } from './current.ts';
import { Ignored } from './ignored.ts';
import { fileLimits } from './limits.ts';
import { missing } from './missing.ts';
import type { FileEntry, Workspace } from './port.ts';
import type { Checked } from './refuse.ts';

/** Where a search goes: below a folder, or to one file. */
export interface Place {
  /** '' for the root. */
  readonly path: string;
  /** The file itself, where it is one. */
  readonly file: FileEntry | null;
}

/** The place that the model names; the root where it names none. */
export async function placeOf(files: Workspace, given: string | undefined): Promise<Checked<Place>> {
  const found = await lookUp(files, given ?? '.');
  if (!found.ok) return found;
  const { path, entry } = found.value;
  if (entry === null)
    return path === '' ? { ok: true, value: { path, file: null } } : { ok: false, problem: await missing(files, path) };
  return { ok: true, value: { path: entry.path, file: entry.kind === 'folder' ? null : entry } };
}

/** Where a list goes on after all that is below a folder, given with `/` at its end: no name sorts behind this, in the order of code points that `list` has. */
export function endOf(folder: string): string {
  return `${folder}\u{10ffff}\u{10ffff}`;
}

/** A piece of a walk: entries in the order of their paths, and what was left out by a `.gitignore` on the way. */
export interface Step {
  readonly entries: readonly FileEntry[];
  /** Paths that the rules leave out, a folder for all that is in it, with `/` at its end. */
  readonly leftOut: readonly string[];
}

/**
 * Walks what is below a folder, a page at a time, and lets others have their turn between pages. With `all` no `.gitignore` counts.
 * @throws Cancelled when the call is cancelled; Error when the workspace cannot be listed.
 */
export async function* walk(
  files: Workspace,
  folder: string,
  all: boolean,
  clock: Clock,
  call: Call,
): AsyncGenerator<Step, void, undefined> {
  const ignored = new Ignored(files, folder);
  let after: string | null = null;
  for (;;) {
    const page = await files.list(folder, { after, limit: fileLimits.walkPage });
    if (!page.ok) throw new Error(page.problem.message);
    const last = page.value.at(-1);
    if (last === undefined) return;
    const step = all ? { entries: page.value, leftOut: [] } : await sift(page.value, ignored, folder);
    yield step;
    const skipped = all ? undefined : step.leftOut.findLast((path) => path.endsWith('/') && last.path.startsWith(path));
    after = skipped === undefined ? last.path : endOf(skipped);
    await clock.sleep(0, call.signal);
    if (call.isCancelled()) throw new Cancelled();
  }
}

async function sift(page: readonly FileEntry[], ignored: Ignored, root: string): Promise<Step> {
  const entries: FileEntry[] = [];
  const leftOut = new Set<string>();
  for (const entry of page) {
    const cut = entry.path.lastIndexOf('/');
    const judge = await ignored.inFolder(entry.path.slice(0, Math.max(0, cut)));
    if (judge === null) leftOut.add(await topOf(entry.path, ignored, root));
    else if (judge(entry.path.slice(cut + 1), entry.kind === 'folder'))
      leftOut.add(entry.kind === 'folder' ? `${entry.path}/` : entry.path);
    else entries.push(entry);
  }
  return { entries, leftOut: [...leftOut] };
}

/** The outermost folder of a path that is left out. */
async function topOf(path: string, ignored: Ignored, root: string): Promise<string> {
  for (let slash = path.indexOf('/', root.length + 1); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    if ((await ignored.inFolder(path.slice(0, slash))) === null) return `${path.slice(0, slash)}/`;
  }
  return path;
}

import type { Change } from './commit.ts';
import { currentText, lookUp } from './current.ts';
import { applyHunks } from './hunks.ts';
import { missing } from './missing.ts';
import type { Section } from './patch.ts';
import { resolvePath } from './path.ts';
import type { FileChange, FileEntry, Workspace } from './port.ts';
import { bytesOf, type Raw, rawText } from './raw.ts';
import { type Checked, refuse } from './refuse.ts';

/** What was at a path before the patch; null for nothing. */
interface Before {
  readonly entry: FileEntry | null;
  readonly content: Raw | null;
}

/** What a section did: the letter and the paths that the model reads. */
export interface Done {
  readonly letter: 'A' | 'M' | 'D' | 'R';
  readonly path: string;
  readonly from: string | null;
}

/**
 * Plays a patch on drafts of the files, section by section, so that a later section sees what an earlier one did and nothing is written before all of them fit
 * (FILES-06). What it gathers is one change of the workspace.
 */
export class Drafts {
  readonly changes: FileChange[] = [];
  readonly done: Done[] = [];
  readonly #files: Workspace;
  /** What each path that the patch touches holds after the sections so far; null for nothing. */
  readonly #drafts = new Map<string, Raw | null>();
  readonly #before = new Map<string, Before>();
  readonly #cameFrom = new Map<string, string>();

  constructor(files: Workspace) {
    this.#files = files;
  }

  /** Plays one section. Refuses what does not fit, with a sentence that names the file and the hunk (FILES-07). */
  async play(section: Section): Promise<Checked<null>> {
    switch (section.type) {
      case 'add':
        return this.#add(section.path, section.lines);
      case 'delete':
        return this.#delete(section.path);
      case 'update':
        return this.#update(section);
    }
  }

  /** Each file before and after, for the diffs; what a patch undid itself is left out. */
  get edits(): readonly Change[] {
    const gone = new Set(this.#cameFrom.values());
    return [...this.#drafts].flatMap(([path, content]): Change[] => {
      if (content === null && gone.has(path)) return [];
      const from = content === null ? null : (this.#cameFrom.get(path) ?? null);
      const old = this.#before.get(from ?? path);
      const before = old === undefined || old.entry === null ? null : { hash: old.entry.hash, raw: old.content };
      return before === null && content === null ? [] : [{ path, from, before, after: content }];
    });
  }

  async #add(given: string, lines: readonly string[]): Promise<Checked<null>> {
    const path = await this.#free(given);
    if (!path.ok) return path;
    const content = lines.map((line) => `${rawText(line)}\n`).join('');
    this.#write(path.value, content);
    this.done.push({ letter: 'A', path: path.value, from: null });
    return done;
  }

  async #delete(given: string): Promise<Checked<null>> {
    const found = await this.#find(given);
    if (!found.ok) return found;
    const { path } = found.value;
    const rev = this.#expected(path);
    this.changes.push({ type: 'delete', path, ...(typeof rev !== 'number' ? {} : { ifRev: rev }) });
    this.#drafts.set(path, null);
    this.done.push({ letter: 'D', path, from: null });
    return done;
  }

  async #update({ path: given, moveTo, hunks }: Extract<Section, { type: 'update' }>): Promise<Checked<null>> {
    const found = await this.#find(given);
    if (!found.ok) return found;
    const { path, content } = found.value;
    const applied = applyHunks(content, hunks);
    if (!applied.ok) return refuse('patch_refused', path, `${path}, hunk ${applied.hunk}: ${applied.message}`);
    if (moveTo === null) {
      this.#write(path, applied.raw);
      this.done.push({ letter: 'M', path, from: null });
      return done;
    }
    const to = await this.#free(moveTo);
    if (!to.ok) return to;
    const rev = this.#expected(path);
    this.changes.push({ type: 'move', from: path, to: to.value, ...(typeof rev !== 'number' ? {} : { ifRev: rev }) });
    this.#cameFrom.set(to.value, this.#cameFrom.get(path) ?? path);
    this.#drafts.set(path, null);
    this.#drafts.set(to.value, content);
    if (applied.raw !== content) this.#write(to.value, applied.raw);
    this.done.push({ letter: 'R', path: to.value, from: path });
    return done;
  }

  #write(path: string, content: Raw): void {
    const rev = this.#expected(path);
    this.changes.push({ type: 'write', path, bytes: bytesOf(content), ...(rev === undefined ? {} : { ifRev: rev }) });
    this.#drafts.set(path, content);
  }

  /** What must stand at a path for its first change to hold, so that a racing writer is not written over; the later changes follow from it. */
  #expected(path: string): number | null | undefined {
    const touched = this.changes.some((change) =>
      change.type === 'move' ? change.from === path || change.to === path : change.path === path,
    );
    const before = this.#before.get(path);
    return touched || before === undefined ? undefined : (before.entry?.rev ?? null);
  }

  /** A file that is there, and that the model has seen as it is or made by this patch. */
  async #find(given: string): Promise<Checked<{ readonly path: string; readonly content: Raw }>> {
    const resolved = resolvePath(given);
    if (!resolved.ok) return resolved;
    if (this.#drafts.has(resolved.value)) return this.#drafted(resolved.value);
    const current = await currentText(this.#files, given);
    if (!current.ok) return current;
    const { entry, raw } = current.value;
    // A draft stands under its real path, whichever link a section goes by.
    if (this.#drafts.has(entry.path)) return this.#drafted(entry.path);
    this.#before.set(entry.path, { entry, content: raw });
    return { ok: true, value: { path: entry.path, content: raw } };
  }

  /** What the sections so far left at a path that they touched. */
  async #drafted(path: string): Promise<Checked<{ readonly path: string; readonly content: Raw }>> {
    const content = this.#drafts.get(path) ?? null;
    return content === null ? { ok: false, problem: await missing(this.#files, path) } : { ok: true, value: { path, content } };
  }

  /** A path at which nothing stands. */
  async #free(given: string): Promise<Checked<string>> {
    const found = await lookUp(this.#files, given);
    if (!found.ok) return found;
    const { path, entry } = found.value;
    const draft = this.#drafts.get(path);
    const taken = draft === undefined ? entry !== null : draft !== null;
    if (taken) return refuse('exists', path, `${path} exists: change it with an "*** Update File" section, or delete it first.`);
    if (draft === undefined) this.#before.set(path, { entry: null, content: null });
    return { ok: true, value: path };
  }
}

const done = { ok: true, value: null } as const;

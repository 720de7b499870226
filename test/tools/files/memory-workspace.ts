import {
  type FileCause,
  type FileChange,
  type FileEntry,
  type FileOutcome,
  type FileProblem,
  type FileRange,
  resolvePath,
  type Workspace,
} from '../../../src/tools/index.ts';

interface Stored {
  readonly kind: 'file' | 'link';
  readonly bytes: Uint8Array;
  readonly rev: number;
  readonly executable: boolean;
}

interface State {
  readonly files: Map<string, Stored>;
  rev: number;
}

const encoder = new TextEncoder();

/** The workspace's port in memory, for tests of tools. It keeps the contract, but for undo, which no tool calls. Folders are implied; none is empty. */
export class MemoryWorkspace implements Workspace {
  /** Every change that was made, with its cause, in order. */
  readonly made: { readonly changes: readonly FileChange[]; readonly cause: FileCause }[] = [];
  /** How many bytes were read. */
  bytesRead = 0;
  /** Called before each change is made: a racing writer. */
  onChange: () => void = () => {};
  #state: State = { files: new Map(), rev: 0 };
  readonly #seen = new Map<string, number>();

  /** Puts a file there, as a person would. */
  put(path: string, content: string | Uint8Array, executable = false): void {
    const bytes = typeof content === 'string' ? encoder.encode(content) : content;
    this.#state.rev += 1;
    this.#state.files.set(path, { kind: 'file', bytes, rev: this.#state.rev, executable });
  }

  link(path: string, target: string): void {
    this.#state.rev += 1;
    this.#state.files.set(path, { kind: 'link', bytes: encoder.encode(target), rev: this.#state.rev, executable: false });
  }

  /** Puts a file there that the model has seen. */
  async known(path: string, content: string | Uint8Array): Promise<void> {
    this.put(path, content);
    await this.saw(path, this.#state.rev);
  }

  bytes(path: string): Uint8Array | null {
    return this.#state.files.get(path)?.bytes ?? null;
  }

  text(path: string): string | null {
    const bytes = this.bytes(path);
    return bytes === null ? null : new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
  }

  executable(path: string): boolean {
    return this.#state.files.get(path)?.executable === true;
  }

  get paths(): readonly string[] {
    return [...this.#state.files.keys()].toSorted(byCodePoint);
  }

  async stat(path: string): Promise<FileOutcome<FileEntry | null>> {
    const real = this.#real(path);
    return real.ok ? { ok: true, value: await this.#entry(real.value) } : real;
  }

  async read(path: string, range?: FileRange): Promise<FileOutcome<{ readonly entry: FileEntry; readonly bytes: Uint8Array }>> {
    const real = this.#real(path);
    if (!real.ok) return real;
    const entry = await this.#entry(real.value);
    if (entry === null) return problem('not_found', real.value);
    const stored = this.#state.files.get(real.value);
    if (stored === undefined) return problem('is_folder', real.value);
    const offset = range?.offset ?? 0;
    const bytes = stored.bytes.subarray(offset, range === undefined ? undefined : offset + range.length);
    this.bytesRead += bytes.length;
    return { ok: true, value: { entry, bytes } };
  }

  async list(
    folder: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<FileOutcome<readonly FileEntry[]>> {
    const real = this.#real(folder);
    if (!real.ok) return real;
    const prefix = real.value === '' ? '' : `${real.value}/`;
    const paths = this.paths
      .filter((path) => path.startsWith(prefix) && (after === null || byCodePoint(path, after) > 0))
      .slice(0, limit);
    const entries = await Promise.all(paths.map((path) => this.#entry(path)));
    return { ok: true, value: entries.filter((entry) => entry !== null) };
  }

  async change(changes: readonly FileChange[], cause: FileCause): Promise<FileOutcome<readonly FileEntry[]>> {
    this.onChange();
    const draft: State = { files: new Map(this.#state.files), rev: this.#state.rev };
    const written: string[] = [];
    for (const change of changes) {
      draft.rev += 1;
      const wrong = make(draft, change, written);
      if (wrong !== null) return wrong;
    }
    this.#state = draft;
    this.made.push({ changes, cause });
    const entries = await Promise.all(written.map((path) => this.#entry(path)));
    return { ok: true, value: entries.filter((entry) => entry !== null) };
  }

  undo(): Promise<FileOutcome<readonly string[]>> {
    throw new Error('No tool undoes.');
  }

  async seen(path: string): Promise<number | null> {
    return this.#seen.get(path) ?? null;
  }

  async saw(path: string, rev: number): Promise<void> {
    this.#seen.set(path, rev);
  }

  /** The path itself, a link at its end followed. */
  #real(path: string): FileOutcome<string> {
    const resolved = resolvePath(path);
    if (!resolved.ok) return resolved;
    const stored = this.#state.files.get(resolved.value);
    return stored?.kind === 'link' ? resolvePath(new TextDecoder().decode(stored.bytes)) : resolved;
  }

  async #entry(path: string): Promise<FileEntry | null> {
    const stored = this.#state.files.get(path);
    if (stored === undefined) {
      const isFolder = path === '' || this.paths.some((other) => other.startsWith(`${path}/`));
      return isFolder ? { path, kind: 'folder', rev: 0, hash: '', size: 0, executable: false, modified: 0 } : null;
    }
    const { kind, bytes, rev, executable } = stored;
    return { path, kind, rev, hash: await hashOf(bytes), size: bytes.length, executable, modified: 0 };
  }
}

/** The order of paths, which is that of their bytes in UTF-8. The one of JavaScript has what is above U+FFFF before U+E000. */
export function byCodePoint(a: string, b: string): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    if (a[at] !== b[at]) return (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
  }
  return a.length - b.length;
}

function make(draft: State, change: FileChange, written: string[]): { readonly ok: false; readonly problem: FileProblem } | null {
  const { files, rev } = draft;
  if (change.type === 'write') {
    const there = files.get(change.path);
    if (change.ifRev !== undefined && (there?.rev ?? null) !== change.ifRev) return problem('file_changed', change.path);
    if ([...files.keys()].some((path) => change.path.startsWith(`${path}/`))) return problem('exists', change.path);
    files.set(change.path, {
      kind: 'file',
      bytes: change.bytes,
      rev,
      executable: change.executable ?? there?.executable ?? false,
    });
    written.push(change.path);
    return null;
  }
  if (change.type === 'link' || change.type === 'folder') throw new Error('No tool makes links or empty folders.');
  const from = change.type === 'move' ? change.from : change.path;
  const there = files.get(from);
  if (there === undefined) return problem('not_found', from);
  if (change.ifRev !== undefined && there.rev !== change.ifRev) return problem('file_changed', from);
  files.delete(from);
  if (change.type === 'delete') return null;
  if (files.has(change.to)) return problem('exists', change.to);
  files.set(change.to, { ...there, rev });
  written.push(change.to);
  return null;
}

function problem(code: FileProblem['code'], path: string): { readonly ok: false; readonly problem: FileProblem } {
  return { ok: false, problem: { code, path, message: `${path}: ${code}.` } };
}

/** SHA-256 in hexadecimal. */
export async function hashOf(content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? encoder.encode(content) : Uint8Array.from(content);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

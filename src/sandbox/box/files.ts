import type { FileCause, FileEntry, TrackedWorkspace, WorkspaceChanges } from '../../tools/index.ts';
import { type CommandChange, saveChanges } from '../save.ts';
import { type FileRecord, joinBytes, recordBytes } from '../wire/index.ts';
import type { BoxClient } from './client.ts';

/** So many bytes are handed over at once, in either direction: the session's object has little memory. */
const pieceLimit = 8_388_608;

/** Keeps the files of a box and those of the workspace the same. The workspace is the truth; a box is filled anew whenever it began anew. */
export class BoxFiles {
  readonly #client: BoxClient;
  readonly #workspace: TrackedWorkspace;
  /** The life of the box that has the files, and the revision of the workspace that it has. */
  #boot: string | null = null;
  #rev = 0;
  /** What was saved from the box since: it has that already. */
  #saved = new Map<string, number>();

  constructor(client: BoxClient, workspace: TrackedWorkspace) {
    this.#client = client;
    this.#workspace = workspace;
  }

  /** Brings the box, whose life is `boot`, up to date. Gives whether it had begun anew, which loses what was beside the workspace's files. */
  async push(boot: string): Promise<{ readonly restarted: boolean }> {
    const isNew = boot !== this.#boot;
    const restarted = isNew && this.#boot !== null;
    const changes = await this.#workspace.changesSince(isNew ? 0 : this.#rev);
    const whole = isNew || changes.whole;
    const entries = whole ? changes.entries : changes.entries.filter((entry) => !this.#has(entry, changes));
    if (whole || entries.length + changes.gone.length > 0) {
      const taken = await this.#client.push(this.#pieces({ ...changes, entries, whole }));
      if (taken !== boot) throw new Error('The box began anew while it was filled.');
    }
    this.#boot = boot;
    this.#rev = changes.rev;
    this.#saved = new Map();
    return { restarted };
  }

  /** Saves what the box changed. Gives sentences on what could not be saved as it is there. */
  async pull(cause: FileCause): Promise<readonly string[]> {
    const { boot, mark, records } = await this.#client.pull();
    if (boot !== this.#boot) return [];
    const remarks: string[] = [];
    let [batch, size]: [FileRecord[], number] = [[], 0];
    const save = async (): Promise<void> => {
      if (batch.length > 0) remarks.push(...(await this.#save(batch, cause)));
      [batch, size] = [[], 0];
    };
    for await (const record of records) {
      batch.push(record);
      size += record.bytes.length;
      if (size >= pieceLimit) await save();
    }
    await save();
    await this.#client.settle(mark);
    return remarks;
  }

  async #save(records: readonly FileRecord[], cause: FileCause): Promise<readonly string[]> {
    const skipped = records.flatMap(({ head }) =>
      head.op === 'skipped' ? [`Not saved: ${head.path}, since ${head.reason}.`] : [],
    );
    const now = new Map((await entriesOf(this.#workspace)).map((entry) => [entry.path, entry]));
    const deleted = new Set(records.flatMap(({ head }) => (head.op === 'delete' ? [head.path] : [])));
    const changes = records.flatMap((record) => this.#change(record, now, deleted));
    const { entries, remarks } = await saveChanges(this.#workspace, changes, cause);
    for (const { path, rev } of entries) this.#saved.set(path, rev);
    return [...skipped, ...remarks];
  }

  /** What stands there must be what the box had: nothing, or something no newer than the revision that it had. */
  #change(
    { head, bytes }: FileRecord,
    now: ReadonlyMap<string, FileEntry>,
    deleted: ReadonlySet<string>,
  ): readonly CommandChange[] {
    if (head.op === 'only' || head.op === 'skipped') return [];
    const { path } = head;
    const rev = now.get(path)?.rev;
    const ifRev = rev !== undefined && (rev <= this.#rev || this.#saved.get(path) === rev) ? rev : null;
    if (head.op === 'write') return [{ type: 'write', path, bytes, executable: head.executable, ifRev }];
    if (head.op === 'link') return [{ type: 'link', path, target: head.target, ifRev }];
    if (head.op === 'folder') return [{ type: 'folder', path }];
    if (rev !== undefined) return [{ type: 'delete', path, ifRev: ifRev ?? this.#rev }];
    const below = [...now.keys()].filter((other) => other.startsWith(`${path}/`));
    return below.length > 0 && below.every((other) => deleted.has(other)) ? [{ type: 'delete', path }] : [];
  }

  /** True when the box has an entry because it comes from there. */
  #has({ path, rev }: FileEntry, { gone }: WorkspaceChanges): boolean {
    return this.#saved.get(path) === rev && !gone.some((other) => path === other || path.startsWith(`${other}/`));
  }

  async *#pieces({ entries, gone, whole }: WorkspaceChanges): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const paths = entries.map(({ path }) => path);
    let piece = whole ? [recordBytes({ op: 'only', paths })] : gone.map((path) => recordBytes({ op: 'delete', path }));
    let size = 0;
    for (const entry of entries) {
      const record = await this.#record(entry);
      if (record === null) continue;
      piece.push(record);
      size += record.length;
      if (size < pieceLimit) continue;
      yield joinBytes(piece);
      [piece, size] = [[], 0];
    }
    yield joinBytes(piece);
  }

  /** Null for what is gone by now: the next push tells of it. */
  async #record({ path, kind }: FileEntry): Promise<Uint8Array<ArrayBuffer> | null> {
    if (kind === 'folder') return recordBytes({ op: 'folder', path });
    if (kind === 'link') {
      const target = await this.#workspace.target(path);
      return target.ok ? recordBytes({ op: 'link', path, target: target.value }) : null;
    }
    const read = await this.#workspace.read(path);
    if (!read.ok) return null;
    const { entry, bytes } = read.value;
    return recordBytes({ op: 'write', path, size: bytes.length, executable: entry.executable }, bytes);
  }
}

/** All entries of a workspace. */
async function entriesOf(workspace: TrackedWorkspace): Promise<readonly FileEntry[]> {
  return (await workspace.changesSince(0)).entries;
}

import type { FileCause, FileEntry, TrackedWorkspace, WorkspaceChanges } from '../../tools/index.ts';
import { type CommandChange, saveChanges } from '../save.ts';
import { type FileRecord, joinBytes, recordBytes } from '../wire/index.ts';
import type { BoxClient } from './client.ts';
import type { BoxMemory, BoxState } from './memory.ts';

/** So many bytes are handed over at once, in either direction: the session's object has little memory. */
const pieceLimit = 8_388_608;

/** What a push tells: whether the box had begun anew, which loses what was beside the workspace's files, and sentences on what was not saved. */
export interface Pushed {
  readonly restarted: boolean;
  readonly remarks: readonly string[];
}

/**
 * Keeps the files of a box and those of the workspace the same. The workspace is the truth, but what a box has changed is saved before anything is
 * handed over to it: a process may have written it, or a command whose end nobody saw. A box whose life is not remembered is filled anew.
 */
export class BoxFiles {
  readonly #client: BoxClient;
  readonly #workspace: TrackedWorkspace;
  readonly #memory: BoxMemory;

  constructor(client: BoxClient, workspace: TrackedWorkspace, memory: BoxMemory) {
    this.#client = client;
    this.#workspace = workspace;
    this.#memory = memory;
  }

  /** Brings the box, whose life is `boot`, up to date. What it has changed is saved first, for `cause`; throws when that cannot be. */
  async push(boot: string, cause: FileCause): Promise<Pushed> {
    const before = this.#memory.read();
    const isNew = before?.boot !== boot;
    const remarks = isNew ? [] : await this.pull(cause);
    const state = isNew ? unfilled(boot) : (this.#memory.read() ?? unfilled(boot));
    const changes = await this.#workspace.changesSince(state.rev);
    const whole = isNew || changes.whole;
    const entries = whole ? changes.entries : changes.entries.filter((entry) => !has(state, entry, changes));
    if (whole || entries.length + changes.gone.length > 0) {
      const taken = await this.#client.push(this.#pieces({ ...changes, entries, whole }, isNew));
      if (taken !== boot) throw new Error('The box began anew while it was filled.');
    }
    if (isNew || changes.rev !== state.rev) this.#memory.write({ boot, rev: changes.rev, saved: new Map() });
    return { restarted: isNew && before !== null, remarks };
  }

  /** Saves what the box changed. Gives sentences on what could not be saved as it is there. */
  async pull(cause: FileCause): Promise<readonly string[]> {
    const { boot, mark, records } = await this.#client.pull();
    if (boot !== this.#memory.read()?.boot) return [];
    const remarks: string[] = [];
    let [batch, size, any]: [FileRecord[], number, boolean] = [[], 0, false];
    const save = async (): Promise<void> => {
      if (batch.length > 0) remarks.push(...(await this.#save(boot, batch, cause)));
      [batch, size] = [[], 0];
    };
    for await (const record of records) {
      any = true;
      batch.push(record);
      size += record.bytes.length;
      if (size >= pieceLimit) await save();
    }
    await save();
    if (any) await this.#client.settle(mark);
    return remarks;
  }

  async #save(boot: string, records: readonly FileRecord[], cause: FileCause): Promise<readonly string[]> {
    const skipped = records.flatMap(({ head }) =>
      head.op === 'skipped' ? [`Not saved: ${head.path}, since ${head.reason}.`] : [],
    );
    const state = this.#memory.read() ?? unfilled(boot);
    const now = new Map((await entriesOf(this.#workspace)).map((entry) => [entry.path, entry]));
    const deleted = new Set(records.flatMap(({ head }) => (head.op === 'delete' ? [head.path] : [])));
    const changes = records.flatMap((record) => changeOf(state, record, now, deleted));
    const { entries, remarks } = await saveChanges(this.#workspace, changes, cause);
    // What was put beside another's version is not there in the box.
    const named = new Set(changes.map(({ path }) => path));
    const saved = entries.filter(({ path }) => named.has(path)).map(({ path, rev }) => [path, rev] as const);
    if (saved.length > 0) this.#memory.write({ ...state, saved: new Map([...state.saved, ...saved]) });
    return [...skipped, ...remarks];
  }

  async *#pieces(
    { entries, gone, whole }: WorkspaceChanges,
    isNew: boolean,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    const paths = entries.map(({ path }) => path);
    let piece = whole
      ? [recordBytes({ op: 'only', paths, anew: isNew })]
      : gone.map((path) => recordBytes({ op: 'delete', path }));
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

/** A box that has nothing yet. */
function unfilled(boot: string): BoxState {
  return { boot, rev: 0, saved: new Map() };
}

/** True when the box has an entry because it comes from there. */
function has({ saved }: BoxState, { path, rev }: FileEntry, { gone }: WorkspaceChanges): boolean {
  return saved.get(path) === rev && !gone.some((other) => path === other || path.startsWith(`${other}/`));
}

/** What stands there must be what the box had: nothing, or something no newer than the revision that it had. */
function changeOf(
  state: BoxState,
  { head, bytes }: FileRecord,
  now: ReadonlyMap<string, FileEntry>,
  deleted: ReadonlySet<string>,
): readonly CommandChange[] {
  if (head.op === 'only' || head.op === 'skipped') return [];
  const { path } = head;
  const rev = now.get(path)?.rev;
  const ifRev = rev !== undefined && (rev <= state.rev || state.saved.get(path) === rev) ? rev : null;
  if (head.op === 'write') return [{ type: 'write', path, bytes, executable: head.executable, ifRev }];
  if (head.op === 'link') return [{ type: 'link', path, target: head.target, ifRev }];
  if (head.op === 'folder') return [{ type: 'folder', path }];
  if (rev !== undefined) return [{ type: 'delete', path, ifRev: ifRev ?? state.rev }];
  const below = [...now.keys()].filter((other) => other.startsWith(`${path}/`));
  return below.length > 0 && below.every((other) => deleted.has(other)) ? [{ type: 'delete', path }] : [];
}

import type { Logger } from '../core/index.ts';
import type { FileCause, FileEntry, FileOutcome, FileProblem, TrackedWorkspace } from '../tools/index.ts';
import {
  type ArchiveProblem,
  type Bucket,
  type Committed,
  Intake,
  loosenAll,
  Objects,
  SqlWorkspace,
  TooLong,
  unpack,
  workspaceLimits,
} from '../workspace/index.ts';
import { type Address, addressOf, directoryAddress } from './address.ts';
import type { Conditions, FileAnswers, FileRequests, Hashes } from './file-api.ts';
import type { Work } from './journal.ts';
import { accepted, type Actor, type Outcome, type Problem, type ProblemCode, refused } from './protocol/index.ts';
import { stateEvent } from './recorder.ts';
import { updateSession } from './rows/session.ts';

/** What the files of a session stand on. */
export interface FilesHost {
  readonly storage: DurableObjectStorage;
  /** Where large bodies stand; null: nowhere, and larger files are refused. */
  readonly bucket: Bucket | null;
  /** Whether the session has tables. */
  used(): boolean;
  /** Makes them, within a transaction, if it has none. */
  use(work: Work, actor: Actor): void;
  transact<T>(change: (work: Work) => T): T;
  /** The number of the conversation. */
  thread(): number;
}

/** Who counts which sessions of a participant hold an object: its list. */
export interface HoldersPort {
  hold(scope: string, keys: readonly string[]): Promise<void>;
  release(scope: string, keys: readonly string[]): Promise<readonly string[]>;
}

/** The bucket of an installation; null where none is bound. */
export function bucketOf(env: object): Bucket | null {
  return (Reflect.get(env, 'FILES') as Bucket | undefined) ?? null;
}

/** A person's change has no call and no turn. */
const byHand: FileCause = { call: null, turn: null };

type Handlers = { readonly [T in keyof FileRequests]: (request: FileRequests[T]) => Promise<Outcome<FileAnswers[T]>> };

/** The files of a session: its tools' workspace, and what the Worker asks of them. */
export class SessionFiles {
  readonly #host: FilesHost;
  readonly #logger: Logger;
  readonly #objects: Objects;
  readonly #handlers: Handlers;
  /** The files as tools have them. Only in a used session. */
  readonly workspace: TrackedWorkspace;

  constructor(address: Address, logger: Logger, list: HoldersPort, host: FilesHost) {
    const { bucket, storage } = host;
    this.#host = host;
    this.#logger = logger;
    this.#objects = new Objects({
      sql: storage.sql,
      bucket,
      holders: {
        hold: (keys) => list.hold(address.scope, keys),
        release: (keys) => list.release(address.scope, keys),
      },
      prefix: encodeURIComponent(addressOf(directoryAddress(address)).toWellFormed()),
      logger,
      exists: () => host.used(),
    });
    this.workspace = this.#of(null);
    this.#handlers = {
      stat: async ({ path }) => answered(await this.#of(null).stat(path)),
      list: (request) => this.#list(request),
      open: async ({ path, range }) => answered(await this.#of(null).open(path, range ?? undefined)),
      write: (request) => this.#write(request),
      delete: (request) => this.#delete(request),
      journal: async (request) => accepted(this.#journal(request)),
      pack: async ({ path }) => answered(await this.#of(null).pack(path)),
      unpack: (request) => this.#unpack(request),
    };
  }

  /** Answers the Worker. What cannot be stored is refused as `unavailable`, and then nothing has changed. */
  async answer<T extends keyof FileRequests>(type: T, request: FileRequests[T]): Promise<Outcome<FileAnswers[T]>> {
    try {
      return await this.#handlers[type](request);
    } catch (error) {
      this.#logger.warn('A file could not be read or stored', { error });
      return refused('unavailable', 'The file could not be read or stored; nothing has changed. Try again.');
    }
  }

  /** Deletes the objects that no file needs any more; what an earlier life left over too. Never throws. */
  async sweep(): Promise<void> {
    await this.#objects.sweep();
  }

  /** Erases all files and deletes their objects. Throws when these cannot be deleted; then it can be called again. */
  async erase(): Promise<void> {
    const { used, storage } = this.#host;
    if (!used()) return;
    this.#objects.abandon();
    storage.transactionSync(() => loosenAll(storage.sql));
    await this.#objects.clear();
  }

  #of(actor: Actor | null): SqlWorkspace {
    const { storage, used, thread } = this.#host;
    return new SqlWorkspace({
      sql: storage.sql,
      objects: this.#objects,
      exists: used,
      begin: () => this.#commit(actor, () => ({ value: null, rev: null })),
      commit: (write) => this.#commit(actor, write),
      thread,
      now: () => Date.now(),
    });
  }

  /** A change of files and the event that tells of it. A person's change is also the session's first use, where it was not used, and its newest. */
  #commit<T>(actor: Actor | null, write: () => Committed<T>): T {
    const { transact, use, storage } = this.#host;
    return transact((work) => {
      if (actor !== null) use(work, actor);
      const { value, rev } = write();
      if (rev === null) return value;
      if (actor !== null) updateSession(storage.sql, { updated: Date.now() });
      work.emit(stateEvent({ files: { rev } }));
      return value;
    });
  }

  async #list({ path, from, limit }: FileRequests['list']): Promise<Outcome<FileAnswers['list']>> {
    const workspace = this.#of(null);
    const page = answered(await workspace.children(path, from, limit));
    const folder = answered(await workspace.stat(path));
    if (!page.ok) return page;
    return folder.ok ? accepted({ ...page.value, path: folder.value?.path ?? '', rev: workspace.rev }) : folder;
  }

  #journal({ before, limit }: FileRequests['journal']): FileAnswers['journal'] {
    const found = this.#of(null).journal(before, limit + 1);
    const changes = found.slice(0, limit);
    return { changes, next: found.length > limit ? (changes.at(-1)?.id ?? null) : null };
  }

  async #write({ path, body, executable, conditions, actor }: FileRequests['write']): Promise<Outcome<FileAnswers['write']>> {
    const workspace = this.#of(actor);
    const there = answered(await workspace.statItself(path));
    if (!there.ok) return there;
    const ifRev = revisionOf(there.value, conditions);
    if (!ifRev.ok) return ifRev;
    const written = await workspace.write(path, body, { executable, ifRev: ifRev.value }, byHand);
    return written.ok ? accepted({ entry: written.value, created: there.value === null }) : onCondition(written.problem);
  }

  async #delete({ path, conditions, actor }: FileRequests['delete']): Promise<Outcome<null>> {
    const workspace = this.#of(actor);
    const there = answered(await workspace.statItself(path));
    if (!there.ok) return there;
    if (there.value === null) return refused('not_found', 'There is nothing at this path.');
    const ifRev = revisionOf(there.value, conditions);
    if (!ifRev.ok) return ifRev;
    const condition = typeof ifRev.value === 'number' ? { ifRev: ifRev.value } : {};
    const deleted = await workspace.change([{ type: 'delete', path, ...condition }], byHand);
    return deleted.ok ? accepted(null) : onCondition(deleted.problem);
  }

  async #unpack({ path, body, actor }: FileRequests['unpack']): Promise<Outcome<FileAnswers['unpack']>> {
    const intake = new Intake(body, workspaceLimits.archive);
    try {
      const bytes = await intake.take(workspaceLimits.archive);
      await intake.take(1);
      const changes = unpack(bytes, path);
      if (!changes.ok) return { ok: false, problem: problemOf(changes.problem) };
      const written = answered(await this.#of(actor).change(changes.value, byHand));
      return written.ok ? accepted({ written: written.value.length }) : written;
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      return refused('too_large', `An archive may have at most ${workspaceLimits.archive} bytes: bring it in parts.`);
    } finally {
      await intake.cancel();
    }
  }
}

/** The revision that a change goes on from, by the conditions of its request; undefined: there are none. */
function revisionOf(entry: FileEntry | null, { match, noneMatch }: Conditions): Outcome<number | null | undefined> {
  const there = entry === null ? null : entry.hash;
  if (match !== null && !isAmong(there, match)) return failed();
  if (noneMatch !== null && isAmong(there, noneMatch)) return failed();
  return accepted(match === null && noneMatch === null ? undefined : (entry?.rev ?? null));
}

function isAmong(hash: string | null, hashes: Exclude<Hashes, null>): boolean {
  return hash !== null && (hashes === '*' || hashes.includes(hash));
}

function failed(): ReturnType<typeof refused> {
  return refused('precondition_failed', 'The file is not as the request expects it: read it again.');
}

/** The refusal of a change that had conditions: what came between their check and the change fails them. */
function onCondition(problem: FileProblem): { readonly ok: false; readonly problem: Problem } {
  return problem.code === 'file_changed' ? failed() : { ok: false, problem: problemOf(problem) };
}

function answered<T>(outcome: FileOutcome<T>): Outcome<T> {
  return outcome.ok ? outcome : { ok: false, problem: problemOf(outcome.problem) };
}

const codes: { readonly [C in ArchiveProblem['code']]: ProblemCode } = {
  path_refused: 'path_refused',
  not_found: 'not_found',
  is_folder: 'is_folder',
  exists: 'exists',
  file_changed: 'file_changed',
  too_large: 'too_large',
  quota_exceeded: 'quota_exceeded',
  archive_refused: 'bad_request',
};

/** A refusal of the workspace as clients read it. */
export function problemOf({ code, message }: ArchiveProblem): Problem {
  return { code: codes[code], detail: message };
}

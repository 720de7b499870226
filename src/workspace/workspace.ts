import {
  type FileCause,
  type FileChange,
  type FileEntry,
  type FileOutcome,
  resolvePath,
  type TrackedWorkspace,
} from '../tools/index.ts';
import { apply } from './apply.ts';
import { hasBody } from './bodies.ts';
import { note } from './journal.ts';
import { workspaceLimits } from './limits.ts';
import type { Upload } from './objects.ts';
import { BodyGone, noBucket, type Plan, planOf, storeBody, tooLarge, uploaded } from './plan.ts';
import { outcomeOf, refused, valueOf } from './problem.ts';
import { type ReaderInit, realPath, WorkspaceReader } from './reader.ts';
import { type Committed, revise } from './revise.ts';
import { putSeen } from './rows.ts';
import { undoChange, undoable, type UndoTarget } from './undo.ts';
import { hashOf, Intake, TooLong, uploadAll } from './upload.ts';

/** What a workspace stands on. */
export interface WorkspaceInit extends ReaderInit {
  /** Does what is given in one transaction, and tells of the revision. Makes the tables first, if there are none. */
  readonly commit: <T>(write: () => Committed<T>) => T;
  /** Makes the session's tables, if there are none. */
  readonly begin: () => void;
  /** The time in ms since 1970. */
  readonly now: () => number;
}

/** How a file is written that comes as a stream. */
export interface StreamedWrite {
  readonly executable: boolean | null;
  readonly ifRev: number | null | undefined;
}

/** The session's files, on its rows and on R2. */
export class SqlWorkspace extends WorkspaceReader implements TrackedWorkspace {
  readonly #init: WorkspaceInit;

  constructor(init: WorkspaceInit) {
    super(init);
    this.#init = init;
  }

  async change(changes: readonly FileChange[], cause: FileCause): Promise<FileOutcome<readonly FileEntry[]>> {
    const plans = outcomeOf(() => changes.map(planOf));
    if (!plans.ok) return plans;
    for (;;) {
      try {
        return await this.#carryOut(plans.value, cause);
      } catch (error) {
        if (!(error instanceof BodyGone)) throw error;
      }
    }
  }

  /** Writes a file that comes as a stream: no more of it is held in memory than a part of an upload. A stream that breaks off throws, and nothing is written. */
  async write(
    path: string,
    stream: ReadableStream<Uint8Array>,
    { executable, ifRev }: StreamedWrite,
    cause: FileCause,
  ): Promise<FileOutcome<FileEntry>> {
    const resolved = resolvePath(path);
    const intake = new Intake(stream, workspaceLimits.file);
    try {
      if (!resolved.ok) return resolved;
      const put = { type: 'put', path: resolved.value, kind: 'file', executable, target: null, ifRev } as const;
      const first = await intake.take(workspaceLimits.inline + 1);
      if (first.length <= workspaceLimits.inline) {
        const body = { hash: hashOf(first), size: first.length, bytes: first };
        return this.#commitOne({ change: { ...put, hash: body.hash, size: body.size }, body }, cause);
      }
      if (!this.#init.objects.available) return noBucket(resolved.value);
      return await this.#init.objects.add(
        this.#init.begin,
        [(bucket, key) => uploadAll(bucket, key, first, intake)],
        async ([added]) => {
          if (added === undefined) throw new Error('The upload gave nothing.');
          const body = { ...added.uploaded, object: added.key };
          return this.#commitOne({ change: { ...put, hash: body.hash, size: body.size }, body }, cause);
        },
      );
    } catch (error) {
      if (error instanceof TooLong) return tooLarge(resolved.ok ? resolved.value : '');
      throw error;
    } finally {
      await intake.cancel();
    }
  }

  async undo(what: UndoTarget): Promise<FileOutcome<readonly string[]>> {
    if (!this.#init.exists()) return refused('not_found', '', 'There is no change that can be undone.');
    const undone = outcomeOf(() => this.#init.commit(() => undo(this.#init.sql, what)));
    void this.#init.objects.sweep();
    return undone;
  }

  async saw(path: string, rev: number): Promise<void> {
    const resolved = outcomeOf(() => realPath(this.#init, path));
    if (resolved.ok && this.#init.exists()) putSeen(this.#init.sql, resolved.value, this.#init.thread(), rev);
  }

  async #carryOut(plans: readonly Plan[], cause: FileCause): Promise<FileOutcome<readonly FileEntry[]>> {
    const { objects, begin } = this.#init;
    const large = this.#toUpload(plans);
    const first = plans.find(({ body }) => body !== null && large.has(body.hash));
    if (first !== undefined && !objects.available) return noBucket(first.change.path);
    const uploads = [...large.values()].map(
      (bytes): Upload<unknown> =>
        (bucket, key) =>
          bucket.put(key, bytes),
    );
    const hashes = [...large.keys()];
    return objects.add(begin, uploads, async (added) =>
      this.#commit(
        plans.map((plan) => uploaded(plan, hashes, added)),
        cause,
      ),
    );
  }

  /** The large bodies that are not stored yet, by hash. */
  #toUpload(plans: readonly Plan[]): ReadonlyMap<string, Uint8Array> {
    const large = new Map<string, Uint8Array>();
    for (const { body } of plans) {
      if (body === null || !('bytes' in body) || body.size <= workspaceLimits.inline) continue;
      if (!this.#init.exists() || !hasBody(this.#init.sql, body.hash)) large.set(body.hash, body.bytes);
    }
    return large;
  }

  #commitOne(plan: Plan, cause: FileCause): FileOutcome<FileEntry> {
    const written = this.#commit([plan], cause);
    if (!written.ok) return written;
    const [entry] = written.value;
    if (entry === undefined) throw new Error('A file that was written is not there.');
    return { ok: true, value: entry };
  }

  #commit(plans: readonly Plan[], cause: FileCause): FileOutcome<readonly FileEntry[]> {
    const { sql, now, commit, objects } = this.#init;
    const written = outcomeOf(() =>
      commit(() =>
        revise(sql, (tree, bodies) => {
          for (const { change, body } of plans) {
            const states = apply(sql, tree, change, now());
            if (states.size === 0) continue;
            if (body !== null) bodies.added += storeBody(sql, body);
            const other = change.type === 'move' ? change.to : null;
            note(sql, tree.rev, cause, { path: change.path, other, states });
          }
          return plans.flatMap(({ change }) => {
            const entry = change.type === 'delete' ? null : tree.at(change.type === 'move' ? change.to : change.path);
            return entry === null ? [] : [entry];
          });
        }),
      ),
    );
    void objects.sweep();
    return written;
  }
}

/** Undoes what is meant, within a transaction of the caller's. Gives the paths that changed. What is refused is thrown, as a Refusal. */
export function undo(sql: SqlStorage, what: UndoTarget): Committed<readonly string[]> {
  const target = 'path' in what ? { path: valueOf(resolvePath(what.path)) } : what;
  return revise(sql, (tree, bodies) => {
    const paths = undoable(sql, target).flatMap((id) => {
      const undone = undoChange(sql, tree, id);
      bodies.released.push(...undone.bodies);
      return undone.paths;
    });
    return [...new Set(paths)].sort();
  });
}

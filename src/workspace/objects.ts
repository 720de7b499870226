import { type Logger, randomId } from '../core/index.ts';
import { forgetObjects, looseObject, looseObjects } from './loose.ts';

/** A bucket of R2, as far as a workspace uses it. */
export interface Bucket {
  put(key: string, bytes: Uint8Array): Promise<unknown>;
  get(
    key: string,
    options: { readonly range: { readonly offset: number; readonly length: number } },
  ): Promise<BucketObject | null>;
  delete(keys: string[]): Promise<void>;
  createMultipartUpload(key: string): Promise<BucketUpload>;
}

/** What is read of an object. */
export interface BucketObject {
  readonly body: ReadableStream<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** An upload in parts: each but the last of one size, 5 MiB at least. */
export interface BucketUpload {
  uploadPart(number: number, bytes: Uint8Array): Promise<BucketPart>;
  complete(parts: BucketPart[]): Promise<unknown>;
  abort(): Promise<void>;
}

/** The receipt of a part. */
export interface BucketPart {
  partNumber: number;
  etag: string;
}

/** Who counts which sessions of a participant hold an object: a fork holds those of the session that it comes from. */
export interface Holders {
  /** This session holds the objects, from now on. */
  hold(keys: readonly string[]): Promise<void>;
  /** It does no longer; gives those that no session holds. What was released before may be released again. */
  release(keys: readonly string[]): Promise<readonly string[]>;
}

/** What the objects of a session stand on. `prefix` is the participant's, since sessions may share an object. */
export interface ObjectsInit {
  readonly sql: SqlStorage;
  readonly bucket: Bucket | null;
  readonly holders: Holders;
  readonly prefix: string;
  readonly logger: Logger;
  /** Whether the session has tables. */
  readonly exists: () => boolean;
}

/** Writes an object under a key. */
export type Upload<T> = (bucket: Bucket, key: string) => Promise<T>;

/** What was uploaded, and under which key. */
export interface Added<T> {
  readonly key: string;
  readonly uploaded: T;
}

/** The most keys that R2 deletes at once. */
const deleteLimit = 1000;

/**
 * The large bodies of a session, in R2. An object is written once, under a random key, and never changed. Before its upload begins its key stands among the
 * loose ones, and the commit that uses it takes it off: whatever breaks off leaves a loose key, and `sweep` deletes what nobody uploads or holds.
 */
export class Objects {
  readonly #init: ObjectsInit;
  readonly #uploading = new Set<string>();
  #sweeping: Promise<void> | null = null;

  constructor(init: ObjectsInit) {
    this.#init = init;
  }

  /** True when there is a bucket. */
  get available(): boolean {
    return this.#init.bucket !== null;
  }

  /**
   * Has each of `uploads` write a new object, and `use` commit what names them; what is not used by then is deleted. Throws what they throw, and when there
   * is no bucket. `begin` makes the session's tables, if there are none.
   */
  async add<T, U>(begin: () => void, uploads: readonly Upload<T>[], use: (added: readonly Added<T>[]) => Promise<U>): Promise<U> {
    if (uploads.length === 0) return use([]);
    const { bucket, holders, prefix, sql } = this.#init;
    if (bucket === null) throw new Error('There is no bucket for files.');
    const keys = uploads.map(() => `${prefix}/${randomId('file')}`);
    for (const key of keys) this.#uploading.add(key);
    try {
      begin();
      for (const key of keys) looseObject(sql, key);
      await holders.hold(keys);
      const added: Added<T>[] = [];
      for (const [index, upload] of uploads.entries()) {
        const key = keys[index] ?? '';
        added.push({ key, uploaded: await upload(bucket, key) });
      }
      return await use(added);
    } finally {
      await this.#settle(keys);
    }
  }

  /** A part of an object. Throws when it is not there. */
  async read(key: string, offset: number, length: number): Promise<BucketObject> {
    const object = await this.#init.bucket?.get(key, { range: { offset, length } });
    if (object === null || object === undefined) throw new Error('The object of a file is missing.');
    return object;
  }

  /** Deletes the loose objects that nobody uploads. Never throws: what could not be deleted is tried again with the next sweep. */
  async sweep(): Promise<void> {
    try {
      await this.clear();
    } catch (error) {
      this.#init.logger.warn('Objects that no file needs could not be deleted', { error });
    }
  }

  /** Deletes the loose objects that nobody uploads. Throws when it cannot. */
  async clear(): Promise<void> {
    while (this.#sweeping !== null) await this.#sweeping.catch(() => {});
    this.#sweeping = this.#clear();
    try {
      await this.#sweeping;
    } finally {
      this.#sweeping = null;
    }
  }

  /** Gives up what is being uploaded: no commit can use it any more. Call it before `clear` when the session is erased. */
  abandon(): void {
    this.#uploading.clear();
  }

  /** After an upload. What was abandoned meanwhile is in no row. */
  async #settle(keys: readonly string[]): Promise<void> {
    const { bucket, holders } = this.#init;
    const abandoned = keys.filter((key) => !this.#uploading.delete(key));
    if (abandoned.length === 0) return void this.sweep();
    await holders.release(abandoned);
    await bucket?.delete([...abandoned]);
  }

  async #clear(): Promise<void> {
    const { sql, bucket, holders, exists } = this.#init;
    while (exists()) {
      const keys = looseObjects(sql)
        .filter((key) => !this.#uploading.has(key))
        .slice(0, deleteLimit);
      if (keys.length === 0 || bucket === null) return;
      const free = await holders.release(keys);
      if (free.length > 0) await bucket.delete([...free]);
      forgetObjects(sql, keys);
    }
  }
}

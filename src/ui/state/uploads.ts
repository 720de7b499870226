import { type Signal, signal } from '@preact/signals';
import { ApiError } from './api.ts';
import { pathIn } from './file-entry.ts';
import type { FileThere, WriteInit } from './file-routes.ts';

/** Where an upload stands. `asks`: a person must say whether to go on; `done` leaves the list. */
export type UploadState = 'waiting' | 'sending' | 'asks' | 'failed';

/** A file on its way to the workspace; with `archive`, one that is unpacked below the folder `path`. */
export interface Upload {
  readonly id: number;
  readonly path: string;
  readonly name: string;
  readonly body: Blob;
  readonly archive: boolean;
  readonly state: UploadState;
  /** How much of it is on its way, from 0 to 1. */
  readonly share: number;
  /** What it asks of a person, or why it failed; empty otherwise. */
  readonly detail: string;
  /** The content that it may replace. Null: none. */
  readonly replaces: string | null;
}

/** A file to be brought in: where to, and its bytes. */
export interface Incoming {
  readonly path: string;
  readonly name: string;
  readonly body: Blob;
  readonly archive: boolean;
}

/** What sends the bytes. */
export interface UploadPort {
  write(path: string, body: Blob, init: WriteInit): Promise<void>;
  unpack(folder: string, body: Blob, init: Pick<WriteInit, 'signal' | 'onShare'>): Promise<void>;
  there(path: string): Promise<FileThere | null>;
}

/** Files on their way, sent one after the other. Nothing is overwritten that a person was not asked about: a file that exists, and an archive. */
export class Uploads {
  readonly list: Signal<readonly Upload[]> = signal([]);
  readonly #port: UploadPort;
  readonly #aborts = new Map<number, AbortController>();
  #next = 1;
  #busy = false;

  constructor(port: UploadPort) {
    this.#port = port;
  }

  /** Takes files; they go in order. An archive waits for a person's leave, since it replaces files of the same names. */
  add(files: readonly Incoming[]): void {
    const added = files.map((file): Upload => {
      const state = file.archive ? 'asks' : 'waiting';
      return { ...file, id: this.#next++, state, share: 0, detail: '', replaces: null };
    });
    this.list.value = [...this.list.value, ...added];
    void this.#work();
  }

  /** The person's leave, for one that asks; another attempt, for one that failed. */
  go(id: number): void {
    this.#change(id, { state: 'waiting', detail: '', share: 0 });
    void this.#work();
  }

  /** An archive goes as it is, as one file. */
  asFile(id: number): void {
    const upload = this.list.value.find((one) => one.id === id);
    if (upload !== undefined) this.#change(id, { archive: false, path: pathIn(upload.path, upload.name) });
    this.go(id);
  }

  /** Takes it off the list, and stops it if it is on its way. */
  drop(id: number): void {
    this.list.value = this.list.value.filter((one) => one.id !== id);
    this.#aborts.get(id)?.abort();
  }

  async #work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#waiting(); next !== undefined; next = this.#waiting()) await this.#send(next);
    this.#busy = false;
  }

  #waiting(): Upload | undefined {
    return this.list.value.find((one) => one.state === 'waiting');
  }

  async #send({ id, path, body, archive, replaces }: Upload): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    this.#change(id, { state: 'sending' });
    const init = { signal: abort.signal, onShare: (share: number) => this.#change(id, { share }) };
    try {
      if (archive) await this.#port.unpack(path, body, init);
      else await this.#port.write(path, body, { ...init, replaces });
      this.drop(id);
    } catch (error) {
      if (abort.signal.aborted) return;
      if (error instanceof ApiError && error.status === 412) await this.#ask(id, path, replaces !== null);
      else this.#change(id, { state: 'failed', detail: error instanceof Error ? error.message : 'It could not be sent.' });
    } finally {
      this.#aborts.delete(id);
    }
  }

  /** Something stands there: what, and may it be replaced? */
  async #ask(id: number, path: string, again: boolean): Promise<void> {
    try {
      const there = await this.#port.there(path);
      if (there === null) this.#change(id, { state: 'failed', detail: 'A folder of this name is there.' });
      else {
        const detail = again ? 'It has changed meanwhile. Replace it all the same?' : 'A file of this name is there. Replace it?';
        this.#change(id, { state: 'asks', detail, replaces: there.etag });
      }
    } catch (error) {
      // It is gone again: another attempt may write it.
      this.#change(id, { state: 'failed', detail: error instanceof Error ? error.message : '', replaces: null });
    }
  }

  #change(id: number, change: Partial<Upload>): void {
    this.list.value = this.list.value.map((one) => (one.id === id ? { ...one, ...change } : one));
  }
}

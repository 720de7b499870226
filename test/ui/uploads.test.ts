import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/ui/state/api.ts';
import type { FileThere } from '../../src/ui/state/file-routes.ts';
import { type Incoming, type UploadPort, Uploads } from '../../src/ui/state/uploads.ts';

const body = new Blob(['x']);
const file = (path: string): Incoming => ({ path, name: path, body, archive: false });
const exists = new ApiError(412, 'precondition_failed', 'It is there.');

interface Write {
  readonly path: string;
  readonly replaces: string | null;
  readonly share: (share: number) => void;
  readonly signal: AbortSignal;
  readonly end: PromiseWithResolvers<void>;
}

/** A server that takes what it is sent when the test says so. */
class Table implements UploadPort {
  readonly writes: Write[] = [];
  readonly unpacked: string[] = [];
  found: FileThere | null | Error = { etag: '"e"', size: 3 };
  readonly uploads = new Uploads(this);

  write: UploadPort['write'] = (path, _body, { replaces, onShare, signal }) => {
    const end = Promise.withResolvers<void>();
    this.writes.push({ path, replaces, share: onShare, signal, end });
    return end.promise;
  };
  unpack: UploadPort['unpack'] = (folder) => {
    this.unpacked.push(folder);
    return Promise.resolve();
  };
  there: UploadPort['there'] = () => (this.found instanceof Error ? Promise.reject(this.found) : Promise.resolve(this.found));

  get states(): readonly string[] {
    return this.uploads.list.value.map((one) => `${one.path} ${one.state}`);
  }

  /** Ends the newest request, and lets what follows from it happen. */
  async end(error?: Error): Promise<void> {
    const write = this.writes.at(-1);
    if (error === undefined) write?.end.resolve();
    else write?.end.reject(error);
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

describe('files on their way', () => {
  it('go one after the other, only where nothing stands, and leave the list', async () => {
    const table = new Table();
    table.uploads.add([file('a'), file('b')]);
    await table.settle();
    expect(table.states).toEqual(['a sending', 'b waiting']);
    expect(table.writes.map(({ path, replaces }) => [path, replaces])).toEqual([['a', null]]);
    table.writes[0]?.share(0.5);
    expect(table.uploads.list.value[0]?.share).toBe(0.5);
    await table.end();
    expect(table.states).toEqual(['b sending']);
    await table.end();
    expect(table.states).toEqual([]);
    table.uploads.add([file('c')]);
    await table.settle();
    expect(table.writes).toHaveLength(3);
  });

  it('FILES-02 replace nothing unasked, and then only what was there when it was asked', async () => {
    const table = new Table();
    table.uploads.add([file('a'), file('b')]);
    await table.settle();
    await table.end(exists);
    expect(table.states).toEqual(['a asks', 'b sending']);
    expect(table.uploads.list.value[0]?.detail).toContain('Replace it?');
    await table.end();
    table.uploads.go(table.uploads.list.value[0]?.id ?? 0);
    await table.settle();
    expect(table.writes.at(-1)?.replaces).toBe('"e"');
    table.found = { etag: '"f"', size: 1 };
    await table.end(exists);
    expect(table.uploads.list.value[0]).toMatchObject({ state: 'asks', replaces: '"f"' });
    expect(table.uploads.list.value[0]?.detail).toContain('changed meanwhile');
  });

  it('say when a folder is in the way, and try again where the file is gone by now', async () => {
    const table = new Table();
    table.found = null;
    table.uploads.add([file('a')]);
    await table.settle();
    await table.end(exists);
    expect(table.uploads.list.value[0]?.detail).toContain('folder');
    table.found = new ApiError(404, 'not_found', 'Gone.');
    table.uploads.go(1);
    await table.settle();
    await table.end(exists);
    expect(table.uploads.list.value[0]).toMatchObject({ state: 'failed', detail: 'Gone.', replaces: null });
  });

  it('stay on the list when they fail, and go again on demand', async () => {
    const table = new Table();
    table.uploads.add([file('a')]);
    await table.settle();
    await table.end(new ApiError(413, 'too_large', 'Too large.'));
    expect(table.uploads.list.value[0]).toMatchObject({ state: 'failed', detail: 'Too large.' });
    table.uploads.go(1);
    await table.settle();
    expect(table.states).toEqual(['a sending']);
    await table.end();
    expect(table.states).toEqual([]);
  });

  it('stop when they are dropped, and the next one goes', async () => {
    const table = new Table();
    table.uploads.add([file('a'), file('b')]);
    await table.settle();
    table.uploads.drop(1);
    expect(table.writes[0]?.signal.aborted).toBe(true);
    await table.end(new ApiError(0, 'unreachable', ''));
    expect(table.states).toEqual(['b sending']);
  });

  it('wait for leave where they are an archive, or go as a file', async () => {
    const table = new Table();
    const archive = { path: 'src', name: 'p.zip', body, archive: true };
    table.uploads.add([archive, archive]);
    await table.settle();
    expect(table.states).toEqual(['src asks', 'src asks']);
    expect(table.writes).toEqual([]);
    table.uploads.go(1);
    await table.settle();
    expect(table.unpacked).toEqual(['src']);
    expect(table.states).toEqual(['src asks']);
    table.uploads.asFile(2);
    await table.settle();
    expect(table.states).toEqual(['src/p.zip sending']);
    expect(table.unpacked).toHaveLength(1);
  });
});

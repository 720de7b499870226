import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Api } from '../../src/ui/state/api.ts';
import type { FileEntry } from '../../src/ui/state/file-entry.ts';
import { Files } from '../../src/ui/state/files.ts';

const entry = (path: string, kind: FileEntry['kind'] = 'file'): FileEntry => {
  return { path, kind, rev: 1, hash: 'h', size: 1, executable: false, modified: 0 };
};

/** A server whose answers the test gives, each request when it comes. */
class Table {
  readonly requests: { readonly method: string; readonly path: string; readonly headers: Headers }[] = [];
  readonly files = new Files(new Api(signal('token'), 'test'), 's');
  answer: (path: string, headers: Headers) => Response | Promise<Response> = () => list([]);

  constructor() {
    vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      this.requests.push({ method: init.method ?? '', path: address, headers });
      return address.includes('/changes?') ? Response.json({ changes: [], cursor: null }) : this.answer(address, headers);
    });
  }

  /** The requests for files, as paths without what all have. */
  get asked(): readonly string[] {
    return this.requests
      .filter(({ path }) => !path.includes('/changes'))
      .map(({ path }) => path.replace('/api/sessions/s/files', ''));
  }

  names(folder = ''): unknown {
    return this.files.tree.value.folders.get(folder)?.entries?.map((one) => one.path);
  }
}

function list(entries: readonly FileEntry[], rev = 1, cursor: string | null = null): Response {
  return Response.json({ path: '', rev, entries, cursor });
}

function part(text: string | Uint8Array<ArrayBuffer>, size: number, etag = '"e"'): Response {
  return new Response(text, { status: 206, headers: { etag, 'content-range': `bytes 0-9/${size}` } });
}

function problem(status: number, code: string): Response {
  return new Response(JSON.stringify({ code, detail: code }), { status });
}

describe('the files of a session in a tab', () => {
  let table: Table;
  beforeEach(() => void (table = new Table()));
  afterEach(() => void vi.unstubAllGlobals());
  const settle = (): Promise<unknown> => vi.waitFor(() => expect(table.files.content.value.kind).not.toBe('loading'));

  it('are read when their revision rises, and not again for the same one', async () => {
    table.answer = () => list([entry('a')]);
    await table.files.refresh(3);
    expect([table.asked, table.names()]).toEqual([['?limit=200'], ['a']]);
    await table.files.refresh(3);
    expect(table.asked).toHaveLength(1);
    expect(table.requests[0]?.headers.get('authorization')).toBe('Bearer token');
  });

  it('are read once more for all that changed during a reading', async () => {
    const gate = Promise.withResolvers<Response>();
    table.answer = () => gate.promise;
    const reading = table.files.refresh(1);
    table.answer = () => list([entry('b')], 4);
    for (const rev of [2, 3, 4]) void table.files.refresh(rev);
    gate.resolve(list([entry('a')]));
    await reading;
    expect([table.asked.length, table.names()]).toEqual([2, ['b']]);
  });

  it('of a session that was erased leave nothing behind', async () => {
    table.answer = () => list([entry('src', 'folder')], 9);
    await table.files.refresh(9);
    table.answer = () => list([], 1);
    await table.files.refresh(1);
    expect(table.names()).toEqual([]);
  });

  it('are asked for by paths of any characters, folder by folder and page by page', async () => {
    table.answer = () => list([], 1, 'x/y');
    await table.files.refresh(1);
    table.files.toggle('a b/ü#?');
    await vi.waitFor(() => expect(table.names('a b/ü#?')).toEqual([]));
    await table.files.more('');
    expect(table.asked).toEqual(['?limit=200', '/a%20b/%C3%BC%23%3F?limit=200', '?limit=200&cursor=x%2Fy']);
    table.files.toggle('a b/ü#?');
    expect(table.files.tree.value.open.has('a b/ü#?')).toBe(false);
  });

  it('close a folder that is gone, and say why another cannot be read', async () => {
    await table.files.refresh(1);
    table.answer = () => problem(404, 'not_found');
    table.files.toggle('gone');
    await vi.waitFor(() => expect(table.files.tree.value.folders.has('gone')).toBe(false));
    table.answer = () => problem(503, 'unavailable');
    table.files.again('');
    await vi.waitFor(() => expect(table.files.tree.value.folders.get('')?.failure).toBe('unavailable'));
  });

  it('show the beginning of a text, and read it again only when it has changed', async () => {
    table.answer = () => part('hello', 900_000);
    table.files.show('a.txt');
    await settle();
    expect(table.files.content.value).toMatchObject({ kind: 'text', text: 'hello', size: 900_000, cut: true });
    expect(table.requests.at(-1)?.headers.get('range')).toBe('bytes=0-262143');
    const before = table.files.content.value;
    table.answer = (path, headers) =>
      path.includes('a.txt')
        ? headers.get('if-none-match') === '"e"'
          ? new Response(null, { status: 304 })
          : part('no', 2)
        : list([]);
    await table.files.refresh(2);
    expect(table.files.content.value).toBe(before);
    table.answer = (path) => (path.includes('a.txt') ? part('newer', 5, '"f"') : list([]));
    await table.files.refresh(3);
    expect(table.files.content.value).toMatchObject({ text: 'newer', cut: false });
  });

  it('show an empty file, of which no range can be had, and what is no text by its size', async () => {
    table.answer = () => problem(416, 'range_not_satisfiable');
    table.files.show('empty');
    await settle();
    expect(table.files.content.value).toMatchObject({ kind: 'text', text: '', size: 0 });
    table.answer = () => part(new Uint8Array([0, 1]), 2);
    table.files.show('data');
    await settle();
    expect(table.files.content.value).toMatchObject({ kind: 'binary', size: 2 });
    table.answer = () => problem(404, 'not_found');
    table.files.show('none');
    await settle();
    expect(table.files.content.value).toEqual({ kind: 'failed', detail: 'not_found' });
  });

  it('do not show what comes late of a file that is not in view any more', async () => {
    const gate = Promise.withResolvers<Response>();
    table.answer = () => gate.promise;
    table.files.show('slow');
    table.answer = () => part('fast', 4);
    table.files.show('fast');
    await settle();
    gate.resolve(part('slow', 4));
    await table.files.refresh(1);
    expect(table.files.content.value).toMatchObject({ text: 'fast' });
  });

  it('are deleted only as they were seen, a folder whatever is in it', async () => {
    table.answer = () => new Response(null, { status: 204 });
    await table.files.remove({ path: 'a', hash: 'h' });
    await table.files.remove({ path: 'src', hash: '' });
    expect(table.requests.map(({ method, headers }) => [method, headers.get('if-match')])).toEqual([
      ['DELETE', '"h"'],
      ['DELETE', null],
    ]);
  });

  it('are there or not: what an upload would replace', async () => {
    table.answer = () => new Response(null, { headers: { etag: '"h"', 'content-length': '7' } });
    expect(await table.files.routes.there('a')).toEqual({ etag: '"h"', size: 7 });
    table.answer = () => new Response(null);
    expect(await table.files.routes.there('src')).toBeNull();
  });
});

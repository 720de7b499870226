import { strFromU8, unzipSync, zipSync } from 'fflate';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { workspaceLimits } from '../../src/workspace/index.ts';
import type { SessionStub } from '../../src/server/objects.ts';
import { post, problemIn, refusedAs, type Send, signedIn, somebody, tokenServer } from './support.ts';

const base = '/api/sessions/work/files';

function put(body: BodyInit, headers: Record<string, string> = {}): RequestInit {
  return { method: 'PUT', body, headers };
}

async function written(send: Send, path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<JsonObject> {
  const answer = await send(`${base}/${path}`, put(body, headers));
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** The text of an answer, whatever its media type. */
async function textOf(answer: Response | Promise<Response>): Promise<string> {
  return new TextDecoder().decode(await (await answer).arrayBuffer());
}

async function listed(send: Send, path = ''): Promise<string[]> {
  const answer = await (await send(`${base}${path}`)).json<{ entries: { path: string; kind: string }[] }>();
  return answer.entries.map(({ path: at, kind }) => (kind === 'folder' ? `${at}/` : at));
}

describe('files over HTTP', () => {
  it('WORK-01 a file is written, read, listed and deleted; the first one makes the session', async () => {
    const send = await signedIn();
    const created = await send(`${base}/src/a%20b.txt`, put('hello'));
    expect(created.status).toBe(201);
    const entry = await created.json<JsonObject>();
    expect(entry).toMatchObject({ path: 'src/a b.txt', kind: 'file', rev: 1, size: 5, executable: false });
    expect(created.headers.get('etag')).toBe(`"${String(entry.hash)}"`);
    expect((await send(`${base}/src/a%20b.txt?executable=true`, put('hello'))).status).toBe(200);
    const read = await send(`${base}/src/a%20b.txt`);
    expect([read.status, await textOf(read), read.headers.get('content-length')]).toEqual([200, 'hello', '5']);
    expect(await (await send(base)).json()).toEqual({
      path: '',
      rev: 2,
      entries: [{ path: 'src', kind: 'folder', rev: 0, hash: '', size: 0, executable: false, modified: 0 }],
      cursor: null,
    });
    expect(await listed(send, '/src')).toEqual(['src/a b.txt']);
    expect([await listed(send, '/'), await listed(send, '/src/')]).toEqual([['src/'], ['src/a b.txt']]);
    expect(await (await send('/api/sessions')).json()).toMatchObject({ sessions: [{ scope: 'work' }] });
    expect((await send(`${base}/src`, { method: 'DELETE' })).status).toBe(204);
    expect(await refusedAs(await send(`${base}/src`, { method: 'DELETE' }))).toBe('404 not_found');
    expect(await refusedAs(await send(`${base}/src/a%20b.txt`))).toBe('404 not_found');
  });

  it('WORK-01 a session that was never used has an empty folder and no files, and reading makes none', async () => {
    const send = await signedIn();
    expect(await (await send(base)).json()).toEqual({ path: '', rev: 0, entries: [], cursor: null });
    expect(await refusedAs(await send(`${base}/a`))).toBe('404 not_found');
    expect(await refusedAs(await send(`${base}/a`, { method: 'DELETE' }))).toBe('404 not_found');
    expect(await refusedAs(await send(`${base}/a`, put('x', { 'if-match': '*' })))).toBe('412 precondition_failed');
    expect(await refusedAs(await send(`${base}/a`, put(new Uint8Array(300_000), { 'if-match': '"x"' })))).toBe(
      '412 precondition_failed',
    );
    expect(unzipSync(new Uint8Array(await (await send(`${base}?archive=zip`)).arrayBuffer()))).toEqual({});
    expect(await (await send('/api/sessions')).json()).toMatchObject({ sessions: [] });
  });

  it('WORK-01 a folder is listed page by page', async () => {
    const send = await signedIn();
    for (const name of ['a', 'b/x', 'b/y', 'c']) await written(send, name, name);
    const first = await (await send(`${base}?limit=2`)).json<{ entries: { path: string }[]; cursor: string }>();
    const second = await (await send(`${base}?limit=2&cursor=${encodeURIComponent(first.cursor)}`)).json<typeof first>();
    expect([...first.entries, ...second.entries].map(({ path }) => path)).toEqual(['a', 'b', 'c']);
    expect(second.cursor).toBeNull();
    expect(await refusedAs(await send(`${base}?limit=0`))).toBe('400 bad_request');
  });

  it.each([
    ['bytes=0-2', 206, 'abc', 'bytes 0-2/6'],
    ['bytes=3-', 206, 'def', 'bytes 3-5/6'],
    ['bytes=-2', 206, 'ef', 'bytes 4-5/6'],
    ['bytes=-100', 206, 'abcdef', 'bytes 0-5/6'],
    ['bytes=4-100', 206, 'ef', 'bytes 4-5/6'],
    ['bytes=0-0,2-3', 200, 'abcdef', null],
    ['bytes=3-1', 200, 'abcdef', null],
    ['lines=1-2', 200, 'abcdef', null],
    ['bytes=-', 200, 'abcdef', null],
  ])('FILES-10 Range: %s is answered with %i and %s', async (range, status, text, contentRange) => {
    const send = await signedIn();
    await written(send, 'a', 'abcdef');
    const answer = await send(`${base}/a`, { headers: { range } });
    expect([answer.status, await textOf(answer), answer.headers.get('content-range')]).toEqual([status, text, contentRange]);
  });

  it.each(['bytes=6-', 'bytes=100-200', 'bytes=-0'])('FILES-10 Range: %s is not to be had of six bytes', async (range) => {
    const send = await signedIn();
    await written(send, 'a', 'abcdef');
    const answer = await send(`${base}/a`, { headers: { range } });
    expect(answer.headers.get('content-range')).toBe('bytes */6');
    expect(await refusedAs(answer)).toBe('416 range_not_satisfiable');
  });

  it('FILES-10 a range of another content is the whole (If-Range)', async () => {
    const send = await signedIn();
    const { hash } = await written(send, 'a', 'abcdef');
    const of = async (tag: string): Promise<number> =>
      (await send(`${base}/a`, { headers: { range: 'bytes=0-1', 'if-range': tag } })).status;
    expect([await of(`"${String(hash)}"`), await of('"other"')]).toEqual([206, 200]);
  });

  it('FILES-10 what was replaced between its tag and its bytes is judged again: no part of another content', async () => {
    const claims = { sub: somebody() };
    const send = await signedIn(claims);
    const { hash } = await written(send, 'a', 'abcdef');
    const sessions = env.SESSIONS;
    const getByName = (name: string): object => ({
      files: async (type: 'stat' | 'open', request: { path: string; range: null }) => {
        if (type === 'open' && request.range !== null) await written(send, 'a', 'xyz');
        const stub: DurableObjectStub = sessions.getByName(name);
        return (stub as SessionStub).files(type, request);
      },
    });
    const racing = await signedIn(claims, tokenServer({ SESSIONS: { getByName } }));
    const answer = await racing(`${base}/a`, { headers: { range: 'bytes=4-', 'if-range': `"${String(hash)}"` } });
    expect([answer.status, await textOf(answer)]).toEqual([200, 'xyz']);
  });

  it('FILES-10 HEAD says what GET would, without the body', async () => {
    const send = await signedIn();
    const { hash } = await written(send, 'a', 'abcdef');
    const answer = await send(`${base}/a`, { method: 'HEAD' });
    expect([answer.status, await textOf(answer), answer.headers.get('etag')]).toEqual([200, '', `"${String(hash)}"`]);
    expect(answer.headers.get('content-length')).toBe('6');
  });

  it('FILES-09 conditions are by the tag of the content', async () => {
    const send = await signedIn();
    const { hash } = await written(send, 'a', 'one');
    const tag = `"${String(hash)}"`;
    const status = async (init: RequestInit): Promise<number> => (await send(`${base}/a`, init)).status;
    expect(await status({ headers: { 'if-none-match': tag } })).toBe(304);
    expect(await status({ headers: { 'if-none-match': `"x", W/${tag}` } })).toBe(304);
    expect(await status({ headers: { 'if-none-match': '"x"' } })).toBe(200);
    expect(await status(put('two', { 'if-none-match': '*' }))).toBe(412);
    expect(await status(put('two', { 'if-match': '"x"' }))).toBe(412);
    expect(await status(put('two', { 'if-match': `W/${tag}` }))).toBe(412);
    expect(await status({ method: 'DELETE', headers: { 'if-match': '"x"' } })).toBe(412);
    expect(await textOf(send(`${base}/a`))).toBe('one');
    expect(await status(put('two', { 'if-match': `"x", ${tag}` }))).toBe(200);
    expect(await status(put('three', { 'if-match': tag }))).toBe(412);
    expect(await status(put('three', { 'if-match': '*' }))).toBe(200);
    expect(await status({ method: 'DELETE', headers: { 'if-match': '*' } })).toBe(204);
    expect(await status(put('four', { 'if-none-match': '*' }))).toBe(201);
  });

  it('SESS-20 a file is a download in a sandbox, whatever it is called and whatever is in it', async () => {
    const send = await signedIn();
    await written(send, 'x\'y".html', '<script>alert(1)</script>');
    const answer = await send(`${base}/x'y".html`);
    await textOf(answer);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''x%27y%22.html");
  });

  it.each([
    ['%2E%2E%2Fa', '422 path_refused'],
    ['a%2F..%2F..%2Fb', '422 path_refused'],
    ['%2Fetc%2Fpasswd', '422 path_refused'],
    ['a%5Cb', '422 path_refused'],
    ['a%00b', '422 path_refused'],
    ['x'.repeat(256), '422 path_refused'],
  ])('FILES-02 WORK-02 %s is refused, to write, to read and to delete', async (path, refusal) => {
    const send = await signedIn();
    expect(await refusedAs(await send(`${base}/${path}`, put('x')))).toBe(refusal);
    expect(await refusedAs(await send(`${base}/${path}`))).toBe(refusal);
    expect(await refusedAs(await send(`${base}/${path}`, { method: 'DELETE' }))).toBe(refusal);
  });

  it('FILES-01 what cannot stand there is refused with what does', async () => {
    const send = await signedIn();
    await written(send, 'd/f', 'x');
    expect(await refusedAs(await send(`${base}/d`, put('x')))).toBe('409 is_folder');
    expect(await refusedAs(await send(`${base}/d/f/g`, put('x')))).toBe('409 exists');
    expect(await refusedAs(await send(`${base}/d/f?archive=zip`))).toBe('400 bad_request');
    expect(await refusedAs(await send(`${base}/d/g?executable=yes`, put('x')))).toBe('400 bad_request');
  });

  it('SESS-20 a viewer reads and changes nothing, nobody else sees anything', async () => {
    const sub = somebody();
    const send = await signedIn({ sub });
    await written(send, 'a', 'x');
    const viewer = await signedIn({ sub, role: 'viewer' });
    expect(await textOf(viewer(`${base}/a`))).toBe('x');
    expect(await refusedAs(await viewer(`${base}/a`, put('y')))).toBe('403 forbidden');
    expect(await refusedAs(await viewer(`${base}/a`, { method: 'DELETE' }))).toBe('403 forbidden');
    expect(await refusedAs(await viewer('/api/sessions/work/undo', post({ path: 'a' })))).toBe('403 forbidden');
    expect(await refusedAs(await (await signedIn())(`${base}/a`))).toBe('404 not_found');
  });

  it('SUB-04 of a nested session files are only read', async () => {
    const send = await signedIn();
    const child = '/api/sessions/work%3A%3Asub%3A%3Ahelper';
    expect(await (await send(`${child}/files`)).json()).toMatchObject({ entries: [] });
    expect(await refusedAs(await send(`${child}/files/a`, put('x')))).toBe('403 forbidden');
    expect(await refusedAs(await send(`${child}/files/a`, { method: 'DELETE' }))).toBe('403 forbidden');
    expect(await refusedAs(await send(`${child}/undo`, post({ path: 'a' })))).toBe('403 forbidden');
  });

  it('WORK-01 a large file goes up and down as a stream, with ranges', async () => {
    const send = await signedIn();
    const bytes = new Uint8Array(9 * 1024 * 1024).map((_, at) => (at * 31) % 251);
    const body = new Blob([bytes]).stream();
    expect((await send(`${base}/large`, put(body))).status).toBe(201);
    const whole = new Uint8Array(await (await send(`${base}/large`)).arrayBuffer());
    expect(Buffer.from(whole).equals(Buffer.from(bytes))).toBe(true);
    const part = await send(`${base}/large`, { headers: { range: 'bytes=5000000-5000009' } });
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(5_000_000, 5_000_010));
  });

  it('WORK-01 a file above the limit is refused by its length, or when it comes to it', async () => {
    const send = await signedIn();
    const limit = String(workspaceLimits.file + 1);
    expect(await refusedAs(await send(`${base}/a`, put('x', { 'content-length': limit })))).toBe('413 too_large');
    let given = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 1;
        controller.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    expect(await refusedAs(await send(`${base}/a`, put(endless)))).toBe('413 too_large');
    expect(given).toBeLessThan(60);
    expect(await listed(send)).toEqual([]);
  });
});

describe('archives over HTTP', () => {
  it('WORK-01 a project is brought in and taken home', async () => {
    const send = await signedIn();
    const archive = zipSync({ 'a.txt': new TextEncoder().encode('one'), 'b/c': new TextEncoder().encode('two') });
    const answer = await send(`${base}/p?archive=zip`, put(archive));
    expect([answer.status, await answer.json()]).toEqual([200, { written: 2 }]);
    expect((await send(`${base}?archive=zip`, put(zipSync({ root: new Uint8Array() })))).status).toBe(200);
    expect(await listed(send)).toEqual(['p/', 'root']);
    const down = await send(`${base}/p?archive=zip`);
    expect(down.headers.get('content-type')).toBe('application/zip');
    expect(down.headers.get('content-disposition')).toContain('p.zip');
    const files = unzipSync(new Uint8Array(await down.arrayBuffer()));
    expect(Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, strFromU8(bytes)]))).toEqual({
      'a.txt': 'one',
      'b/c': 'two',
    });
    const all = await send(`${base}?archive=zip`);
    expect(all.headers.get('content-disposition')).toContain('work.zip');
    expect(Object.keys(unzipSync(new Uint8Array(await all.arrayBuffer())))).toEqual(['p/a.txt', 'p/b/c', 'root']);
  });

  it.each<[string, BodyInit, string]>([
    ['no archive', 'hello', '400 bad_request'],
    ['a way out', zipSync({ ok: new Uint8Array(1), '../evil': new Uint8Array(1) }), '422 path_refused'],
    ['a bomb', zipSync({ ok: new Uint8Array(1), bomb: new Uint8Array(8_000_000) }), '413 too_large'],
    ['too many bytes', new Uint8Array(workspaceLimits.archive + 1), '413 too_large'],
    ['too many bytes in a stream', new Blob([new Uint8Array(workspaceLimits.archive + 1)]).stream(), '413 too_large'],
  ])('FILES-02 an archive that is %s is refused as a whole', async (_, body, refusal) => {
    const send = await signedIn();
    expect(await refusedAs(await send(`${base}/in?archive=zip`, put(body)))).toBe(refusal);
    expect(await listed(send)).toEqual([]);
  });
});

describe('undo over HTTP', () => {
  it('FILES-08 the journal is had page by page, newest first, without what is undone', async () => {
    const send = await signedIn();
    const changes = async (query: string): Promise<{ changes: JsonObject[]; cursor: number | null }> =>
      (await send(`/api/sessions/work/changes${query}`)).json();
    expect(await changes('')).toEqual({ changes: [], cursor: null });
    const { hash } = await written(send, 'd/a', 'one');
    await send(`${base}/d`, { method: 'DELETE' });
    await written(send, 'b', 'two');
    const content = { hash, size: 3 };
    expect(await changes('?limit=2')).toMatchObject({
      changes: [
        { id: 3, path: 'b' },
        { id: 2, path: 'd' },
      ],
      cursor: 2,
    });
    expect(await changes('?limit=2&before=2')).toEqual({
      changes: [
        {
          id: 1,
          rev: 1,
          call: null,
          turn: null,
          path: 'd/a',
          other: null,
          files: [{ path: 'd/a', before: null, after: content }],
        },
      ],
      cursor: null,
    });
    expect((await changes('?before=3')).changes[0]).toMatchObject({
      path: 'd',
      files: [{ path: 'd/a', before: content, after: null }],
    });
    await send('/api/sessions/work/undo', post({ path: 'd/a' }));
    expect((await changes('')).changes.map(({ id }) => id)).toEqual([3, 1]);
    expect(await refusedAs(await send('/api/sessions/work/changes?before=x'))).toBe('400 bad_request');
  });

  it('FILES-08 FILES-09 takes the newest change back, once for each id, and says when the file changed since', async () => {
    const send = await signedIn();
    await written(send, 'a', 'one');
    await written(send, 'a', 'two');
    const undo = post({ path: 'a', id: 'undo-1' });
    const answer = await send('/api/sessions/work/undo', undo);
    expect([answer.status, await answer.json()]).toEqual([202, { undone: ['a'] }]);
    expect(await (await send('/api/sessions/work/undo', undo)).json()).toEqual({ undone: ['a'] });
    expect(await textOf(send(`${base}/a`))).toBe('one');
    expect(await refusedAs(await send('/api/sessions/work/undo', post({ path: 'b' })))).toBe('404 not_found');
    expect(await refusedAs(await send('/api/sessions/work/undo', post({ turn: 7 })))).toBe('404 not_found');
    expect(await refusedAs(await send('/api/sessions/work/undo', post({ path: '../b' })))).toBe('422 path_refused');
    expect(await refusedAs(await send('/api/sessions/work/undo', post({})))).toBe('400 bad_request');
    const { body } = await problemIn(await send('/api/sessions/work/undo', post({ path: 'a', turn: 1 })));
    expect(body).toMatchObject({ code: 'bad_request' });
  });
});

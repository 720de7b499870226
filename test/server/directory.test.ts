import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import first from '../../migrations/directory/0001.sql';
import second from '../../migrations/directory/0002.sql';
import type { DirectoryApi } from '../../src/server/directory.ts';
import { directoryAddress, stubAt } from '../../src/session/address.ts';
import { migrate } from '../../src/session/migrations.ts';
import type { Summary } from '../../src/session/protocol/index.ts';
import { TestSession } from '../session/support.ts';
import { post, refusedAs, type Send, signedIn, somebody } from './support.ts';

function summary(scope: string, change: Partial<Summary> = {}): Summary {
  const blank = {
    title: scope,
    status: 'idle',
    mode: 'chat',
    model: null,
    updated: 1000,
    created: 1000,
    needs: 0,
    last: '',
  } as const;
  return { scope, ...blank, ...change };
}

function directory(participant = somebody()): DurableObjectStub & DirectoryApi {
  const directories: DurableObjectNamespace = env.DIRECTORY;
  return stubAt(directories, directoryAddress({ jurisdiction: null, participant })) as DurableObjectStub & DirectoryApi;
}

/** Asks the object itself, without a call over the wire for each question. */
function within<T>(of: DurableObjectStub, work: (directory: DirectoryApi) => Promise<T>): Promise<T> {
  return runInDurableObject(of, (instance) => work(instance as unknown as DirectoryApi));
}

const all = { cursor: null, limit: 50, q: null, within: null };

async function listed(
  of: DirectoryApi,
  query: Partial<typeof all | { q: string; cursor: string; within: string }> = {},
): Promise<string[]> {
  const page = await of.list({ ...all, ...query });
  if (!page.ok) throw new Error(page.problem.code);
  return page.value.sessions.map(({ scope }) => scope);
}

describe('the list', () => {
  it('is newest first, whatever the order of the changes', async () => {
    const of = directory();
    await of.put(summary('old', { updated: 1000 }));
    await of.put(summary('newest', { updated: 3000 }));
    await of.put(summary('middle', { updated: 2000 }));
    expect(await listed(of)).toEqual(['newest', 'middle', 'old']);
    await of.put(summary('old', { updated: 4000 }));
    expect(await listed(of)).toEqual(['old', 'newest', 'middle']);
  });

  it('gives a summary as it was put', async () => {
    const of = directory();
    const put = summary('work', {
      title: 'Ünïcode',
      status: 'awaiting_input',
      model: 'openai/m',
      created: 7,
      needs: 2,
      last: 'so far',
    });
    await of.put(put);
    expect(await of.list(all)).toEqual({ ok: true, value: { sessions: [put], cursor: null } });
  });

  it('an older summary that comes late changes nothing', async () => {
    const of = directory();
    await of.put(summary('work', { title: 'New', updated: 2000 }));
    await of.put(summary('work', { title: 'Old', updated: 1999 }));
    expect(await of.list(all)).toMatchObject({ value: { sessions: [{ title: 'New' }] } });
  });

  it('is paged, each session once, also where many changed at the same time', async () => {
    const of = directory();
    const scopes = Array.from({ length: 25 }, (_, n) => `s${String(n).padStart(2, '0')}`);
    for (const [n, scope] of scopes.entries()) await of.put(summary(scope, { updated: 1000 + Math.floor(n / 10) }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await of.list({ ...all, limit: 7, cursor });
      if (!page.ok) throw new Error(page.problem.code);
      expect(page.value.sessions.length).toBeLessThanOrEqual(7);
      seen.push(...page.value.sessions.map(({ scope }) => scope));
      cursor = page.value.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(scopes.toReversed());
  });

  it.each(['x', '1000', '.a', '1000.', '1000.a b', '99999999999999999.a'])('the cursor %s is refused', async (cursor) => {
    expect(await directory().list({ ...all, cursor })).toMatchObject({ ok: false, problem: { code: 'bad_request' } });
  });

  it('is searched by a part of the title, in any case and any form of the same letter', async () => {
    const of = directory();
    await of.put(summary('a', { title: 'Straße nach ÉVRY' }));
    await of.put(summary('b', { title: 'Evening' }));
    expect(await listed(of, { q: 'évry' })).toEqual(['a']);
    expect(await listed(of, { q: 'e\u0301vry' })).toEqual(['a']);
    expect(await listed(of, { q: 'EVE' })).toEqual(['b']);
    expect(await listed(of, { q: '' })).toHaveLength(2);
  });

  it('a search is for the text itself, of any length', async () => {
    const of = directory();
    const long = 'a long title of far more than fifty bytes, as people write them';
    await of.put(summary('a', { title: '100 % sure_thing' }));
    await of.put(summary('b', { title: long }));
    expect(await listed(of, { q: '%' })).toEqual(['a']);
    expect(await listed(of, { q: '_t' })).toEqual(['a']);
    expect(await listed(of, { q: "'" })).toEqual([]);
    expect(await listed(of, { q: long.toUpperCase() })).toEqual(['b']);
  });

  it('forgets a session that is removed', async () => {
    const of = directory();
    await of.put(summary('work'));
    await of.remove('work');
    await of.remove('work');
    expect(await listed(of)).toEqual([]);
  });

  it('outlives its object', async () => {
    const participant = somebody();
    const of = directory(participant);
    await of.put(summary('work'));
    await evictDurableObject(of);
    expect(await listed(directory(participant))).toEqual(['work']);
  });

  it('SESS-20 keeps whose it is, and with which role they last came', async () => {
    const participant = somebody();
    const of = directory(participant);
    const record = (): Promise<unknown> =>
      runInDurableObject(of, (_, { storage }) => storage.sql.exec('SELECT id, role, jurisdiction FROM participant').toArray());
    await of.admit('command', 'member');
    expect(await record()).toEqual([{ id: participant, role: 'member', jurisdiction: null }]);
    await of.admit('socket', 'operator');
    expect(await record()).toEqual([{ id: participant, role: 'operator', jurisdiction: null }]);
  });
});

describe('how many run', () => {
  const running = (scope: string, updated = 1000): Summary => summary(scope, { status: 'running', updated });

  it('each line is answered with how many other sessions began to run before it, so that of two at once one comes first', async () => {
    const of = directory();
    const both = await Promise.all([of.put(running('b')), of.put(running('a'))]);
    expect([both, await of.put(running('c'))]).toEqual([[0, 1], 2]);
    expect([await of.ahead('b'), await of.ahead('a'), await of.ahead('c')]).toEqual([0, 1, 2]);
  });

  it('a session keeps its place while it runs, also from one run to the next, and over the death of the directory', async () => {
    const participant = somebody();
    const of = directory(participant);
    for (const scope of ['a', 'b']) await of.put(running(scope));
    expect(await of.put({ ...running('a', 2000), title: 'Renamed' })).toBe(0);
    await evictDurableObject(of);
    expect(await directory(participant).put(running('b', 3000))).toBe(1);
  });

  it('one that rests, waits for answers, or is removed makes room, and begins behind the others', async () => {
    const of = directory();
    for (const scope of ['a', 'b', 'c', 'd']) await of.put(running(scope));
    expect(await of.put(summary('a', { status: 'idle' }))).toBe(0);
    await of.put(summary('b', { status: 'awaiting_input' }));
    await of.remove('c');
    expect(await of.ahead('d')).toBe(0);
    expect([await of.put(running('b')), await of.put(running('a')), await of.ahead('d')]).toEqual([1, 2, 0]);
  });

  it('an older line that comes late gives no place and takes none', async () => {
    const of = directory();
    await of.put(running('a', 2000));
    await of.put(summary('a', { status: 'idle', updated: 1000 }));
    await of.put(summary('b', { updated: 2000 }));
    expect([await of.put(running('b', 1000)), await of.put(running('c'))]).toEqual([0, 1]);
  });

  it('sessions that ran when the release came count as before all that begin later', async () => {
    const { stub } = new TestSession();
    const rows = await runInDurableObject(stub, (_, { storage }) => {
      migrate(storage, [first]);
      const insert = "INSERT INTO sessions VALUES (?, '', '', ?, 'chat', NULL, 0, 0, 0, '')";
      storage.sql.exec(insert, 'ran', 'running');
      storage.sql.exec(insert, 'rested', 'idle');
      migrate(storage, [first, second]);
      return storage.sql.exec('SELECT scope, place FROM sessions ORDER BY scope').toArray();
    });
    expect(rows).toEqual([
      { scope: 'ran', place: 0 },
      { scope: 'rested', place: null },
    ]);
  });
});

describe('GET /sessions', () => {
  it('pages and searches by its query', async () => {
    const send = await signedIn();
    for (const scope of ['a', 'b', 'c']) await send('/api/sessions', post({ scope, title: `The ${scope}` }));
    const page = async (query: string): Promise<{ sessions: Summary[]; cursor: string | null }> =>
      (await send(`/api/sessions?${query}`)).json();
    const first = await page('limit=2');
    expect(first.sessions).toHaveLength(2);
    const second = await page(`limit=2&cursor=${encodeURIComponent(first.cursor ?? '')}`);
    expect([...first.sessions, ...second.sessions].map(({ scope }) => scope).sort()).toEqual(['a', 'b', 'c']);
    expect(second.cursor).toBeNull();
    expect((await page('q=THE%20B')).sessions.map(({ scope }) => scope)).toEqual(['b']);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', `q=${'x'.repeat(201)}`])('refuses %s', async (query) => {
    const send = await signedIn();
    expect(await refusedAs(await send(`/api/sessions?${query}`))).toBe('400 bad_request');
  });
});

describe('the feed', () => {
  /** Gives what the feed says, one event at a time, comments as they are. */
  async function events(send: Send): Promise<() => Promise<string>> {
    const response = await send('/api/feed');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    if (response.body === null) throw new Error('no body');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return async () => {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          return event;
        }
        const { done, value } = await reader.read();
        if (done) return 'closed';
        text += value;
      }
    };
  }

  it('opens with a comment, then tells of every session that is created, changed, removed', async () => {
    const send = await signedIn();
    const next = await events(send);
    expect(await next()).toBe(': ');
    await send('/api/sessions', post({ scope: 'work', title: 'First' }));
    expect(JSON.parse((await next()).replace('data: ', ''))).toMatchObject({ scope: 'work', title: 'First' });
    await send('/api/sessions/work', { ...post({ title: 'Second' }), method: 'PATCH' });
    let event = await next();
    while (!event.includes('Second')) event = await next();
    await send('/api/sessions/work', { method: 'DELETE' });
    expect(await next()).toBe('event: removed\ndata: {"scope":"work"}');
  });

  it('SESS-02 tells a token with a scope only of that session, and nobody of the sessions of others', async () => {
    const sub = somebody();
    const [all, one, other] = [await signedIn({ sub }), await signedIn({ sub, scope: 'work' }), await signedIn()];
    const next = await events(one);
    await next();
    await other('/api/sessions', post({ scope: 'work', title: 'Of another' }));
    await all('/api/sessions', post({ scope: 'play', title: 'Play' }));
    await all('/api/sessions', post({ scope: 'work', title: 'Work' }));
    expect(await next()).toContain('"title":"Work"');
  });
});

describe('streams of an identity that ends', () => {
  afterEach(() => void vi.useRealTimers());

  it.each(['/api/feed', '/api/sessions/work/events'])('%s ends with it', async (path) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const send = await signedIn({ exp: Math.floor(Date.now() / 1000) + 60 });
    const { body } = await send(path);
    vi.advanceTimersByTime(59_000);
    const reader = body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    vi.advanceTimersByTime(1000);
    let last = await reader?.read();
    while (last?.done === false) last = await reader?.read();
    expect(last?.done).toBe(true);
    expect(await refusedAs(await send(path))).toBe('401 unauthenticated');
  });
});

/** Each way to change something, but for the commands, which are one route. */
const changes = [
  ['/api/sessions', 'POST'],
  ['/api/sessions/desk', 'PATCH'],
  ['/api/sessions/desk', 'DELETE'],
  ['/api/sessions/desk/turn', 'POST'],
] as const;

/** What the description of the API says of each path and method. */
interface Paths {
  readonly [path: string]: {
    readonly [method: string]: { readonly responses: { readonly [status: string]: { readonly headers?: object } } };
  };
}

describe('the flood limit', () => {
  it('admits 300 commands and 120 sockets a minute, each counted apart', async () => {
    const of = directory();
    const count = async (kind: 'command' | 'socket'): Promise<number> =>
      within(of, async (instance) => {
        let admitted = 0;
        while (admitted < 1000 && (await instance.admit(kind, 'member')) === null) admitted += 1;
        return admitted;
      });
    expect([await count('command'), await count('socket')]).toEqual([300, 120]);
  });

  it('refuses the command after that, names the time to wait, and goes on reading', async () => {
    const sub = somebody();
    const send = await signedIn({ sub });
    await within(directory(sub), async (instance) => {
      for (let n = 0; n < 300; n += 1) await instance.admit('command', 'member');
    });
    const response = await send('/api/sessions/desk/turn', post({ message: 'one more' }));
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refusedAs(response)).toBe('429 rate_limited');
    expect((await send('/api/sessions/desk')).status).toBe(200);
    expect((await send('/api/sessions/desk/socket', { headers: { upgrade: 'websocket' } })).status).toBe(101);
  });

  it('every 429 says in seconds when to come back, and the description says that it does', async () => {
    const limited = { LIMIT_COMMANDS: '1', LIMIT_SOCKETS: '1', LIMIT_SESSION: '1' };
    Object.assign(env, limited);
    const sub = somebody();
    const [send, other] = [await signedIn({ sub }), await signedIn({ sub })];
    const upgrade = { headers: { upgrade: 'websocket' } };
    const socket = (await send('/api/sessions/desk/socket', upgrade)).webSocket;
    await send('/api/sessions/desk/retry', post({}));
    const refusals = [await send('/api/sessions/desk/socket', upgrade)];
    for (const [path, method] of changes) refusals.push(await send(path, { method }));
    for (const name of Object.keys(limited)) Reflect.deleteProperty(env, name);
    // The session began with its limit, the directory begins anew without.
    await evictDurableObject(directory(sub));
    refusals.push(await other('/api/sessions/desk/retry', post({})));
    for (const response of refusals) {
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d?$/);
      expect(await refusedAs(response)).toBe('429 rate_limited');
    }
    socket?.accept();
    socket?.close();
    const { paths } = await (await other('/api/openapi.json')).json<{ paths: Paths }>();
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const counted = method !== 'get' || path.endsWith('/socket');
        if (counted) expect(Object.keys(responses['429']?.headers ?? {}), `${method} ${path}`).toEqual(['Retry-After']);
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import { bodyLimit } from '../../src/server/body.ts';
import { nestingLimit } from '../../src/session/protocol/index.ts';
import { post, problemIn, refusedAs, server, signedIn, somebody, tokenServer } from './support.ts';

const turn = '/api/sessions/work/turn';

describe('refusals', () => {
  it('an address that does not exist and a method that it does not take are problems', async () => {
    const send = await signedIn();
    expect(await refusedAs(await send('/api/nothing'))).toBe('404 not_found');
    expect(await refusedAs(await send('/api/sessions/work/files/a'))).toBe('404 not_found');
    expect(await refusedAs(await send('/api/sessions/work/turn'))).toBe('404 not_found');
    expect(await refusedAs(await send('/api/sessions', { method: 'PUT' }))).toBe('404 not_found');
    expect(await refusedAs(await send('/nothing'))).toBe('404 not_found');
  });

  it('nobody learns what exists: identity comes before everything', async () => {
    const send = tokenServer();
    const foreign = { origin: 'https://evil.example' };
    for (const path of ['/api/nothing', '/api/sessions/..%2f', '/api/doctor'])
      expect(await refusedAs(await send(path))).toBe('401 unauthenticated');
    expect(await refusedAs(await send(turn, { method: 'POST', body: '{', headers: foreign }))).toBe('401 unauthenticated');
  });

  it('a foreign origin comes before the scope, the role, and the body', async () => {
    const send = await signedIn({ role: 'viewer' });
    const foreign = { origin: 'https://evil.example' };
    expect(await refusedAs(await send('/api/sessions/-/turn', { method: 'POST', body: '{', headers: foreign }))).toBe(
      '403 origin_refused',
    );
  });

  it('what a viewer sends is not read', async () => {
    const send = await signedIn({ role: 'viewer' });
    expect(await refusedAs(await send(turn, { method: 'POST', body: '{' }))).toBe('403 forbidden');
  });

  it.each<[string, BodyInit, string]>([
    ['no JSON', '{"message":', '400 bad_request'],
    ['more than one JSON value', '{}{}', '400 bad_request'],
    ['a list', '[]', '400 bad_request'],
    ['a text', '"hello"', '400 bad_request'],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), '400 bad_request'],
    ['too deep a nesting', `{"message":${'['.repeat(nestingLimit)}${']'.repeat(nestingLimit)}}`, '400 bad_request'],
    ['a field that does not exist', '{"message":"hi","mesage":"hi"}', '400 bad_request'],
    ['a field of the wrong kind', '{"message":7}', '400 bad_request'],
    ['an id that cannot be one', '{"message":"hi","id":"é"}', '400 bad_request'],
  ])('a body of %s is refused', async (_, body, problem) => {
    const send = await signedIn();
    expect(await refusedAs(await send(turn, { method: 'POST', body }))).toBe(problem);
  });

  it('a refused body says which fields, and repeats none of their values', async () => {
    const send = await signedIn();
    const { body } = await problemIn(await send(turn, post({ message: 'hi', maxSteps: 'sk-secret' })));
    expect(body).toMatchObject({ type: 'urn:reins:problem:bad_request', issues: [{ path: 'maxSteps' }] });
    expect(JSON.stringify(body)).not.toContain('sk-secret');
  });

  it('a body of 1 MiB is read, and a byte more is refused', async () => {
    const send = await signedIn();
    const fill = (size: number): string => `{"mesage":"${'x'.repeat(size - '{"mesage":""}'.length)}"}`;
    expect(await refusedAs(await send(turn, { method: 'POST', body: fill(bodyLimit) }))).toBe('400 bad_request');
    expect(await refusedAs(await send(turn, { method: 'POST', body: fill(bodyLimit + 1) }))).toBe('413 too_large');
  });

  it('a body that does not say its length is read no further than the limit', async () => {
    const send = await signedIn();
    let given = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        given += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect(await refusedAs(await send(turn, { method: 'POST', body }))).toBe('413 too_large');
    expect(given).toBeLessThan(bodyLimit + 1_048_576);
  });

  it('what goes wrong inside is logged and not told', async () => {
    const logged: string[] = [];
    const broken = {
      get: () => 0,
      getByName: () => {
        throw new Error('at secret.ts:1 with sk-secret');
      },
    };
    const logger = {
      warn: (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
        void logged.push(`${message} ${String(fields.error)}`),
    };
    const response = await server({ SESSIONS: broken }, { logger })('/api/sessions/work');
    const { status, body } = await problemIn(response);
    expect([status, body.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(body)).not.toMatch(/secret|sk-/);
    expect(logged).toEqual(['A request failed. Error: at secret.ts:1 with sk-secret']);
  });

  it('an object that the platform moves can be asked again', async () => {
    const moved = {
      getByName: () => {
        throw Object.assign(new Error('moved'), { retryable: true });
      },
    };
    const response = await server({ SESSIONS: moved })('/api/sessions/work');
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await refusedAs(response)).toBe('503 unavailable');
  });
});

describe('headers', () => {
  it('every answer of the API is kept in no cache, sniffed by nobody, shown in no frame', async () => {
    const send = await signedIn();
    for (const response of [await send('/api/config'), await send('/api/nothing'), await tokenServer()('/api/config')]) {
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
    }
  });
});

describe('origins', () => {
  const own = { origin: 'https://reins.example' };

  it('a page of the server itself changes things', async () => {
    const send = await signedIn();
    expect((await send('/api/sessions', post({}, own))).status).toBe(201);
  });

  it.each(['https://evil.example', 'http://reins.example', 'https://reins.example:444', 'null'])(
    'a page of %s changes nothing',
    async (origin) => {
      const send = await signedIn();
      for (const [path, method] of [
        ['/api/sessions', 'POST'],
        [turn, 'POST'],
        ['/api/sessions/work', 'PATCH'],
        ['/api/sessions/work', 'DELETE'],
      ] as const) {
        expect(await refusedAs(await send(path, { method, body: method === 'DELETE' ? null : '{}', headers: { origin } }))).toBe(
          '403 origin_refused',
        );
      }
      const { sessions } = await (await send('/api/sessions')).json<{ sessions: unknown[] }>();
      expect(sessions).toEqual([]);
    },
  );

  it('a page of ALLOWED_ORIGINS changes things and may read the answers', async () => {
    const send = await signedIn({}, tokenServer({ ALLOWED_ORIGINS: 'https://app.example, http://localhost:5173/' }));
    for (const origin of ['https://app.example', 'http://localhost:5173']) {
      const response = await send('/api/sessions', post({}, { origin }));
      expect(response.status).toBe(201);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('vary')).toContain('Origin');
    }
  });

  it('a preflight is answered without a participant, and gives leave to no foreign page', async () => {
    const send = tokenServer({ ALLOWED_ORIGINS: 'https://app.example' });
    const ask = (origin: string): Promise<Response> =>
      send(turn, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    const leave = await ask('https://app.example');
    expect(leave.status).toBe(204);
    expect(leave.headers.get('access-control-allow-headers')).toContain('authorization');
    const none = await ask('https://evil.example');
    expect([none.headers.get('access-control-allow-origin'), none.headers.get('access-control-allow-methods')]).toEqual([
      null,
      null,
    ]);
  });
});

describe('roles and scopes', () => {
  it('a viewer reads, and changes nothing', async () => {
    const sub = somebody();
    const viewer = await signedIn({ sub, role: 'viewer' });
    for (const path of ['/api/config', '/api/sessions', '/api/sessions/work', '/api/sessions/work/messages']) {
      expect((await viewer(path)).status, path).toBe(200);
    }
    for (const [path, method] of [
      ['/api/sessions', 'POST'],
      [turn, 'POST'],
      ['/api/sessions/work/cancel', 'POST'],
      ['/api/sessions/work', 'PATCH'],
      ['/api/sessions/work', 'DELETE'],
    ] as const) {
      expect(await refusedAs(await viewer(path, { method })), path).toBe('403 forbidden');
    }
  });

  it.each([
    ['viewer', 403],
    ['member', 403],
    ['operator', 200],
  ] as const)('the doctor sees a %s: %i', async (role, status) => {
    const send = await signedIn({ role });
    expect((await send('/api/doctor')).status).toBe(status);
  });

  it('a token with a scope reaches only that session, and those nested in it', async () => {
    const send = await signedIn({ scope: 'work' });
    expect((await send('/api/sessions/work')).status).toBe(200);
    expect((await send('/api/sessions/work%3A%3Asub%3A%3Areviewer')).status).toBe(200);
    for (const path of ['/api/sessions/other', '/api/sessions/workshop'])
      expect(await refusedAs(await send(path))).toBe('403 forbidden');
    expect(await refusedAs(await send('/api/sessions', post({})))).toBe('403 forbidden');
    expect(await refusedAs(await send('/api/sessions', post({ scope: 'other' })))).toBe('403 forbidden');
    expect((await send('/api/sessions', post({ scope: 'work' }))).status).toBe(201);
  });

  it('a token with a scope lists only that session', async () => {
    const sub = somebody();
    const all = await signedIn({ sub });
    for (const scope of ['work', 'play']) await all('/api/sessions', post({ scope }));
    const one = await signedIn({ sub, scope: 'work' });
    const { sessions } = await (await one('/api/sessions')).json<{ sessions: { scope: string }[] }>();
    expect(sessions.map(({ scope }) => scope)).toEqual(['work']);
  });

  it.each(['-work', '.work', 'a%20b', 'a%2Fb', 'a%00', '%E0%A4%A', 'x'.repeat(129), 'a%3A%3Asub%3A%3A'])(
    '%s is no scope',
    async (scope) => {
      const send = await signedIn();
      expect(await refusedAs(await send(`/api/sessions/${scope}`))).toBe('400 bad_request');
    },
  );

  it('a nested session is read, answered and cancelled, and nothing else', async () => {
    const send = await signedIn();
    const child = '/api/sessions/work%3A%3Asub%3A%3Areviewer';
    for (const path of ['', '/messages']) expect((await send(child + path)).status, path).toBe(200);
    expect((await send(`${child}/cancel`, post({}))).status).toBe(204);
    expect((await send(`${child}/answers`, post({ answers: 7 }))).status).toBe(400);
    for (const path of [
      'turn',
      'resume',
      'retry',
      'interject',
      'message',
      'interrupt',
      'partial',
      'pending/deny-all',
      'inbox/a',
      'new',
    ]) {
      expect(await refusedAs(await send(`${child}/${path}`, post({}))), path).toBe('403 forbidden');
    }
    expect(await refusedAs(await send(child, { method: 'DELETE' }))).toBe('403 forbidden');
    expect(await refusedAs(await send(child, { ...post({ title: 'x' }), method: 'PATCH' }))).toBe('403 forbidden');
  });

  it('SESS-02 SESS-05 two participants of one scope never meet', async () => {
    const [ann, bob] = [await signedIn(), await signedIn()];
    await ann('/api/sessions', post({ scope: 'work', title: 'Of Ann' }));
    expect(await (await ann('/api/sessions/work')).json()).toMatchObject({ title: 'Of Ann' });
    expect(await (await bob('/api/sessions/work')).json()).not.toMatchObject({ title: 'Of Ann' });
    expect(await (await bob('/api/sessions')).json()).toMatchObject({ sessions: [] });
  });

  it('SESS-01 the same participant and scope are the same session by any token and in any worker', async () => {
    const sub = somebody();
    await (
      await signedIn({ sub })
    )('/api/sessions', post({ scope: 'work', title: 'Ours' }));
    const elsewhere = await signedIn({ sub, jti: 'another' }, tokenServer());
    expect(await (await elsewhere('/api/sessions/work')).json()).toMatchObject({ title: 'Ours' });
  });
});

describe('jurisdictions', () => {
  it('SESS-04 a participant has other sessions in each jurisdiction that a token names', async () => {
    const sub = somebody();
    const [anywhere, europe] = [await signedIn({ sub }), await signedIn({ sub, jurisdiction: 'eu' })];
    await europe('/api/sessions', post({ scope: 'work', title: 'In Europe' }));
    expect(await (await europe('/api/sessions')).json()).toMatchObject({ sessions: [{ title: 'In Europe' }] });
    expect(await (await anywhere('/api/sessions')).json()).toMatchObject({ sessions: [] });
    expect(await (await anywhere('/api/sessions/work')).json()).not.toMatchObject({ title: 'In Europe' });
  });
});

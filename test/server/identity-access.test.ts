import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { refusedAs, type Send, server, token } from './support.ts';

const issuer = 'https://acme.cloudflareaccess.com';
const audience = 'aud-of-the-application';
const seconds = Math.floor(Date.now() / 1000);
const variables = { AUTH: 'access', ACCESS_TEAM: 'acme', ACCESS_AUD: audience, ACCESS_OPERATORS: 'root@acme.example' };
const origin = 'https://reins.example';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let first: Pair;
let second: Pair;

beforeAll(async () => {
  first = await generateKeyPair('RS256', { extractable: true });
  second = await generateKeyPair('RS256', { extractable: true });
});

/** A team that publishes the keys it has when asked, and counts how often it is. */
function team(keys: () => Promise<readonly JWK[]>): { readonly send: Send; readonly asked: string[] } {
  const asked: string[] = [];
  const fetchKeys = async (url: string | URL): Promise<Response> => {
    asked.push(String(url));
    return Response.json({ keys: await keys() });
  };
  return { send: server(variables, { origin, fetchKeys }), asked };
}

const published = async (pair: Pair, kid: string): Promise<JWK> => ({
  ...(await exportJWK(pair.publicKey)),
  kid,
  alg: 'RS256',
  use: 'sig',
});
const firstKeys = async (): Promise<readonly JWK[]> => [await published(first, 'k1')];

function assertion(claims: Readonly<Record<string, unknown>> = {}, { pair = first, kid = 'k1' } = {}): Promise<string> {
  const all = { sub: 'c0ffee-ann', email: 'ann@acme.example', iss: issuer, aud: [audience], exp: seconds + 600, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid }).sign(pair.privateKey);
}

const asserting = (jwt: string): RequestInit => ({ headers: { 'cf-access-jwt-assertion': jwt } });

describe('AUTH=access', () => {
  it("SESS-20 the subject of the team's assertion is the participant", async () => {
    const { send, asked } = team(firstKeys);
    const response = await send('/api/config', asserting(await assertion()));
    expect(await response.json()).toMatchObject({ may: { participant: 'c0ffee-ann', role: 'member', operate: false } });
    expect(asked).toEqual([`${issuer}/cdn-cgi/access/certs`]);
  });

  it('a service token is known by its common name, and ACCESS_OPERATORS names operators', async () => {
    const { send } = team(firstKeys);
    const service = await send(
      '/api/config',
      asserting(await assertion({ sub: '', email: undefined, common_name: 'ci.access' })),
    );
    expect(await service.json()).toMatchObject({ may: { participant: 'ci.access' } });
    const root = await send('/api/config', asserting(await assertion({ sub: 'c0ffee-root', email: 'root@acme.example' })));
    expect(await root.json()).toMatchObject({ may: { participant: 'c0ffee-root', operate: true } });
  });

  it.each<[string, () => Promise<string>]>([
    ['that has expired', () => assertion({ exp: seconds - 1 })],
    ['without an end', () => assertion({ exp: undefined })],
    ['for another audience', () => assertion({ aud: ['another-application'] })],
    ['of another team', () => assertion({ iss: 'https://evil.cloudflareaccess.com' })],
    ['of nobody', () => assertion({ sub: '' })],
    ['signed with another key under a known id', () => assertion({}, { pair: second })],
    ['signed with a key that the team never had', () => assertion({}, { pair: second, kid: 'k2' })],
    ['signed by a shared secret', () => token({ sub: 'c0ffee-ann', iss: issuer, aud: [audience] })],
    ['that is none', async () => 'abc'],
  ])('an assertion %s is nobody', async (_, make) => {
    const { send } = team(firstKeys);
    expect(await refusedAs(await send('/api/config', asserting(await make())))).toBe('401 unauthenticated');
  });

  it('no assertion is nobody, and no key is fetched', async () => {
    const { send, asked } = team(firstKeys);
    expect(await refusedAs(await send('/api/config'))).toBe('401 unauthenticated');
    expect(asked).toEqual([]);
  });

  it('keys are fetched once for many requests', async () => {
    const { send, asked } = team(firstKeys);
    for (let n = 0; n < 3; n += 1) await send('/api/config', asserting(await assertion()));
    expect(asked).toHaveLength(1);
  });

  it('a team whose keys cannot be read is no verdict about the assertion', async () => {
    const fetchKeys = async (): Promise<Response> => new Response('bad gateway', { status: 502 });
    const send = server(variables, { origin, fetchKeys });
    expect(await refusedAs(await send('/api/config', asserting(await assertion())))).toBe('503 unavailable');
  });

  it('without ACCESS_TEAM or ACCESS_AUD nobody is let in', async () => {
    const send = server({ ...variables, ACCESS_AUD: '' }, { origin });
    expect(await refusedAs(await send('/api/config', asserting(await assertion())))).toBe('401 auth_not_configured');
  });
});

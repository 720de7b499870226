import { base64url, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { refusedAs, secret, server, signedIn, somebody, token, tokenServer } from './support.ts';

const seconds = Math.floor(Date.now() / 1000);
const bearer = (jwt: string): RequestInit => ({ headers: { authorization: `Bearer ${jwt}` } });
const knownAs = async (response: Response): Promise<unknown> => (await response.json<{ may?: unknown }>()).may;

describe('AUTH=token', () => {
  it('SESS-20 the subject of a signed token is the participant, a member', async () => {
    const sub = somebody();
    const response = await tokenServer()('/api/config', bearer(await token({ sub })));
    expect(await knownAs(response)).toEqual({ participant: sub, role: 'member', write: true, operate: false, scope: null });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['that has expired', () => token({ sub: 'ann', exp: seconds - 1 })],
    ['that is not valid yet', () => token({ sub: 'ann', nbf: seconds + 600 })],
    [
      'without an end',
      () => new SignJWT({ sub: 'ann' }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret)),
    ],
    ['without a subject', () => token({})],
    ['with an empty subject', () => token({ sub: '' })],
    ['with a subject of 257 bytes', () => token({ sub: 'é'.repeat(128) + 'x' })],
    ['with half a surrogate pair as subject', () => token({ sub: 'ann\ud800' })],
    ['with a role that does not exist', () => token({ sub: 'ann', role: 'root' })],
    ['with a scope that is none', () => token({ sub: 'ann', scope: '../other' })],
    ['with a jurisdiction that does not exist', () => token({ sub: 'ann', jurisdiction: 'mars' })],
    ['signed with another secret', () => token({ sub: 'ann' }, 'another secret, just as long as the first one is')],
    ['of alg none', () => new UnsecuredJWT({ sub: 'ann', exp: seconds + 600 }).encode()],
    [
      'of another algorithm',
      () =>
        new SignJWT({ sub: 'ann', exp: seconds + 600 })
          .setProtectedHeader({ alg: 'HS512' })
          .sign(new TextEncoder().encode(secret)),
    ],
    ['whose claims were changed', async () => changed(await token({ sub: 'ann' }))],
    ['that is none', () => 'abc.def.ghi'],
  ])('a token %s is nobody', async (_, make) => {
    expect(await refusedAs(await tokenServer()('/api/config', bearer(await make())))).toBe('401 unauthenticated');
  });

  it('no token is nobody, and is told how to sign in', async () => {
    const response = await tokenServer()('/api/config');
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
    expect(await refusedAs(response)).toBe('401 unauthenticated');
  });

  it.each(['token', 'access_token', 'bearer', 'authorization'])('a token in the query (%s) is not looked at', async (name) => {
    const send = tokenServer();
    expect(await refusedAs(await send(`/api/config?${name}=${await token({ sub: 'ann' })}`))).toBe('401 unauthenticated');
  });

  it('the subprotocol is a proof on an upgrade alone', async () => {
    const headers = { 'sec-websocket-protocol': `reins.v1, bearer.${await token({ sub: 'ann' })}` };
    expect(await refusedAs(await tokenServer()('/api/config', { headers }))).toBe('401 unauthenticated');
  });

  it('a request that also carries an assertion of Cloudflare Access is known by its token alone', async () => {
    const headers = { 'cf-access-jwt-assertion': await token({ sub: 'eve' }) };
    expect(await refusedAs(await tokenServer()('/api/config', { headers }))).toBe('401 unauthenticated');
  });

  it('localhost is nobody without a token', async () => {
    expect(await refusedAs(await server({ AUTH: 'token', AUTH_SECRET: secret })('/api/config'))).toBe('401 unauthenticated');
  });

  it('without AUTH_SECRET nobody is let in, whatever signed the token', async () => {
    const send = server({ AUTH: 'token' });
    expect(await refusedAs(await send('/api/config', bearer(await token({ sub: 'ann' }))))).toBe('401 auth_not_configured');
  });

  it('a subject of 256 bytes is a participant', async () => {
    const sub = 'é'.repeat(128);
    expect(await knownAs(await tokenServer()('/api/config', bearer(await token({ sub }))))).toMatchObject({ participant: sub });
  });

  it('the claims role and scope narrow what a token may', async () => {
    const send = await signedIn({ role: 'viewer', scope: 'work' });
    expect(await knownAs(await send('/api/config'))).toMatchObject({
      role: 'viewer',
      write: false,
      operate: false,
      scope: 'work',
    });
  });
});

function changed(jwt: string): string {
  const [head, , signature] = jwt.split('.');
  return [head, base64url.encode(JSON.stringify({ sub: 'bob', exp: seconds + 600 })), signature].join('.');
}

import { jwtVerify } from 'jose';
import type { Outcome } from '../../session/protocol/index.ts';
import type { Settings } from '../settings.ts';
import { identified, type Identity, notConfigured, tokenClaims, unauthenticated } from './identity.ts';

/** The only algorithm of our own tokens: a token cannot choose another, `none` least of all. */
const tokenAlgorithm = 'HS256';

const subprotocolPrefix = 'bearer.';
const how = 'send a valid token as Authorization: Bearer, or on an upgrade as the subprotocol bearer.<token>.';

/** AUTH `token`: a signed JWT with `sub` and `exp`, from the Authorization header or an upgrade's subprotocols, never from the query. */
export async function identifyByToken(request: Request, settings: Settings): Promise<Outcome<Identity>> {
  if (settings.secret === null) return notConfigured('Set AUTH_SECRET, the secret that signs tokens.');
  const token = tokenOf(request);
  if (token === null) return unauthenticated(how);
  const claims = tokenClaims.safeParse(await verified(token, settings.secret));
  if (!claims.success) return unauthenticated(how);
  const { sub, exp, role, scope, jurisdiction } = claims.data;
  return identified({ participant: sub, role, scope: scope ?? null, jurisdiction: jurisdiction ?? null, expires: exp * 1000 });
}

async function verified(token: string, secret: string): Promise<unknown> {
  const key = new TextEncoder().encode(secret);
  const options = { algorithms: [tokenAlgorithm], requiredClaims: ['exp', 'sub'] };
  return jwtVerify(token, key, options).then(
    ({ payload }) => payload,
    () => null,
  );
}

function tokenOf(request: Request): string | null {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return null;
  const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((protocol) => protocol.trim());
  return offered.find((protocol) => protocol.startsWith(subprotocolPrefix))?.slice(subprotocolPrefix.length) ?? null;
}

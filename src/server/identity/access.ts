import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { type Outcome, refused } from '../../session/protocol/index.ts';
import type { Settings } from '../settings.ts';
import { identified, type Identity, notConfigured, participantName, unauthenticated } from './identity.ts';

/** A person has a `sub`; a service token has an empty one and a `common_name`. */
const accessClaims = z.object({
  sub: z.string().default(''),
  common_name: z.string().default(''),
  email: z.string().optional(),
  exp: z.number(),
});

/** Knows who Cloudflare Access let through. */
export type IdentifyByAccess = (request: Request, settings: Settings) => Promise<Outcome<Identity>>;

/**
 * AUTH `access`: the assertion that Cloudflare Access puts on each request, checked against the team's published keys
 * (https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/).
 * The keys are fetched when first needed, kept for ten minutes, and fetched again, at most twice a minute, for a key id that is
 * not among them: Access changes its keys every six weeks.
 */
export function accessIdentifier(fetchKeys: FetchImplementation): IdentifyByAccess {
  const keysOf = new Map<string, JWTVerifyGetKey>();
  return async (request, { accessTeam, accessAudience, accessOperators }) => {
    if (accessTeam === null || accessAudience.length === 0) return notConfigured('Set ACCESS_TEAM and ACCESS_AUD.');
    const assertion = request.headers.get('cf-access-jwt-assertion');
    if (assertion === null) return unauthenticated(how);
    const keys = keysOf.get(accessTeam) ?? teamKeys(accessTeam, fetchKeys);
    keysOf.set(accessTeam, keys);
    try {
      const { payload } = await jwtVerify(assertion, keys, {
        algorithms: ['RS256'],
        issuer: accessTeam,
        audience: [...accessAudience],
        requiredClaims: ['exp'],
      });
      const claims = accessClaims.parse(payload);
      const participant = participantName.parse(claims.sub === '' ? claims.common_name : claims.sub);
      const operator = [participant, claims.email].some((name) => name !== undefined && accessOperators.includes(name));
      const role = operator ? 'operator' : 'member';
      return identified({ participant, role, scope: null, jurisdiction: null, expires: claims.exp * 1000 });
    } catch (error) {
      if (isKeyOutage(error)) return refused('unavailable', 'The keys of Cloudflare Access cannot be read now. Try again.');
      return unauthenticated(how);
    }
  };
}

const how = 'through Cloudflare Access.';

function teamKeys(origin: string, fetchKeys: FetchImplementation): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL('/cdn-cgi/access/certs', origin), { [customFetch]: fetchKeys });
}

/** True when the keys could not be had, which says nothing of the assertion. jose gives its own code to each way an assertion fails. */
function isKeyOutage(error: unknown): boolean {
  if (error instanceof z.ZodError) return false;
  return (
    !(error instanceof errors.JOSEError) || ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'].includes(error.code)
  );
}

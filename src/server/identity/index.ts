import type { FetchImplementation } from 'jose';
import type { Outcome } from '../../session/protocol/index.ts';
import type { Settings } from '../settings.ts';
import { accessIdentifier } from './access.ts';
import { type Identity, notConfigured } from './identity.ts';
import { identifyLocal } from './local.ts';
import { identifyByToken } from './token.ts';

export { type Identity, roles } from './identity.ts';

/** Knows who makes a request, by the way that AUTH names; nothing else of a request names a participant (SESS-20). */
export type Identify = (request: Request, settings: Settings) => Promise<Outcome<Identity>>;

/** An identifier for all three ways. `fetchKeys` is the network to the keys of Cloudflare Access. */
export function identifier(fetchKeys: FetchImplementation): Identify {
  const identifyByAccess = accessIdentifier(fetchKeys);
  return async (request, settings) => {
    switch (settings.auth) {
      case 'local':
        return identifyLocal(request);
      case 'token':
        return identifyByToken(request, settings);
      case 'access':
        return identifyByAccess(request, settings);
      case null:
        return notConfigured('AUTH must be local, token or access.');
    }
  };
}

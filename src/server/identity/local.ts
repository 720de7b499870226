import type { Outcome } from '../../session/protocol/index.ts';
import { identified, type Identity, notConfigured } from './identity.ts';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * AUTH `local`: whoever can reach the machine itself is the participant `local`, an operator. The host of the URL decides, so a
 * page elsewhere whose name was made to resolve to this machine is nobody.
 */
export function identifyLocal(request: Request): Outcome<Identity> {
  if (!loopback.has(new URL(request.url).hostname)) {
    return notConfigured('Set AUTH to token or access: AUTH=local serves only localhost, 127.0.0.1 and [::1].');
  }
  return identified({ participant: 'local', role: 'operator', scope: null, jurisdiction: null, expires: null });
}

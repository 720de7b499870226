import type { Actor } from '../session/protocol/index.ts';
import type { RequestContext } from './route.ts';

const clientName = /^[\x20-\x7e]{1,80}$/;

/**
 * Who acts: the participant, and the name that its client gave itself in the header Reins-Client, when that is one to be shown. The
 * name proves nothing. A socket says its name in a presence frame.
 */
export function actorOf(c: RequestContext): Actor {
  const { participant, role } = c.var.identity;
  const client = c.req.header('reins-client') ?? '';
  return clientName.test(client) ? { participant, client, role } : { participant, role };
}

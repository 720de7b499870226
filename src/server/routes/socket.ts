import { identityHeader, type SocketIdentity } from '../../session/api.ts';
import type { Identity } from '../identity/index.ts';
import { sessionOf } from '../objects.ts';
import { refusal } from '../refusal.ts';
import { param, type RequestContext, type Route } from '../route.ts';
import { cursorQuery } from '../schemas.ts';

/** The subprotocol that we answer with; a token beside it in the offer is a proof and no protocol. */
const subprotocol = 'reins.v1';

/** The route of a session's socket. */
export const socketRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/sessions/:scope/socket',
    access: 'read',
    children: true,
    socket: true,
    doc: {
      summary: 'The session over a WebSocket; the subprotocol is reins.v1',
      query: cursorQuery,
      answers: { 101: { description: 'Frames of JSON, as docs/wire.md says.' } },
      refuses: [400, 403, 429],
    },
    handle: openSocket,
  },
];

const handshakeHeaders = ['connection', 'upgrade', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions'];

async function openSocket(c: RequestContext): Promise<Response> {
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
    return refusal({ code: 'bad_request', detail: 'This address takes only an upgrade to a WebSocket.' });
  }
  const headers = new Headers({ [identityHeader]: headerJson(socketIdentity(c.var.identity)) });
  for (const name of handshakeHeaders) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const response = await sessionOf(c.env, c.var.identity, param(c, 'scope')).fetch(new Request(c.req.url, { headers }));
  const offered = (c.req.header('sec-websocket-protocol') ?? '').split(',').map((protocol) => protocol.trim());
  if (response.webSocket === null || !offered.includes(subprotocol)) return response;
  return new Response(null, { status: 101, webSocket: response.webSocket, headers: { 'sec-websocket-protocol': subprotocol } });
}

function socketIdentity({ participant, role, expires }: Identity): SocketIdentity {
  return { participant, role, expires };
}

/** JSON of ASCII alone, which is what a header can hold. */
function headerJson(value: SocketIdentity): string {
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

import { describe, expect, it } from 'vitest';
import { refusedAs, type Send, signedIn, somebody, token, tokenServer } from './support.ts';

const path = '/api/sessions/work/socket';

/** Opens a socket and gives its first frame. */
async function ready(response: Response): Promise<unknown> {
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket: ${response.status}`);
  const frame = new Promise<string>((resolve) => {
    socket.addEventListener('message', (event) => resolve(String(event.data)), { once: true });
  });
  socket.accept();
  const first: unknown = JSON.parse(await frame);
  socket.close();
  return first;
}

function offering(send: Send, protocols: readonly string[], headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return send(path, { headers: { upgrade: 'websocket', 'sec-websocket-protocol': protocols.join(', '), ...headers } });
}

describe('the socket', () => {
  it('opens with a token among the subprotocols, and answers with ours alone', async () => {
    const response = await offering(tokenServer(), ['reins.v1', `bearer.${await token({ sub: somebody() })}`]);
    expect([response.status, response.headers.get('sec-websocket-protocol')]).toEqual([101, 'reins.v1']);
    expect(await ready(response)).toMatchObject({ type: 'ready' });
  });

  it('opens with an Authorization header, and without a subprotocol when none was offered', async () => {
    const send = await signedIn();
    const response = await send(path, { headers: { upgrade: 'websocket' } });
    expect([response.status, response.headers.get('sec-websocket-protocol')]).toEqual([101, null]);
    expect(await ready(response)).toMatchObject({ type: 'ready' });
  });

  it('SESS-20 a participant of any characters comes through, and no header of the client does', async () => {
    const sub = `${somebody()} é\u{1f600}"\\`;
    const response = await offering(tokenServer(), ['reins.v1', `bearer.${await token({ sub })}`], {
      'reins-identity': '{"participant":"eve","role":"operator","expires":null}',
    });
    expect(await ready(response)).toMatchObject({ type: 'ready' });
  });

  it.each(['https://evil.example', 'null'])('a page of %s opens none', async (origin) => {
    const response = await offering(tokenServer(), ['reins.v1', `bearer.${await token({ sub: somebody() })}`], { origin });
    expect(await refusedAs(response)).toBe('403 origin_refused');
  });

  it.each<[string, readonly string[]]>([
    ['no token', ['reins.v1']],
    ['an empty token', ['reins.v1', 'bearer.']],
    ['a token that is none', ['reins.v1', 'bearer.abc']],
  ])('with %s the handshake is refused', async (_, protocols) => {
    expect(await refusedAs(await offering(tokenServer(), protocols))).toBe('401 unauthenticated');
  });

  it('a token in the query opens none', async () => {
    const send = tokenServer();
    const response = await send(`${path}?token=${await token({ sub: 'ann' })}`, { headers: { upgrade: 'websocket' } });
    expect(await refusedAs(response)).toBe('401 unauthenticated');
  });

  it('without an upgrade there is nothing to read', async () => {
    const send = await signedIn();
    expect(await refusedAs(await send(path))).toBe('400 bad_request');
  });

  it('a viewer may watch', async () => {
    const send = await signedIn({ role: 'viewer' });
    expect(await ready(await send(path, { headers: { upgrade: 'websocket' } }))).toMatchObject({ type: 'ready' });
  });
});

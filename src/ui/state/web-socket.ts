import type { OpenWire } from './link.ts';

/** A browser's WebSocket as a `Wire`. `address` is asked at each opening, since the cursor moves on. */
export function webSocketWire(address: () => string, protocols: readonly string[]): OpenWire {
  return (events) => {
    const socket = new WebSocket(address(), [...protocols]);
    socket.addEventListener('open', () => events.opened());
    socket.addEventListener('message', (event: MessageEvent<unknown>) => events.text(String(event.data)));
    socket.addEventListener('close', (event) => events.closed(event.code));
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(),
    };
  };
}

/** Where a session's socket is, on the host that served the page. */
export function socketAddress(scope: string, cursor: string | null): string {
  const url = new URL(`/api/sessions/${encodeURIComponent(scope)}/socket`, location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (cursor !== null) url.searchParams.set('cursor', cursor);
  return url.href;
}

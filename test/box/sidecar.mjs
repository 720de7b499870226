// Stands for the proxy that workerd puts before each local container, which comes from a registry: it hands connections on to the container, with whom it
// shares a network. It does not keep anybody from the network.
import { createServer } from 'node:http';
import { connect } from 'node:net';

const server = createServer((_, response) => response.end());
server.on('connect', (request, socket, head) => {
  const [, port] = /:(\d+)$/.exec(request.headers['x-dst-addr'] ?? request.url ?? '') ?? [];
  const upstream = connect(Number(port), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  for (const [one, other] of [
    [upstream, socket],
    [socket, upstream],
  ])
    one.on('error', () => other.destroy());
});
server.listen(39001);

import { once } from 'node:events';
import { WebSocket } from 'ws';

/** What the inspector answers to a call. */
interface Answer {
  readonly id?: number;
  readonly result?: { readonly usedSize: number };
  readonly error?: { readonly message: string };
}

/**
 * The heap of a Worker in use, in bytes, after a collection; by the inspector at a port. `poke` makes a request to the Worker: an idle one does
 * not collect.
 */
export async function heapOf(port: number, poke: () => Promise<unknown>): Promise<number> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error('The inspector has no target.');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const answers = new Map<number, Answer>();
  socket.on('message', (data: Buffer) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) answers.set(answer.id, answer);
  });
  // It drops what it is sent before it has told of the Worker.
  await once(socket, 'message');
  const call = async (id: number, method: string): Promise<number> => {
    socket.send(JSON.stringify({ id, method }));
    while (!answers.has(id)) await poke();
    const answer = answers.get(id);
    if (answer?.result === undefined) throw new Error(`${method}: ${answer?.error?.message}`);
    return answer.result.usedSize;
  };
  await call(1, 'HeapProfiler.collectGarbage');
  const used = await call(2, 'Runtime.getHeapUsage');
  socket.close();
  return used;
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts the model server in a process of its own; it ends with this one. Gives its base URL. */
export async function startModel(): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'model-server.ts'));
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`The model server ended with ${code}.`);
  });
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => child.disconnect() };
}
